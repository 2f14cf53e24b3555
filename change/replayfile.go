package change

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

// replayFilling is what the replay file's template may name.
type replayFilling struct {
	Job, Queue, Dialect  string
	OwnRow, Parts        bool // the key has several
	Policy               string
	Body                 string
	Attributes           map[string]string
	Old, New             command
	Program              string // what FILL_IN stands for in the two commands
	Commit               string
	Broker               string
	Mark, Backfill, Dump string
}

// replayFile has all that a replay needs of this queue and framework, and FILL_IN where
// nobody but the application's owner knows it.
func replayFile(r Request) (File, error) {
	body, attributes, err := messageOf(r.Job)
	if err != nil {
		return File{}, err
	}
	f := replayFilling{
		Job: r.Job.Type, Queue: string(r.Job.Queue), Dialect: r.Dialect, OwnRow: r.Job.Effect.Kind == job.OwnRow, Policy: string(r.Job.Stale.Policy), Parts: len(r.Job.Operation.Key) > 1,
		Body: body, Attributes: attributes, Old: oldCode(r), New: commandIn(r, ""), Backfill: backfillForReplay(r).Path, Commit: r.Commit,
		Broker: map[job.Queue]string{job.SQS: "AWS_ENDPOINT_URL_SQS", job.Sidekiq: "REDIS_URL", job.Celery: "CELERY_BROKER_URL"}[r.Job.Queue],
		Mark:   map[string]string{"postgres": "$1", "mysql": "CAST(? AS BINARY)", "sqlite": "$1"}[r.Dialect],
		Dump:   fmt.Sprintf(dumps[r.Dialect], r.Table),
	}
	if strings.Contains(f.New.Build+f.New.Run, unfilled) {
		f.Program = programs[languageOf(r)][r.Job.Queue]
	}
	return File{r.replayFile(), fill("replay.yaml.tmpl", f), "how the old and the new code are run for the proof; fill in each " + unfilled}, nil
}

// dumps print the application's tables as the replay's database takes them: psql's own
// commands and our table are left out.
var dumps = map[string]string{
	"postgres": `pg_dump --schema-only --no-owner --exclude-table=%s shop | grep -v '^\\'`,
	"mysql":    `mysqldump --no-data --ignore-table=shop.%s shop`,
	"sqlite":   `sqlite3 shop.db "SELECT sql || ';' FROM sqlite_master WHERE tbl_name <> '%s' AND name NOT LIKE 'sqlite_%%'"`,
}
