package replay

import (
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/outside"
)

// service is the outside service as the replay file tells of it. It remembers for as long as
// the job counts on.
func (r Request) service() outside.Service {
	o := r.Spec.Outside
	s := outside.Service{
		Act: outside.Route(o.Act), Operation: o.Operation, Reference: o.Reference, LookUp: outside.Route(o.LookUp), Remembers: o.Remembers,
	}
	if o.Remembers {
		s.Window = r.Job.Stale.ReferenceWindow
	}
	return s
}

func (r Request) mailService() outside.MailService {
	return outside.MailService{Operation: r.Spec.Outside.Mail.Operation, Pattern: r.Spec.Outside.Mail.Pattern}
}

// checkOutside is before anything is run, and before it costs the evidence of an earlier replay.
func (r Request) checkOutside() error {
	var err error
	switch {
	case r.Spec.Outside.Mail.Operation != "":
		err = r.mailService().Validate()
	case r.Job.Effect.Kind != job.OwnRow:
		err = r.service().Validate()
	}
	if err != nil {
		return &hinted.Error{What: "outside service: " + err.Error(), Hint: "correct the section outside of the replay file"}
	}
	return nil
}
