package jobfile

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

const (
	// DefaultName is what the job file is called.
	DefaultName = "twiceproof.yaml"
	// DefaultTable is the table of idempotency records of a file that names none.
	DefaultTable = "idempotency_records"

	currentVersion = 1
)

// File is a job file that has been read and found sound.
type File struct {
	Path  string
	Table string
	Jobs  []job.Job // in the order of the file
}

// Load reads a job file. Errors lists the problems in its error.
func Load(path string) (*File, error) {
	data, err := readFile(path, "name the folder that holds it, or write one: the README shows a small one")
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a job file; the name is for its errors.
func Parse(name string, data []byte) (*File, error) {
	d := newDecoder(name)
	var written fileYAML
	d.read(data, &written)
	file := &File{Path: name, Table: written.Table}
	if len(d.places) > 0 {
		d.checkVersion(written.Version)
		d.checkTable(written.Table)
		for _, j := range written.Jobs {
			d.checkJob(j.job())
			file.Jobs = append(file.Jobs, j.job())
		}
	}
	if len(d.errs) > 0 {
		return nil, join(d.errs)
	}
	return file, nil
}

func (d *decoder) checkVersion(version int) {
	switch {
	case d.bad["version"] || version == currentVersion:
	case version == 0 && d.places["version"] == position{}:
		d.failField("version", "version is missing", "start with version: 1")
	default:
		d.failField("version", "version "+strconv.Itoa(version)+" is not known", "this twiceproof reads version: 1")
	}
}

var plainIdentifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

func (d *decoder) checkTable(table string) {
	if !d.bad["table"] && !plainIdentifier.MatchString(table) {
		d.failField("table", "table is no plain name: "+strconv.Quote(table),
			"write up to 63 ASCII letters, digits and _, not starting with a digit, such as idempotency_records")
	}
}

// checkJob reports what is wrong with a job, except in fields that have been
// reported: a lease that could not be read is not also too short.
func (d *decoder) checkJob(j job.Job) {
	var problems job.Problems
	if !errors.As(j.Validate(), &problems) {
		return
	}
	base := under("jobs", j.Type)
	for _, p := range problems {
		field := base
		if p.Field != "" {
			field = under(base, p.Field)
		}
		if !d.reported(field) {
			d.failField(field, field+": "+p.What, p.Hint)
		}
	}
}

// reported tells whether the field, or one around it, has been reported.
func (d *decoder) reported(field string) bool {
	for ; field != ""; field = around(field) {
		if d.bad[field] {
			return true
		}
	}
	return false
}

// reportedIn: something in the field was reported, so that it is not empty, but wrong.
func (d *decoder) reportedIn(field string) bool {
	for bad := range d.bad {
		if strings.HasPrefix(bad, field+".") {
			return true
		}
	}
	return false
}

// Job gives one job of the file. An empty type means the only one.
func (f *File) Job(jobType string) (job.Job, error) {
	types := make([]string, len(f.Jobs))
	for i, j := range f.Jobs {
		if types[i] = j.Type; j.Type == jobType || jobType == "" && len(f.Jobs) == 1 {
			return j, nil
		}
	}
	hint := "it has " + strings.Join(types, ", ")
	if jobType == "" {
		return job.Job{}, &Error{File: f.Path, What: "has several jobs and none is named", Hint: hint}
	}
	if near := nearest(jobType, types); near != "" {
		hint = "did you mean " + near + "?"
	}
	return job.Job{}, &Error{File: f.Path, What: "has no job " + strconv.Quote(jobType), Hint: hint}
}
