package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"syscall"

	"github.com/twiceproof/twiceproof/internal/visible"
)

// show prints a result; a reader that has gone (| head) is no error. What comes from data
// is written out.
func show(w io.Writer, asJSON bool, value any, text func(io.Writer) error) error {
	written, err := told(asJSON, value, text)
	if err == nil {
		_, err = w.Write(written)
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func told(asJSON bool, value any, text func(io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	if !asJSON {
		err := text(&b)
		return []byte(visible.Text(b.String())), err
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return visible.JSON(b.Bytes()), err
}
