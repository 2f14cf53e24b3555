// Package repeats finds effects that happened more than once, and says from their
// timing what may have repeated them.
//
// Hard rule: this package decides and does nothing else. It takes values and returns
// values: no file, no database, no clock. Reading is done by source and table, bringing
// the rows of one reference together by gather, and telling by page.
//
// A source shows events: rows, log lines, calls. Events with the same reference, byte
// for byte, are one group; each event after a group's first is a repeat, and its gap is
// the time since the one before. A survey over all groups finds what only shows in the
// whole: gaps that pile up at one length, moments at which many references repeat at
// once, repeats beside deploys. Then each repeat is classified by fixed thresholds, and
// what it could be as well is named beside it: timing is evidence, not proof.
package repeats
