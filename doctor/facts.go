package doctor

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Facts is what was read; nil is what nobody asked for.
type Facts struct {
	Jobs     []job.Job
	Table    *Table
	Postgres *Postgres
	MySQL    *MySQL
	SQLite   *SQLite
	SQS      *SQS
	Redis    *Redis
	RabbitMQ *RabbitMQ
	Celery   *Celery
	Sidekiq  *Sidekiq
}

// Missing are the finding's names that could not be read, each with the reason.
type Missing map[string]string

// Table is the live table.
type Table struct {
	Dialect     string // postgres, mysql, sqlite
	Name        string
	Exists      bool
	Kind        string // "table", "partitioned table", "view" …
	Temporary   bool   // or unlogged
	Engine      string // of MySQL
	Columns     []Column
	Indexes     []Index
	Checks      []string // what they say
	Triggers    []string // names, with rules
	Children    int      // that inherit from it
	RowSecurity bool     // applies to this account
	Account     string
	Lacks       []string // privileges
	HeldLong    int      // held for more than a week
	Missing     Missing
}

// Column is a column of the live table.
type Column struct {
	Name     string
	Type     string
	NotNull  bool
	Default  *string
	Made     bool // by the database: identity, generated
	Alike    bool // its collation takes different texts for one
	Language bool // its collation sorts by a language's rules
}

// Index is an index of the live table.
type Index struct {
	Name                                 string
	Unique, Invalid, Partial, Deferrable bool
	Keys                                 []IndexKey
}

// IndexKey is one column of it.
type IndexKey struct {
	Column string // empty: an expression
	Part   bool   // a prefix of the column
	Alike  bool   // its collation takes different texts for one
}

// Postgres is a server and what is in between.
type Postgres struct {
	Version      string
	Settings     map[string]string // as a new connection gets them
	Standby      bool
	Standbys     []string // names of the asynchronous ones
	Synchronous  bool     // there is a synchronous one, or one is asked for
	Pooled       bool     // another process answers than the one that was greeted
	Pool         string   // "", "session", "transaction", "statement"
	Missing      Missing
	DatabaseName string
}

// MySQL is a server.
type MySQL struct {
	Version   string
	Variables map[string]string // as a new connection gets them
	Replica   bool
	Replicas  int // connected ones
	Missing   Missing
}

// SQLite is a database file.
type SQLite struct {
	Version string
	Journal string            // as it is in the file
	Pragmas map[string]string // that the address names
	Place   FileSystem
	Missing Missing
}

// FileSystem is where a file lies.
type FileSystem struct {
	Magic int64  // of statfs; 0: not known
	Type  string // of the mount, such as ext4; empty: not known
}

// SQS is a queue.
type SQS struct {
	Name         string
	FIFO         bool
	ContentDedup bool
	Visibility   time.Duration
	Retention    time.Duration
	Delay        time.Duration
	MaxReceives  int // 0: none
	DeadLetters  *SQS
	Missing      Missing
}

// Redis is a server.
type Redis struct {
	Version     string
	Replica     bool
	Replicas    int
	MinReplicas int
	Policy      string
	AppendOnly  bool
	Fsync       string
	Save        string
	OldestTaken time.Duration // Celery's oldest delivery that is not acknowledged
	Missing     Missing
}

// RabbitMQ is a queue.
type RabbitMQ struct {
	Version    string
	Queue      string
	Durable    bool
	AutoDelete bool
	Arguments  map[string]string // what it was declared with
	Policy     map[string]string // what a policy adds; nil: not known
	Missing    Missing
}

// Celery is an application's configuration.
type Celery struct {
	Version  string                `json:"version"`
	Broker   string                `json:"broker"` // the scheme alone
	Settings map[string]any        `json:"settings"`
	Options  map[string]any        `json:"options"` // of the transport
	Tasks    map[string]CeleryTask `json:"tasks"`   // by name; absent: not registered
}

// CeleryTask is what counts for one task. Times are in seconds; nil: none.
type CeleryTask struct {
	AcksLate   bool     `json:"acks_late"`
	WorkerLost bool     `json:"worker_lost"` // a delivery whose child was killed comes back
	AcksLimit  bool     `json:"acks_on_timeout"`
	TimeLimit  *float64 `json:"time_limit"`
	SoftLimit  *float64 `json:"soft_time_limit"`
	Expires    *float64 `json:"expires"`
}

// Sidekiq is a process's configuration.
type Sidekiq struct {
	Version string                   `json:"version"`
	Fetch   string                   `json:"fetch"` // a class; empty: not asked for
	Workers map[string]SidekiqWorker `json:"workers"`
	DeadFor float64                  `json:"dead_timeout_in_seconds"`
	Timeout time.Duration            `json:"-"` // of sidekiq.yml
	Queues  []string                 `json:"-"`
	Missing Missing                  `json:"-"`
}

// SidekiqWorker is what counts for one class.
type SidekiqWorker struct {
	Retry  int    `json:"retry"` // how often at most; 0: never
	Queue  string `json:"queue"`
	Dead   bool   `json:"dead"`
	Unique string `json:"unique"` // what the lock is called; empty: none
}
