// Package hinted is the error that answers the next question of whoever reads it.
package hinted

// Error says what is wrong with what a person has given or set up, and what to do
// about it. The command writes it as error: and hint:.
type Error struct {
	What   string // in plain words, without a full stop
	Hint   string // empty: nothing is known that would help
	Output string // the last lines that a command printed, where one did
}

func (e *Error) Error() string { return e.What }
