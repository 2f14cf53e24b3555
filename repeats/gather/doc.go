// Package gather brings the rows of one reference together, of however many rows there
// are, in one pass over the source.
//
// Hard rule: what is in memory is bounded, and nothing is left behind. Rows go to one of
// 64 parts by what their reference looks like; beyond a budget the parts go to temporary
// files that have no name from the start, so that they vanish with the process however it
// ends. Each part is then read whole, and its rows are found by a hash and compared byte for
// byte: a hash only says where to look, it never decides that two references are one.
package gather
