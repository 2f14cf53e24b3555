// Package fit asks whether a job can be made safe to repeat, before anybody has
// looked at its code: the questions, what the answers lead to, and the job file to
// start from.
//
// Hard rule: everything here is pure, and no question asks for a value. A name of a
// field is asked for, never an order number; so the answers can be sent to anybody.
package fit
