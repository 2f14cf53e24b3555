package sidekiq

import "encoding/json"

// most is Sidekiq's own number of retries, where neither the job nor the settings have one.
const most = 25

// whyDead is what brought a job into one of the sets in which a person finds it. The sets
// themselves do not tell; the job says what error it had, and how often it was retried.
func whyDead(set string, payload []byte) string {
	var j struct {
		Error    *string `json:"error_class"`
		Count    int     `json:"retry_count"`
		Retry    any     `json:"retry"`
		RetryFor any     `json:"retry_for"`
	}
	_ = json.Unmarshal(payload, &j) // it was read before
	limit, limited := j.Retry.(float64)
	if !limited {
		limit = most
	}
	switch {
	case set == interrupted:
		return "it was interrupted too often"
	case j.Error == nil:
		return "it was put into the set dead, by no error of its job"
	case float64(j.Count) >= limit || j.RetryFor != nil:
		return "no retry is left"
	default:
		return "no retry is wanted: sidekiq_retry_in says :kill, or max_retries is lower"
	}
}
