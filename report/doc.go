// Package report shows a finished replay: as a table, as JSON, as Markdown, and
// as the evidence folder.
//
// Hard rule: it only shows. Every number and verdict comes from the results it is
// given; it reads no clock and decides nothing.
package report
