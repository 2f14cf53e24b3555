package main

import (
	"fmt"
	"time"
)

// progress says on a terminal, in one line, how far reading is.
func (l *look) progress() (stop func()) {
	if !isTerminal(l.std.err) {
		return func() {}
	}
	const first, every = 2 * time.Second, 500 * time.Millisecond
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		begun, shown := time.Now(), false
		for wait := first; ; wait = every {
			select {
			case <-done:
				if shown {
					fmt.Fprint(l.std.err, "\r\x1b[K")
				}
				return
			case <-time.After(wait):
				fmt.Fprintf(l.std.err, "\r\x1b[K%s", l.far(time.Since(begun)))
				shown = true
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

func (l *look) far(since time.Duration) string {
	text := fmt.Sprintf("%d events, %.0f/s", l.Taken(), float64(l.Taken())/since.Seconds())
	f := l.file.Load()
	switch {
	case f == nil:
		return text
	case f.Size > 0 && f.Done() >= f.Size:
		return text + "; bringing them together"
	case f.Size > 0:
		return fmt.Sprintf("%d of %d MB, %s", f.Done()>>20, f.Size>>20, text)
	}
	return fmt.Sprintf("%d MB, %s", f.Done()>>20, text)
}
