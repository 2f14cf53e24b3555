package readsettings

import (
	"context"
	_ "embed"

	"github.com/twiceproof/twiceproof/doctor"
)

//go:embed celery.py
var celeryScript string

// Celery imports an application, named as celery -A does, with a Python that can, and
// reads its settings and those of the tasks.
func Celery(ctx context.Context, python, app string, tasks []string) (*doctor.Celery, error) {
	c := &doctor.Celery{}
	args := append([]string{"-c", celeryScript, app}, tasks...)
	return c, ask(ctx, c, python, args...)
}
