// Package gather brings the rows of one reference together, of however many rows there
// are, in one pass over the source.
//
// Hard rule: what is in memory is bounded, and nothing is left behind. Rows go to one of
// 64 parts by what their reference looks like; beyond a budget the parts go to temporary
// files that have no name from the start, so that they vanish with the process however it
// ends. Each part is then read whole, sorted, and compared byte for byte: a hash only
// chooses the part, it never decides that two references are one.
package gather
