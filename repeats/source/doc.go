// Package source reads events from files: CSV, JSON lines, and log lines with a
// pattern, gzipped or not.
//
// Hard rule: it streams. A row is handed on as text and forgotten; what a row means (a
// time, a repeat) is decided elsewhere. What cannot be read is counted by kind, never
// passed over, and an error names columns and files, never a value.
package source
