package jobfile

import (
	"encoding/json"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// LoadReplay reads a replay file. Errors lists the problems in its error.
func LoadReplay(path string) (*Replay, error) {
	data, err := readFile(path, "name the folder that holds it, such as examples/sqs-charge, or write one: docs/files.md lists its fields")
	if err != nil {
		return nil, err
	}
	return ParseReplay(path, data)
}

// ParseReplay reads the text of a replay file; the name is for its errors.
func ParseReplay(name string, data []byte) (*Replay, error) {
	d := newDecoder(name)
	r := &Replay{}
	d.read(data, r)
	r.Path, r.places = name, d.places
	if _, own := d.places["queue.visibility"]; !own && r.Queue.Broker == "sqs" {
		r.Queue.Visibility = 30 * time.Minute // as Celery makes its queue
	}
	if len(d.places) > 0 {
		d.checkVersion(r.Version)
		d.checkVersions(r.Versions)
		d.checkMessage(r.Message)
		d.checkCeleryOnSQS(r)
		d.checkEnvironment(r)
		d.checkServers(r)
		d.checkOutside(r.Outside)
	}
	if len(d.errs) > 0 {
		return nil, join(d.errs)
	}
	return r, nil
}

// JobFilePath is the job file as seen from the working folder.
func (r *Replay) JobFilePath() string { return r.Resolve(r.JobFile) }

// Resolve turns a path of the replay file, which starts at the file's folder,
// into one that starts at the working folder.
func (r *Replay) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(r.Path), path)
}

// check reports a problem with the field unless the condition holds or the
// field has been reported.
func (d *decoder) check(good bool, field, what, hint string) {
	if !good && !d.reported(field) {
		d.failField(field, field+" "+what, hint)
	}
}

var (
	plainName64  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	httpCall     = regexp.MustCompile(`^[A-Z]+ /\S*$`)
	hostName     = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
	callPlace    = regexp.MustCompile(`^(body|header|query)\..`)
)

// checkVersions keeps names plain, because they become names of folders and
// part of the command that reruns one case.
func (d *decoder) checkVersions(versions []CodeVersion) {
	for _, v := range versions {
		d.check(plainName64.MatchString(v.Name), under("versions", v.Name), "has a name that is not plain",
			"use up to 64 ASCII letters, digits, - and _, such as old and new")
	}
}

func (d *decoder) checkMessage(m Message) {
	d.check(m.hasKey() || d.bad["message.body"], "message", "has no "+keyMark, "write "+keyMark+" where each case puts its own operation's value")
}

// checkCeleryOnSQS refuses what the endpoint has and Celery's replay does not use.
func (d *decoder) checkCeleryOnSQS(r *Replay) {
	var call struct{ Queue string }
	_ = json.Unmarshal([]byte(r.Message.Body), &call) // what is no call is refused when it is put on
	d.check(r.Queue.Broker != "sqs" || !strings.HasSuffix(call.Queue, ".fifo"), "message.body", "names a FIFO queue, and no Celery task is replayed on one",
		"leave .fifo out here, and where the workers get the queue's name from: a standard queue delivers at least as badly")
	d.check(r.Queue.Broker == "" || r.Queue.MaxReceiveCount == 0, "queue.max_receive_count", "does not go with a broker of Celery", "leave it out")
}

func (d *decoder) checkEnvironment(r *Replay) {
	for _, e := range []struct{ field, name string }{
		{"database", r.Environment.Database}, {"queue", r.Environment.Queue}, {"broker", r.Environment.Broker},
		{"outside", r.Environment.Outside}, {"job_file", r.Environment.JobFile}, {"mail", r.Environment.Mail}, {"ca", r.Environment.CA},
	} {
		d.check(e.name == "" || variableName.MatchString(e.name), under("environment", e.field), "is no name of a variable",
			"write a name such as DATABASE_URL")
	}
	for name := range r.Set {
		d.check(variableName.MatchString(name), under("set", name), "is no name of a variable", "write a name such as AWS_REGION")
	}
}

func (d *decoder) checkServers(r *Replay) {
	kinds := []string{string(SQLite), string(Postgres), string(MySQL)}
	hint := "write sqlite, postgres or mysql (for MariaDB, too)"
	if near := nearest(string(r.Database.Kind), kinds); near != "" {
		hint = "did you mean " + near + "?"
	}
	d.check(slices.Contains(kinds, string(r.Database.Kind)), "database.kind", "is no known kind: "+strconv.Quote(string(r.Database.Kind)), hint)
	d.check(!r.Database.TLS || r.Database.Kind != SQLite, "database.tls", "does not go with sqlite, which has no wire", "leave it out")
	for i, file := range r.Database.Schema {
		d.check(file != "", "database.schema["+strconv.Itoa(i)+"]", "is empty", "name an SQL file")
	}
	for i, command := range r.Enqueue {
		d.check(strings.Contains(command, keyMark), "enqueue["+strconv.Itoa(i)+"]", "has no "+keyMark, "write "+keyMark+" where the command takes the operation's own value")
	}
	for i, host := range r.AllowHosts {
		d.check(host != "" && !strings.ContainsAny(host, "/*@ "), "allow_hosts["+strconv.Itoa(i)+"]", "is no name of a host",
			"write each host by its name, such as db.staging.example, without scheme, path or wildcard")
	}
	d.check(r.JobFile != "", "job_file", "is empty", "name the job file, or leave the line out")
	d.check(r.Queue.Visibility > 0, "queue.visibility", "must be longer than nothing", "write one such as 30s")
	d.check(r.Queue.Visibility%time.Second == 0, "queue.visibility", "is no number of whole seconds", "Amazon SQS counts whole seconds: write one such as 2s")
	d.check(slices.Contains([]string{"", "redis", "rabbitmq", "sqs"}, r.Queue.Broker), "queue.broker", "is no known broker: "+strconv.Quote(r.Queue.Broker), "write redis, rabbitmq or sqs")
	d.check(r.Queue.MaxReceiveCount >= 0, "queue.max_receive_count", "must not be negative", "write 0 for no limit")
	d.check(r.ConcurrentRuns > 0, "concurrent_runs", "must be at least 1", "leave it out for 100")
	d.check(r.Timeouts.Ready > 0, "timeouts.ready", "must be longer than nothing", "leave it out for 20s")
	d.check(r.Timeouts.Step > 0, "timeouts.step", "must be longer than nothing", "leave it out for 10s")
	d.check(r.Timeouts.Recovery > 0, "timeouts.recovery", "must be longer than nothing", "leave it out for 20s")
}

func (d *decoder) checkOutside(o OutsideService) {
	for _, c := range []struct{ field, call string }{{"act", o.Act}, {"look_up", o.LookUp}} {
		d.check(c.call == "" || httpCall.MatchString(c.call), under("outside", c.field), "is no call",
			"write a method and a path, such as POST /charges")
	}
	for i, host := range o.Hosts {
		d.check(hostName.MatchString(host) && net.ParseIP(host) == nil && host != "localhost", "outside.hosts["+strconv.Itoa(i)+"]", "is no name of an outside host",
			"write each host by its name, such as payments.example, without scheme, port, path or wildcard")
	}
	for _, p := range []struct{ field, place string }{{"operation", o.Operation}, {"reference", o.Reference}} {
		d.check(p.place == "" || callPlace.MatchString(p.place), under("outside", p.field), "is no place in a call",
			"write body.<field>, header.<name> or query.<name>")
	}
}
