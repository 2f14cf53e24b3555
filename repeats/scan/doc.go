// Package scan takes records from any source, brings them together by reference, and
// has their repeats classified: what `twiceproof repeats` does between reading and
// telling.
//
// Hard rule: it holds no row longer than gather does, and its result holds no value of
// the data but the examples that were asked for.
package scan
