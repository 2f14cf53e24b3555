package jobfile

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// fileYAML is twiceproof.yaml as it is written; the JSON Schema follows it.
type fileYAML struct {
	Version int       `yaml:"version"`
	Table   string    `yaml:"table"`
	Jobs    []jobYAML `yaml:"jobs" need:"name each job by what it does, such as charge.create, under jobs"`
}

func (f *fileYAML) setDefaults() { f.Table = DefaultTable }

type jobYAML struct {
	Type         string         `yaml:",name"`
	Queue        job.Queue      `yaml:"queue"`
	Message      string         `yaml:"message"`
	Operation    operationYAML  `yaml:"operation"`
	Effect       effectYAML     `yaml:"effect"`
	LongestRun   time.Duration  `yaml:"longest_run"`
	Lease        time.Duration  `yaml:"lease"`
	StaleClaim   staleClaimYAML `yaml:"stale_claim"`
	StoreMessage bool           `yaml:"store_message"`
	Retention    time.Duration  `yaml:"retention"`
}

func (j *jobYAML) setDefaults() { j.StoreMessage = true }

type operationYAML struct {
	Key         []job.Path `yaml:"key"`
	Repeat      string     `yaml:"repeat"`
	Fingerprint []job.Path `yaml:"fingerprint"`
}

type effectYAML struct {
	Kind job.EffectKind `yaml:"kind"`
	What string         `yaml:"what"`
}

type staleClaimYAML struct {
	Policy          job.Policy    `yaml:"policy"`
	Settle          time.Duration `yaml:"settle"`
	ReferenceWindow time.Duration `yaml:"reference_window"`
	MaxTakeovers    int           `yaml:"max_takeovers"`
	MaxLookups      int           `yaml:"max_lookups"`
}

func (j jobYAML) job() job.Job {
	return job.Job{
		Type:         j.Type,
		Queue:        j.Queue,
		Message:      j.Message,
		Operation:    job.Operation(j.Operation),
		Effect:       job.Effect(j.Effect),
		LongestRun:   j.LongestRun,
		Lease:        j.Lease,
		Stale:        job.Stale(j.StaleClaim),
		StoreMessage: j.StoreMessage,
		Retention:    j.Retention,
	}
}
