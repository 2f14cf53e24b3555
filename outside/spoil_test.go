package outside

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// spoilt gives the reply to a request after one call of order 17 with reference
// r1, as text, and what is kept of it.
func spoilt(t *testing.T, f Fault, r request) (string, answer) {
	t.Helper()
	p, err := charges.read()
	if err != nil {
		t.Fatal(err)
	}
	if f.Kind != "" {
		if f, _, err = f.complete(p.points()); err != nil {
			t.Fatal(err)
		}
	}
	first := post(`{"order_id":17,"amount":9.10,"reference":"r1"}`)
	call := p.answer(moment{}, p.hear(first), first).call
	a := f.spoil(p.answer(moment{calls: []Call{*call}, known: []Call{*call}}, p.hear(r), r))
	return fmt.Sprint([]string{"", "late ", "drop ", "hold "}[a.then], a.status, " ", string(a.body)), a
}

func TestSpoilAct(t *testing.T) {
	const whole = `201 {"id":"eff_2","order_id":17,"reference":"r1"}`
	for _, c := range []struct {
		fault Fault
		reply string
		acts  bool
	}{
		{Fault{}, whole, true}, // the control
		{Fault{Kind: Delay}, "late " + whole, true},
		{Fault{Kind: ActThenDrop}, "drop " + whole, true},
		{Fault{Kind: ActThenFail}, `500 {"error":"500"}`, true},
		{Fault{Kind: ActThenFail, Status: 502}, `502 <html><body><h1>502</h1></body></html>`, true},
		{Fault{Kind: Refuse}, `422 {"error":"422"}`, false},
		{Fault{Kind: Refuse, Status: 404}, `404 {"error":"404"}`, false},
		{Fault{Kind: DropBeforeAct}, "drop 0 ", false},
	} {
		reply, a := spoilt(t, c.fault, post(`{"order_id":17,"reference":"r1"}`))
		if reply != c.reply || (a.call != nil) != c.acts || (a.refused != nil) == c.acts {
			t.Errorf("%+v: %s, %+v", c.fault, reply, a)
		}
		switch {
		case c.acts && (a.call.Fault != c.fault.Kind || a.call.Operation != "17"):
			t.Errorf("%+v: call %+v", c.fault, a.call)
		case !c.acts && (a.refused.Fault != c.fault.Kind || a.refused.Status != a.status || a.refused.Operation != "17"):
			t.Errorf("%+v: refused %+v", c.fault, a.refused)
		}
	}
	if reply, a := spoilt(t, Fault{Kind: Hold}, post(`{}`)); a.call != nil || a.refused != nil || a.then != hold {
		t.Errorf("hold: %s, %+v", reply, a)
	}
}

func TestSpoilLookUp(t *testing.T) {
	const whole = `{"amount":9.10,"id":"eff_1","order_id":17,"reference":"r1"}`
	for _, c := range []struct {
		fault         Fault
		found, absent string
		says          string // of the effect, when it is there
	}{
		{Fault{}, "200 " + whole, `404 {"error":"not found"}`, "eff_1"}, // the control
		{Fault{Kind: LookUpSilence}, "late 200 " + whole, `late 404 {"error":"not found"}`, "eff_1"},
		{Fault{Kind: LookUpFail}, `500 {"error":"500"}`, `500 {"error":"500"}`, ""},
		{Fault{Kind: LookUpEmpty}, "200 []", "200 []", ""},
		{Fault{Kind: LookUpMalformed}, "200 " + whole[:len(whole)/2], `200 {"id":"eff_other"`, ""},
		{
			Fault{Kind: LookUpOther, Field: "amount"},
			`200 {"amount":9.101,"id":"eff_1","order_id":17,"reference":"r1"}`,
			`200 {"amount":1,"id":"eff_other","reference":"r2"}`, "eff_1",
		},
		{
			Fault{Kind: LookUpOther, Field: "money.cents"},
			`200 {"amount":9.10,"id":"eff_1","money":{"cents":1},"order_id":17,"reference":"r1"}`,
			`200 {"id":"eff_other","money":{"cents":1},"reference":"r2"}`, "eff_1",
		},
		{
			Fault{Kind: LookUpTwo},
			"200 [" + whole + `,{"amount":9.10,"id":"eff_other","order_id":17,"reference":"r1"}]`,
			`200 [{"id":"eff_other","reference":"r2"},{"id":"eff_other","reference":"r2"}]`, "",
		},
	} {
		found, a := spoilt(t, c.fault, ask("GET", "/charges/r1", "", ""))
		absent, _ := spoilt(t, c.fault, ask("GET", "/charges/r2", "", ""))
		if found != c.found || absent != c.absent {
			t.Errorf("%+v: found\n%s\nabsent\n%s", c.fault, found, absent)
		}
		if a.lookUp.Effect != c.says || a.lookUp.Fault != c.fault.Kind || a.lookUp.Reference != "r1" {
			t.Errorf("%+v: kept %+v", c.fault, a.lookUp)
		}
	}
}

// A fault of an act leaves a request alone that is none.
func TestSpoilLeavesTheUnexpectedAlone(t *testing.T) {
	if reply, a := spoilt(t, Fault{Kind: Refuse}, ask("GET", "/refunds", "", "")); a.status != http.StatusNotImplemented || a.unexpected == nil {
		t.Errorf("%s, %+v", reply, a)
	}
}

func TestHide(t *testing.T) {
	now := time.Unix(1000, 0)
	calls := []Call{
		{Seq: 1, Reference: "r1", At: now.Add(-10 * time.Second)},
		{Seq: 2, Reference: "r1", At: now.Add(-9 * time.Second)},
		{Seq: 3, Reference: "r2", At: now},
	}
	for _, c := range []struct {
		kind      Kind
		reference string
		left      string
	}{
		{Lag, "r1", "[1 3]"},
		{Forget, "r1", "[2 3]"},
		{Lag, "r2", "[1 2]"},
		{Forget, "r2", "[1 2 3]"},
		{Lag, "", "[1 2 3]"},
	} {
		left, hidden := Fault{Kind: c.kind, After: 10 * time.Second}.hide(calls, c.reference, now)
		var seqs []int
		for _, l := range left {
			seqs = append(seqs, l.Seq)
		}
		if fmt.Sprint(seqs) != c.left || hidden != (len(left) < 3) {
			t.Errorf("%s %q: %v, hidden %v", c.kind, c.reference, seqs, hidden)
		}
	}
}

func TestFaultIsRefused(t *testing.T) {
	p, err := charges.read()
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]Fault{
		`this service has no fault ""; it has [act_then_drop act_then_fail delay`: {},
		`this service has no fault "delayed"`:                                     {Kind: "delayed"},
		`nth and after cannot be negative`:                                        {Kind: Delay, Nth: -1},
		`refuse: 201 is not a status`:                                             {Kind: Refuse, Status: 201},
		`lag: after is missing`:                                                   {Kind: Lag},
		`look_up_other: field is missing`:                                         {Kind: LookUpOther},
	} {
		if _, err := newBook(p.points()).Arm(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}
