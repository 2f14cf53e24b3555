package replay

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// chargeRequest is for one case of a job that charges for each order, by a replay file that
// would stand in the folder.
func chargeRequest(folder, replayFile, only string) (Request, error) {
	spec, err := jobfile.ParseReplay(filepath.Join(folder, jobfile.DefaultReplayName), []byte(replayFile))
	if err != nil {
		return Request{}, err
	}
	spec.Timeouts.Ready = max(spec.Timeouts.Ready, 5*time.Minute) // a machine that is slow is no worker that does not come
	return Request{
		Spec: spec, Table: jobfile.DefaultTable, Environ: os.Environ(), Only: []string{only},
		Job: job.Job{
			Type: "charge.create", Queue: job.SQS, Effect: job.Effect{Kind: job.Outside}, Lease: time.Minute,
			Operation: job.Operation{Key: []job.Path{job.MustParsePath("body.order_id")}}, Stale: job.Stale{Policy: job.Hold},
		},
		Rerun: plainRerun,
	}, nil
}

func plainRerun(version, name string) string { return version + "/" + name }

func planAndRun(ctx context.Context, r Request) (Outcome, error) {
	plan, err := MakePlan(r)
	if err != nil {
		return Outcome{}, err
	}
	return Run(ctx, r, plan)
}
