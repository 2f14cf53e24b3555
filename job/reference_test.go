package job

import (
	"regexp"
	"testing"
)

type goldenReference struct {
	JobType   string `json:"job_type"`
	Key       string `json:"key"`
	Reference string `json:"reference"`
}

var uuidVersion8 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestReferenceGolden(t *testing.T) {
	cases := []goldenReference{
		{JobType: "charge.create", Key: "42"}, {JobType: "mail.send", Key: "42"}, {JobType: "charge.create", Key: "t1/42"},
		{JobType: "charge.create", Key: "a%2Fb/c"}, {JobType: "charge.create", Key: "a/b%2Fc"}, {JobType: "charge.creat", Key: "e42"},
		{JobType: "charge.create", Key: "caf\u00e9"}, {JobType: "charge.create", Key: "cafe\u0301"}, {JobType: "charge.create", Key: "A"}, {JobType: "charge.create", Key: "A "},
		{JobType: "charge.create", Key: "\U0001F600"}, {JobType: "\u00e9", Key: "1"},
	}
	seen := map[string]bool{}
	for i, c := range cases {
		r := Reference(c.JobType, c.Key)
		if !uuidVersion8.MatchString(r) || seen[r] {
			t.Errorf("%+v: reference %s", c, r)
		}
		seen[r] = true
		cases[i].Reference = r
	}
	checkGolden(t, "references.json", listOf(t, "cases", cases))
}
