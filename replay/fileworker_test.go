package replay

import (
	"database/sql"
	"encoding/json"
	"os"
	"strings"
	"time"
)

// fileWorker makes a row for each order in SQLite: right in one transaction, or wrong,
// with "done" marked in another one.
func fileWorker(mode, journal string) {
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(os.Getenv("DATABASE_URL"), "sqlite://")+"?_pragma=busy_timeout(5000)&_pragma=journal_mode("+journal+")")
	if err != nil {
		panic(err)
	}
	for {
		for _, m := range call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20, "AttributeNames": []string{"ApproximateReceiveCount"}}) {
			m := m.(map[string]any)
			var body struct {
				ID string `json:"order_id"`
			}
			if err := json.Unmarshal([]byte(m["Body"].(string)), &body); err != nil {
				panic(err)
			}
			again := m["Attributes"].(map[string]any)["ApproximateReceiveCount"] != "1"
			makeRow(db, mode, body.ID, again)
			call("DeleteMessage", map[string]any{"ReceiptHandle": m["ReceiptHandle"]})
		}
	}
}

const insertRow = "INSERT INTO charges SELECT ? WHERE NOT EXISTS (SELECT 1 FROM done WHERE id = ?); "

func makeRow(db *sql.DB, mode, id string, again bool) {
	const mark = "INSERT OR IGNORE INTO done VALUES (?); "
	if mode == "apart when it comes again" {
		mode = map[bool]string{false: "together", true: "apart"}[again]
	}
	switch mode {
	case "together":
		must(db.Exec("BEGIN IMMEDIATE; "+insertRow+mark+"COMMIT", id, id, id))
	case "apart":
		must(db.Exec(insertRow, id, id))
		must(db.Exec(mark, id))
	case "now and then": // what is recorded does not come again
		must(db.Exec("BEGIN IMMEDIATE; "+insertRow+mark+"COMMIT", id, id, id))
		must(db.Exec("INSERT INTO done SELECT 'x' || count(*) FROM charges HAVING count(*) < 4"))
		must(db.Exec("INSERT INTO done SELECT 'y' || count(*) FROM charges HAVING count(*) < 4"))
	case "beside it, later": // and in the recorded runs before the acknowledgement
		must(db.Exec("BEGIN IMMEDIATE; "+insertRow+mark+"COMMIT", id, id, id))
		var rows int
		if err := db.QueryRow("SELECT count(*) FROM charges").Scan(&rows); err != nil {
			panic(err)
		}
		count := func() { must(db.Exec("INSERT INTO done SELECT 'n' || count(*) FROM done")) }
		if rows < 4 {
			count()
			return
		}
		time.AfterFunc(300*time.Millisecond, count)
	}
}

func must(_ sql.Result, err error) {
	if err != nil {
		panic(err)
	}
}
