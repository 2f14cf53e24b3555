// Package judge gives the verdict on what a replay has seen: ok, a violation with its
// kind, or unknown with its reason; and the line of the report that goes with it.
//
// Hard rule: it is a pure function of the plan and the history. It runs nothing, reads
// nothing and asks no clock, so a stored history can be judged again, by anybody.
//
// The walk is Of -> the steps of judgeOne: what happened too often first, since that was
// seen whatever else went wrong; what did not happen only where nothing else can be the
// reason.
package judge
