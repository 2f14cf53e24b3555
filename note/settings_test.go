package note

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/doctor"
)

// examined gives an input the findings of a settings check that read the database.
func examined(in Input, d Doctor) Input {
	d.Schema = DoctorSchema
	d.LookedAt = append(d.LookedAt, Source{"job"}, Source{"database"})
	in.Doctor = &d
	return in
}

const (
	nobodyLooked = "Nobody has looked at the settings of the live database and queue"
	noneFound    = "found none that repeats or loses"
)

// What the settings check found is told where it is no doubt.
func TestSettings(t *testing.T) {
	sound := shown(charge(t))
	for name, c := range map[string]struct {
		in   Input
		want string
	}{
		"no doctor":      {sound, nobodyLooked},
		"a clean doctor": {examined(sound, Doctor{}), noneFound},
		"a note of it":   {examined(sound, Doctor{Findings: []Finding{{ID: "job.retention", Severity: "note"}}}), noneFound},
		"open settings":  {examined(sound, Doctor{Findings: []Finding{{ID: "sqs.visibility", Severity: "repeats"}}}), "Open settings, told by twiceproof doctor: sqs.visibility (repeats)"},
		"not asked for":  {examined(sound, Doctor{CouldNotCheck: []Gap{{ID: "celery", Reason: "nobody asked for it"}}}), "It could not look at: celery."},
		"a gap that voids nothing": {
			examined(sound, Doctor{CouldNotCheck: []Gap{{ID: "rabbitmq.policy", Reason: "AMQP does not tell", Matters: true}}}), "It could not look at: rabbitmq.policy.",
		},
	} {
		n := New(c.in)
		if remarks := strings.Join(n.Remarks, "\n"); n.Shown != Yes || !strings.Contains(remarks, c.want) || c.want != nobodyLooked && strings.Contains(remarks, nobodyLooked) {
			t.Errorf("%s: %s, %q, %+v", name, n.Shown, n.Remarks, n.Doubts)
		}
	}
}

// A settings check that read nothing of where the job runs is none. The control is the
// same one with the database, or the queue.
func TestNothingLiveLookedAt(t *testing.T) {
	for text, live := range map[string]bool{
		`{"schema":"twiceproof.doctor/1"}`: false,
		`{"schema":"twiceproof.doctor/1","looked_at":[{"source":"job","is":"the job file twiceproof.yaml"}]}`:          false,
		`{"schema":"twiceproof.doctor/1","looked_at":[{"source":"job"},{"source":"celery"},{"source":"sidekiq"}]}`:     false,
		`{"schema":"twiceproof.doctor/1","looked_at":[{"source":"job"},{"source":"database","is":"SQLite 3.49.1"}]}`:   true,
		`{"schema":"twiceproof.doctor/1","looked_at":[{"source":"queue","is":"Amazon SQS, queue charges"}]}`:           true,
		`{"schema":"twiceproof.doctor/1","findings":[{"id":"job.lease","severity":"repeats"}],"could_not_check":null}`: false,
	} {
		in := shown(charge(t))
		d, err := ReadDoctor([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		in.Doctor = &d
		remarks := strings.Join(New(in).Remarks, "\n")
		if strings.Contains(remarks, noneFound) != live || strings.Contains(remarks, nobodyLooked) == live || strings.Contains(remarks, "job.lease") != strings.Contains(text, "job.lease") {
			t.Errorf("%s: %s", text, remarks)
		}
	}
}

// Each finding that voids is a doubt when it could not be looked for, if that matters,
// and no other one is.
func TestGapsThatMatter(t *testing.T) {
	for _, e := range doctor.Catalogue() {
		for _, matters := range []bool{true, false} {
			d, err := ReadDoctor(fmt.Appendf(nil, `{"schema":"twiceproof.doctor/1","could_not_check":[{"id":%q,"reason":"refused","matters":%t}]}`, e.ID, matters))
			if err != nil {
				t.Fatal(err)
			}
			want := Yes
			if matters && e.Voids {
				want = Unknown
			}
			n := New(examined(shown(charge(t)), d))
			if n.Shown != want || want == Unknown != slices.ContainsFunc(n.Doubts, func(d Doubt) bool { return strings.Contains(d.Why, e.ID) }) {
				t.Errorf("%s, matters %t: %s, %+v", e.ID, matters, n.Shown, n.Doubts)
			}
		}
	}
}
