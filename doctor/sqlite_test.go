package doctor_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readdb"
)

// sqliteCase is a database file with the table.
type sqliteCase struct {
	t           *testing.T
	path, query string // the query of the workers' address
}

func newSQLite(t *testing.T) *sqliteCase {
	c := &sqliteCase{t: t, path: filepath.Join(t.TempDir(), "records.db")}
	c.exec("PRAGMA journal_mode = WAL; " + schema(t, "sqlite"))
	return c
}

func (c *sqliteCase) exec(statements string) {
	c.t.Helper()
	db, err := sql.Open("sqlite", "file:"+c.path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctxFor(c.t), statements); err != nil {
		c.t.Fatalf("%s: %v", statements, err)
	}
}

func (c *sqliteCase) examine() doctor.Report {
	c.t.Helper()
	s, table, err := readdb.SQLite(ctxFor(c.t), c.path, "sqlite://"+c.path+c.query, "idempotency_records")
	if err != nil {
		c.t.Fatal(err)
	}
	return doctor.Examine(doctor.Facts{SQLite: s, Table: table})
}

// A table of SQLite is made anew to be changed.
func TestSQLiteTable(t *testing.T) {
	text := schema(t, "sqlite")
	const drop = "DROP TABLE IF EXISTS idempotency_records; "
	for i, c := range []struct{ id, from, to, more string }{
		{"table.column_missing", "  requeued_at        INTEGER,\n", "", ""},
		{"table.column_type", "message            BLOB", "message            TEXT", ""},
		{"table.column_nullable", "claimed_at         INTEGER NOT NULL,\n", "claimed_at         INTEGER,\n", ""},
		{"table.column_default", "acts               INTEGER NOT NULL DEFAULT 1", "acts               INTEGER NOT NULL DEFAULT 0", ""},
		{"table.extra_column", "  last_repeat_at     INTEGER,\n", "  last_repeat_at     INTEGER, tenant TEXT NOT NULL,\n", ""},
		{"table.check_missing", " CHECK (lease_ms >= 0)", "", ""},
		{"table.trigger", "", "", "CREATE TRIGGER skip BEFORE INSERT ON idempotency_records BEGIN SELECT RAISE(IGNORE); END"},
		{"table.kind", "CREATE TABLE idempotency_records", "CREATE TABLE other", "CREATE VIEW idempotency_records AS SELECT * FROM other"},
		{
			"records.held_unattended", "", "",
			`INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, held_at, hold_reason)
			 VALUES ('j', 'k', 'held', '0123456789abcdef0123456789abcdef', 0, 1, 0, 0, 'max_acts')`,
		},
		{"key.missing", "  PRIMARY KEY (job_type, operation_key),\n", "  id INTEGER PRIMARY KEY,\n", ""},
		{"key.wider", "PRIMARY KEY (job_type, operation_key)", "PRIMARY KEY (job_type, operation_key, acts)", ""},
		{"key.partial", "  PRIMARY KEY (job_type, operation_key),\n", "  id INTEGER PRIMARY KEY,\n", "CREATE UNIQUE INDEX u ON idempotency_records (job_type, operation_key) WHERE acts > 0"},
		{"key.expression", "  PRIMARY KEY (job_type, operation_key),\n", "  id INTEGER PRIMARY KEY,\n", "CREATE UNIQUE INDEX u ON idempotency_records (job_type, lower(operation_key))"},
		{"key.second", "", "", "CREATE UNIQUE INDEX u ON idempotency_records (reference)"},
		{"key.nullable", "operation_key      TEXT    NOT NULL", "operation_key      TEXT   ", ""},
		{"key.type", "operation_key      TEXT    NOT NULL", "operation_key      BLOB    NOT NULL", ""},
		{"key.collation", "operation_key      TEXT    NOT NULL COLLATE BINARY", "operation_key      TEXT    NOT NULL COLLATE NOCASE", ""},
		{"key.collation", "job_type           TEXT    NOT NULL COLLATE BINARY", "job_type           TEXT    NOT NULL COLLATE RTRIM", ""},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			if !strings.Contains(text, c.from) {
				t.Fatalf("the schema has no %q", c.from)
			}
			changed := strings.Replace(text, c.from, c.to, 1)
			if c.id == "key.nullable" || strings.Contains(c.to, "id INTEGER") || c.id == "key.missing" {
				changed = strings.Replace(changed, " WITHOUT ROWID", "", 1) // which alone makes a primary key NOT NULL
			}
			s := newSQLite(t)
			undo := drop
			if c.id == "table.kind" {
				undo = "DROP VIEW idempotency_records; "
			}
			comesAndGoes(t, c.id, s.examine, func() { s.exec(drop + changed + c.more) }, func() { s.exec(undo + text) })
		})
	}
	t.Run("table.missing", func(t *testing.T) {
		s := newSQLite(t)
		comesAndGoes(t, "table.missing", s.examine, func() { s.exec(drop) }, func() { s.exec(text) })
	})
}

func TestSQLiteAddress(t *testing.T) {
	for i, c := range []struct{ id, query string }{
		{"sqlite.synchronous", "?_pragma=synchronous(OFF)"},
		{"sqlite.synchronous", "?_pragma=synchronous(1)"},
		{"sqlite.synchronous", "?_synchronous=NORMAL"},
		{"sqlite.synchronous", "?_pragma=busy_timeout(5000)&_pragma=synchronous%3Dnormal"},
		{"sqlite.journal_off", "?_pragma=journal_mode(MEMORY)"},
		{"sqlite.journal_off", "?_journal_mode=off"},
		{"sqlite.busy_timeout", "?_pragma=busy_timeout(0)"},
		{"sqlite.busy_timeout", "?_timeout=100"},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			s := newSQLite(t)
			comesAndGoes(t, c.id, s.examine, func() { s.query = c.query }, func() { s.query = "?_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&_pragma=journal_mode(wal)" })
		})
	}
	t.Run("sqlite.journal_mode", func(t *testing.T) {
		s := newSQLite(t)
		comesAndGoes(t, "sqlite.journal_mode", s.examine, func() { s.exec("PRAGMA journal_mode = DELETE") }, func() { s.exec("PRAGMA journal_mode = WAL") })
	})
}

const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 259:1 / / rw,noatime shared:1 - ext4 /dev/root rw
41 27 0:40 / /mnt/nfs rw,relatime shared:22 - nfs4 filer:/export rw,vers=4.2
42 27 0:41 / /mnt/windows\040share rw,relatime - cifs //filer/share rw
43 27 0:42 / /mnt/ssh rw,nosuid,nodev - fuse.sshfs ann@host: rw,user_id=0
44 27 8:17 / /mnt/ntfs rw,relatime - fuseblk /dev/sdb1 rw
45 27 0:43 / /mnt/host rw,relatime - 9p hostshare rw,trans=virtio
46 27 0:44 / /mnt/vm rw,relatime - virtiofs shared rw
47 27 0:45 / /mnt/lustre rw - lustre mgs@tcp:/fs rw
48 41 259:2 / /mnt/nfs/local rw,relatime - xfs /dev/sdc1 rw
49 27 259:3 / /mnt/over rw,relatime - ext4 /dev/sdd1 rw
50 49 0:46 / /mnt/over rw,relatime - nfs filer:/over rw
51 27 0:47 / /var/lib/docker/overlay2/x/merged rw,relatime - overlay overlay rw,lowerdir=/l
no mount at all
`

// What a file system is, is told from the list of mounts, or where that is not there
// from statfs. Stored samples: nothing is mounted.
func TestSQLiteOnNetwork(t *testing.T) {
	for file, want := range map[string]string{
		"/srv/records.db": "", "/mnt/nfs/records.db": "nfs4", "/mnt/nfsx/records.db": "", "/mnt/windows share/a/records.db": "cifs",
		"/mnt/ssh/records.db": "fuse.sshfs", "/mnt/ntfs/records.db": "", "/mnt/host/r.db": "9p", "/mnt/vm/r.db": "virtiofs", "/mnt/lustre/r.db": "lustre",
		"/mnt/nfs/local/r.db": "", "/mnt/over/r.db": "nfs", "/var/lib/docker/overlay2/x/merged/r.db": "",
	} {
		name, shared := doctor.Shared(doctor.FileSystem{Type: doctor.MountType(mountinfo, file), Magic: 0xEF53})
		if name != want || shared != (want != "") {
			t.Errorf("%s: %q %v, want %q", file, name, shared, want)
		}
	}
	for magic, want := range map[int64]string{0xEF53: "", 0x58465342: "", 0x9123683E: "", 0x794C7630: "", 0x01021994: "", 0x6969: "NFS", 0xFF534D42 - 1<<32: "CIFS", 0xFE534D42: "SMB", 0x65735546: "FUSE", 0x01021997: "9p", 0x0BD00BD0: "Lustre"} {
		if name, shared := doctor.Shared(doctor.FileSystem{Magic: magic}); name != want || shared != (want != "") {
			t.Errorf("%#x: %q %v, want %q", magic, name, shared, want)
		}
	}
	s := newSQLite(t)
	read, table, err := readdb.SQLite(ctxFor(t), s.path, "", "idempotency_records")
	if err != nil || read.Place.Magic == 0 || read.Place.Type == "" {
		t.Fatalf("%+v, %v", read, err)
	}
	here := read.Place
	comesAndGoes(t, "sqlite.network", func() doctor.Report {
		return doctor.Examine(doctor.Facts{SQLite: read, Table: table})
	}, func() { read.Place = doctor.FileSystem{Type: "nfs4"} }, func() { read.Place = here })
}
