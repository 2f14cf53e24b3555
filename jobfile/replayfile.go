package jobfile

import "time"

// DefaultReplayName is what the replay file is called.
const DefaultReplayName = "twiceproof.replay.yaml"

// Replay is a replay file: how to run one job's code versions on staging or in
// the lab, and where their effects are seen. Paths in it start at its folder.
type Replay struct {
	Path string `yaml:"-"`

	Version int `yaml:"version"`
	// Job is a job type of the job file; empty means the only one.
	Job     string `yaml:"job"`
	JobFile string `yaml:"job_file"`
	// Versions are the code versions, run in this order.
	Versions    []CodeVersion `yaml:"versions" need:"name each version of the code under versions, such as old and new, with its run command"`
	Message     Message       `yaml:"message" need:"write the message's body with {{key}} where the operation's own value goes"`
	Environment Environment   `yaml:"environment"`
	// Set holds further variables for the workers, as they are.
	Set      map[string]string `yaml:"set"`
	Database Database          `yaml:"database"`
	Queue    ReplayQueue       `yaml:"queue"`
	Outside  OutsideService    `yaml:"outside"`
	// Effects says where the effect of an own row is seen.
	Effects Effects `yaml:"effects"`
	// Backfill is an SQL file that marks what the old code has finished as done; in
	// it {{key}} is the operation key.
	Backfill string `yaml:"backfill"`
	// Sweep is the command that the application runs from time to time to act on
	// stale claims whose message is gone.
	Sweep string `yaml:"sweep"`
	// Enqueue holds the commands by which the application itself puts the job of one
	// business event on the queue; {{key}} is the operation's own value.
	Enqueue []string `yaml:"enqueue"`
	// AllowHosts are the hosts besides loopback that a replay may write to.
	AllowHosts []string `yaml:"allow_hosts"`
	// ConcurrentRuns is how many overlapping runs the case concurrent needs.
	ConcurrentRuns int      `yaml:"concurrent_runs"`
	Timeouts       Timeouts `yaml:"timeouts"`

	places map[string]position // for problems found later; see JobOf
}

// CodeVersion is one version of the job's code.
type CodeVersion struct {
	Name string `yaml:",name"`
	// Build and Run are shell commands; {out} is a folder of this replay.
	Build string `yaml:"build"`
	Run   string `yaml:"run" need:"write the command that starts the worker"`
	// Guarded says that the version writes idempotency records; other code is
	// judged by its effects alone.
	Guarded bool `yaml:"guarded"`
}

// Message is the template of a message; see Fill.
type Message struct {
	Body       string            `yaml:"body" need:"write the message's body with {{key}} where the operation's own value goes"`
	Attributes map[string]string `yaml:"attributes"`
}

// Environment names the variable that carries each address to the workers. An
// empty name means that the workers are not told. Broker's default depends on the job's
// queue, so JobOf sets it.
type Environment struct {
	Database string `yaml:"database"`
	Queue    string `yaml:"queue"`
	Broker   string `yaml:"broker"`
	Outside  string `yaml:"outside"`
	JobFile  string `yaml:"job_file"`
	Mail     string `yaml:"mail"`
	// CA is the variable for the file with the authority that the workers are to trust,
	// beside those that clients read by themselves.
	CA string `yaml:"ca"`
}

// Database is the application's database.
type Database struct {
	Kind DatabaseKind `yaml:"kind"`
	// Schema lists the SQL files that make a throw-away database's tables.
	Schema []string `yaml:"schema"`
	// TLS is for workers that insist on it; others are to have it off.
	TLS bool `yaml:"tls"`
	// URL is a staging database. Empty means a throw-away one. It may hold a
	// password: keep it out of reports.
	URL string `yaml:"url"`
}

// DatabaseKind is a database that a replay can use.
type DatabaseKind string

// The kinds of database.
const (
	SQLite   DatabaseKind = "sqlite"
	Postgres DatabaseKind = "postgres"
	MySQL    DatabaseKind = "mysql" // MariaDB, too
)

// ReplayQueue is the queue that the workers read.
type ReplayQueue struct {
	// Broker is what Celery's messages are on: redis, rabbitmq or sqs; empty means redis.
	Broker string `yaml:"broker"`
	// TLS is for workers that insist on it: the broker's address says so.
	TLS        bool          `yaml:"tls"`
	Visibility time.Duration `yaml:"visibility"`
	// MaxReceiveCount is when the queue gives a message up; 0 means never.
	MaxReceiveCount int `yaml:"max_receive_count"`
	// URL is a staging queue. Empty means a throw-away one.
	URL string `yaml:"url"`
}

// OutsideService says how the job's call looks to the outside service.
type OutsideService struct {
	// Act is the call that makes the effect, such as POST /charges.
	Act string `yaml:"act"`
	// Operation is where the call names the operation: body.<field>,
	// header.<name> or query.<name>.
	Operation string `yaml:"operation"`
	// Reference is where the call carries its reference, in the same form.
	Reference string `yaml:"reference"`
	// LookUp is the call that looks an effect up, such as
	// GET /charges/{reference}.
	LookUp string `yaml:"look_up"`
	// Remembers says that the service knows a reference again: a second call with
	// it has no second effect.
	Remembers bool `yaml:"remembers"`
	// Hosts are those that the stand-in stands for: a worker that calls one of them, by
	// https or by http, reaches it.
	Hosts []string `yaml:"hosts"`
	// Mail is there when the effect is a mail and not a call.
	Mail Mail `yaml:"mail"`
}

// Mail says where a mail names what it is about: header.<name>, subject,
// message_id, to, from or body.
type Mail struct {
	Operation string `yaml:"operation"`
	// Pattern is a regular expression whose group picks the operation out of its
	// place; empty means all of it. The body needs one.
	Pattern string `yaml:"pattern"`
}

// Effects says how an effect that is a row is counted and recognised.
type Effects struct {
	// Count is a query that counts the rows of one operation, whose value it takes
	// as $1 (in MySQL also as ?).
	Count string `yaml:"count"`
	// Statement is a part of the statement that makes the row, such as INSERT INTO
	// charges.
	Statement string `yaml:"statement"`
}

// Timeouts end a case that makes no progress; it is then unknown, never ok.
type Timeouts struct {
	Ready    time.Duration `yaml:"ready"`
	Step     time.Duration `yaml:"step"`
	Recovery time.Duration `yaml:"recovery"`
}

func (r *Replay) setDefaults() {
	r.JobFile = DefaultName
	r.Environment.setDefaults()
	r.Database.setDefaults()
	r.Queue.setDefaults()
	r.ConcurrentRuns = 100
	r.Timeouts.setDefaults()
}

func (e *Environment) setDefaults() {
	*e = Environment{Database: "DATABASE_URL", Queue: "QUEUE_URL", Outside: "CHARGE_URL", JobFile: "TWICEPROOF_FILE", Mail: "SMTP_ADDR"}
}

func (d *Database) setDefaults() { d.Kind = SQLite }

func (q *ReplayQueue) setDefaults() { q.Visibility = 30 * time.Second }

func (t *Timeouts) setDefaults() {
	*t = Timeouts{Ready: 20 * time.Second, Step: 10 * time.Second, Recovery: 20 * time.Second}
}
