package readsettings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// importLimit bounds an application's import.
const importLimit = time.Minute

// maxAnswer is far more than the answer is.
const maxAnswer = 1 << 20

// InterpreterError says that the interpreter could not be run, or gave no answer.
type InterpreterError struct{ What string }

func (e *InterpreterError) Error() string { return e.What }

// ImportError says that the application could not be imported.
type ImportError struct{ Class, Missing string }

func (e *ImportError) Error() string {
	if e.Missing != "" {
		return fmt.Sprintf("%s: there is no %s", e.Class, e.Missing)
	}
	return e.Class
}

// ask runs a script in an interpreter and reads the answer from its file descriptor 3.
// What the application prints goes nowhere.
func ask(ctx context.Context, into any, interpreter string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, importLimit)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	g, err := keepGroup(ctx)
	if err != nil {
		_ = w.Close()
		return err
	}
	defer g.close()
	cmd := exec.CommandContext(ctx, interpreter, args...)
	cmd.ExtraFiles = []*os.File{w}
	g.join(cmd)
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return &InterpreterError{"it cannot be run: " + err.Error()}
	}
	_ = w.Close()
	stop := context.AfterFunc(ctx, func() { _ = r.Close() })
	defer stop()
	var failed struct {
		Error   string `json:"error"`
		Missing string `json:"missing"`
	}
	text, err := answerOf(r)
	g.end() // also what the application has started
	_ = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || json.Unmarshal(text, &failed) != nil:
		return &InterpreterError{"it ended without an answer"}
	case failed.Error != "":
		return &ImportError{failed.Error, failed.Missing}
	}
	return json.Unmarshal(text, into)
}

// answerOf reads one JSON value: something that the application has started may keep
// the other end open.
func answerOf(r io.Reader) ([]byte, error) {
	var raw json.RawMessage
	if err := json.NewDecoder(io.LimitReader(r, maxAnswer)).Decode(&raw); err != nil {
		return nil, errors.New("no answer")
	}
	return raw, nil
}
