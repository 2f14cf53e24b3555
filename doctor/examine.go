package doctor

import "github.com/twiceproof/twiceproof/dialect"

// Examine judges the facts.
func Examine(f Facts) Report {
	e := &exam{table: dialect.Table}
	if f.Table != nil {
		e.table = f.Table.Name
		e.liveTable(*f.Table)
	}
	if f.Postgres != nil {
		e.postgres(*f.Postgres, f.Jobs)
	}
	if f.MySQL != nil {
		e.mysql(*f.MySQL, f.Jobs)
	}
	if f.SQLite != nil {
		e.sqlite(*f.SQLite)
	}
	if f.Redis != nil {
		e.redis(*f.Redis, f.Celery)
	}
	for _, j := range f.Jobs {
		e.job(j, f)
	}
	if f.RabbitMQ != nil {
		e.rabbit(*f.RabbitMQ)
	}
	if f.Celery != nil {
		e.celery(*f.Celery)
	}
	if f.Sidekiq != nil {
		e.sidekiq(*f.Sidekiq)
	}
	return e.report.sorted()
}

func (e *exam) missing(all Missing) {
	for _, entry := range entries { // in the catalogue's order
		if reason, is := all[entry.ID]; is {
			e.gap(entry.ID, "%s", reason)
		}
	}
}
