package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
)

const doctorSchema = "twiceproof.doctor/1"

type doctorFlags struct {
	recordFlags
	role          string
	queueURL      string
	broker        string
	brokerQueue   string
	rabbitAPI     string
	celery        string
	python        string
	sidekiq       string
	sidekiqConfig string
	environment   string
	ruby          string
	accept        []string
}

const doctorHelp = `Look at the settings under which a job runs, and say of each that can repeat or lose an
effect what is there, why, and the mend: the live table and its database, the queue, the
workers' configuration, and the job file. Nothing is changed anywhere.

What it looks at:

  the job file       --file, or twiceproof.yaml if it is here
  the database       --dsn, or the variable DATABASE_URL: PostgreSQL, also behind a pool,
                     MySQL, MariaDB, SQLite. Best as the workers' own account
  an SQS queue       --queue-url, or QUEUE_URL
  Redis or RabbitMQ  --broker, or BROKER_URL, CELERY_BROKER_URL or REDIS_URL
  Celery             --celery, which imports your application with --python
  Sidekiq            --sidekiq, which requires your file with --ruby; --sidekiq-config

Celery's and Sidekiq's settings are what your application makes of them, so it is loaded,
as a worker would, with your own interpreter. Nothing that it prints is shown, and of what
it is set to only what the findings need.

What nobody asked for is listed as not checked, and does not change the exit status. A
finding that you know and live with is accepted by --accept: it is still shown.

All findings: docs/doctor.md.

Exit status: 0 nothing, or only notes; 1 something can repeat, lose or block; 2 usage or
environment, such as a server that cannot be reached, or does not answer; 3 nothing was
found, but something that matters could not be checked; 130 interrupted.`

func doctorCommand(std stdio) *cobra.Command {
	f := doctorFlags{recordFlags: recordFlags{std: std}}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for settings that repeat or lose",
		Long:  doctorHelp,
		Example: `  twiceproof doctor --dsn postgres://worker@db/shop --queue-url https://sqs.…/charges
  twiceproof doctor --broker redis://localhost/0 --celery billing.app --python .venv/bin/python
  twiceproof doctor --sidekiq config/environment.rb --sidekiq-config config/sidekiq.yml`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	f.define(cmd, doctorSchema)
	set := cmd.Flags()
	set.StringVar(&f.role, "role", "", "PostgreSQL: what this `account` may do, instead of the one of the address")
	set.StringVar(&f.queueURL, "queue-url", "", "the SQS queue's `URL` (default: the variable QUEUE_URL)")
	set.StringVar(&f.broker, "broker", "", "the `address` of Redis or RabbitMQ, as redis://… or amqp://… (default: BROKER_URL, CELERY_BROKER_URL or REDIS_URL)")
	set.StringVar(&f.brokerQueue, "broker-queue", "celery", "RabbitMQ: the `name` of the queue")
	set.StringVar(&f.rabbitAPI, "rabbitmq-api", "", "RabbitMQ: the `address` of its management plugin, as http://user:password@host:15672, for what policies do")
	set.StringVar(&f.celery, "celery", "", "the Celery `application`, as in celery -A: a module, or module:name")
	set.StringVar(&f.python, "python", "python3", "the `interpreter` that can import it")
	set.StringVar(&f.sidekiq, "sidekiq", "", "the Ruby `file` to require, as in sidekiq -r")
	set.StringVar(&f.sidekiqConfig, "sidekiq-config", "", "Sidekiq's `file` of settings (default: config/sidekiq.yml, if --sidekiq is given and it is here)")
	set.StringVar(&f.environment, "environment", "production", "the `name` of the environment whose part of --sidekiq-config counts")
	set.StringVar(&f.ruby, "ruby", "ruby", "the `interpreter` that can require it")
	set.StringSliceVar(&f.accept, "accept", nil, "a finding's `id` that does not count; several with commas")
	return cmd
}

// check refuses what would be passed over.
func (f doctorFlags) check(fs *pflag.FlagSet) error {
	err := cmp.Or(excludeEachOther(fs, "table", "file"), needsOne(fs, "python", "celery"), needsOne(fs, "ruby", "sidekiq"), needsOne(fs, "environment", "sidekiq-config", "sidekiq"))
	if err != nil {
		return err
	}
	dsn, broker := f.addresses()
	database, _ := addressOf(dsn)
	for _, c := range []struct {
		flag, of string
		is       bool
	}{
		{"table", "a database, which --dsn or DATABASE_URL names", dsn != ""},
		{"role", "PostgreSQL, and --dsn or DATABASE_URL names none", database == "postgres"},
		{"broker-queue", "RabbitMQ, and --broker or BROKER_URL names none", isRabbit(broker)},
		{"rabbitmq-api", "RabbitMQ, and --broker or BROKER_URL names none", isRabbit(broker)},
	} {
		if isGiven(fs, c.flag) && !c.is {
			return &hinted.Error{What: "--" + c.flag + " is of " + c.of, Hint: "name it, or leave --" + c.flag + " out"}
		}
	}
	return nil
}

// addresses are those of the database and the broker.
func (f doctorFlags) addresses() (dsn, broker string) {
	broker = f.broker
	for _, name := range []string{"BROKER_URL", "CELERY_BROKER_URL", "REDIS_URL"} {
		broker = orVariable(broker, name)
	}
	return orVariable(f.dsn, "DATABASE_URL"), broker
}

func (f doctorFlags) run(ctx context.Context) error {
	if unknown := (doctor.Report{}).Accept(f.accept); len(unknown) > 0 {
		return &hinted.Error{What: fmt.Sprintf("--accept: there is no finding %q", unknown[0]), Hint: "the findings are in docs/doctor.md; their names are such as postgres.async_standby"}
	}
	t := recordTable{name: f.table}
	if f.table == "" {
		t.name = "idempotency_records"
		if err := t.load(f.file); err != nil {
			return err
		}
	}
	jobs, err := f.jobs(&t)
	if err != nil {
		return err
	}
	facts := doctor.Facts{Jobs: jobs}
	looked, gaps, err := f.read(ctx, &facts, t.name)
	if err != nil {
		return err
	}
	if len(looked) == 0 && t.file == nil {
		return &hinted.Error{What: "there is nothing to look at", Hint: "name a database, a queue, an application or a job file; see twiceproof doctor --help"}
	}
	report := doctor.Examine(facts)
	report.Accept(f.accept)
	if t.file != nil {
		looked = slices.Insert(looked, 0, lookedAt{"job", "the job file " + t.file.Path})
	} else {
		gaps = append(gaps, doctor.Gap{ID: "job", Reason: "there is no job file, so nothing was compared with a lease, a policy or a retention; --file names one"})
	}
	report.Gaps = append(report.Gaps, gaps...)
	return f.tell(report, looked, jobs, t.name)
}

// jobs are those of the job file, or the one that was named.
func (f doctorFlags) jobs(t *recordTable) ([]job.Job, error) {
	switch {
	case t.file == nil && f.job != "":
		return nil, &hinted.Error{What: "there is no job file, so no job can be named", Hint: "name the job file with --file, or leave --job out"}
	case t.file == nil:
		return nil, nil
	case f.job == "":
		return t.file.Jobs, nil
	}
	one, err := t.file.Job(f.job)
	return []job.Job{one}, err
}

// named are the messages of the jobs on a queue system.
func named(jobs []job.Job, queue job.Queue) (names []string) {
	for _, j := range jobs {
		if j.Queue == queue && j.Message != "" && !strings.HasPrefix(j.Message, "-") {
			names = append(names, j.Message)
		}
	}
	return names
}
