// Package imports holds no code, only the test that keeps the direction rules:
// which room may import which, and where the outside world may be touched.
//
// Hard rule: a rule without a control that breaks it does not count.
//
// The rules of the import graph are in graph_test.go and those of the source
// in source_test.go. The control is a made-up graph or file, on which the
// same function must complain. A room that does
// not exist yet breaks nothing.
package imports
