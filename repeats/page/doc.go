// Package page tells the result of a scan: as text for a terminal, as one HTML file,
// and as a report to send on.
//
// Hard rule: without Show no value of the data is told, only counts, lengths of time and
// classes; in the report to send on none is told with it either. A reference, a message
// id, a column's, file's or table's name is a value.
package page
