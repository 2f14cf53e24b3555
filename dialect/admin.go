package dialect

// Admin are the statements for the person who looks after the records.
type Admin struct {
	NextJob     string // the next job type
	Record      string // one record, as it is shown
	PageEnd     string // how far a page goes
	Held        string // the held ones of a page
	HeldMessage string // the stored message of one of these
	Status      string // one page, counted
	Resolve     string // a held operation is done with
	RunAgain    string // a held operation is to be run again
	Prunable    string // one page: what would be deleted
	Prune       string // delete it
	WaitShortly string // first in a transaction that deletes; empty for a dialect without it
}

// LoadAdmin gives them for a table, as Load does.
func LoadAdmin(name, table string) (Admin, error) {
	if _, err := Load(name, table); err != nil { // an unknown dialect, or no plain table
		return Admin{}, err
	}
	var a Admin
	for file, text := range a.files() {
		*text = only(name, file, table)
	}
	return a, nil
}

func (a *Admin) files() map[string]*string {
	return map[string]*string{
		"next_job": &a.NextJob, "record": &a.Record, "page_end": &a.PageEnd, "held": &a.Held, "held_message": &a.HeldMessage, "status": &a.Status,
		"resolve": &a.Resolve, "run_again": &a.RunAgain, "prunable": &a.Prunable, "prune": &a.Prune, "wait_shortly": &a.WaitShortly,
	}
}
