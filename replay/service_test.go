package replay

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// An outside service that cannot be is told before anything is run; the one beside it can.
func TestOutsideServiceIsCheckedWithThePlan(t *testing.T) {
	for outside, fits := range map[string]bool{
		`{act: POST /charges, operation: body.order_id, reference: body.reference, look_up: "GET /charges/{reference}"}`:      true,
		`{act: POST /charges, operation: body.order_id, reference: body.reference, look_up: "POST /charges?ref={reference}"}`: false,
		`{mail: {operation: subject, pattern: "(.+)"}}`:                                                                       true,
		`{mail: {operation: subject, pattern: "("}}`:                                                                          false,
	} {
		r, err := chargeRequest(t.TempDir(), fmt.Sprintf("version: 1\nversions: {new: {run: ./worker}}\nmessage: {body: '{\"order_id\": \"{{key}}\"}'}\noutside: %s\n", outside), "sequential")
		if err != nil {
			t.Errorf("%s: %v", outside, err)
			continue
		}
		_, err = MakePlan(r)
		if problem := (*hinted.Error)(nil); fits != (err == nil) || err != nil && !errors.As(err, &problem) {
			t.Errorf("%s: %v", outside, err)
		}
	}
}

// A call that was refused is told short, so that its history can be read again; a short one as it is.
func TestARefusedCallIsToldShort(t *testing.T) {
	w := &world{history: newHistory()}
	w.refused("POST", "http://api.example/"+strings.Repeat("a", 1<<20))
	w.refused("POST", "http://api.example/charges")
	long, short := w.history.all()[0].Detail, w.history.all()[1].Detail
	if len(long) > 1000 || !strings.HasPrefix(long, "POST http://api.example/aaa") || short != "POST http://api.example/charges" {
		t.Errorf("%d characters; %q", len(long), short)
	}
}
