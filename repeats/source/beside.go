package source

// beside fills things in a goroutine of its own, next to the one that takes them: to
// unpack and to split is half of the work.
type beside[T any] struct {
	full  chan *T
	empty chan *T
	done  chan struct{}
}

// fillBeside begins. Fill says whether there may be more.
func fillBeside[T any](fill func(*T) (more bool)) *beside[T] {
	b := &beside[T]{full: make(chan *T), empty: make(chan *T, 2), done: make(chan struct{})}
	for range cap(b.empty) {
		b.empty <- new(T)
	}
	go b.run(fill)
	return b
}

func (b *beside[T]) run(fill func(*T) (more bool)) {
	defer close(b.full)
	for more := true; more; {
		select {
		case next := <-b.empty:
			more = fill(next)
			select {
			case b.full <- next:
			case <-b.done:
				return
			}
		case <-b.done:
			return
		}
	}
}

// stop ends the goroutine, and waits until it has ended.
func (b *beside[T]) stop() {
	close(b.done)
	for range b.full { // until it is closed
	}
}
