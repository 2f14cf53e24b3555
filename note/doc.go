// Package note makes the one-page note on a job: what was agreed, what a replay showed
// of it, what is not promised, and where to sign.
//
// Hard rule: nothing is called shown that the replay did not show. What is missing, of
// another job file, or not known makes the page say so at its top, and takes the place
// to sign away. Everything here is pure: it reads no file and no clock.
package note
