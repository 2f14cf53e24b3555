// Package guardtest runs the protocol's scenarios (package vectors) through the
// guard's public functions, over whichever database/sql driver its caller has.
// Tests only.
//
// Hard rule: what is below the faults is the real driver and the real database,
// and a fault that did not happen fails its scenario.
package guardtest
