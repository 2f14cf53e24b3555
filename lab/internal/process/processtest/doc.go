// Package processtest holds what the tests of the throw-away servers share.
//
// Hard rule: imported by tests only.
package processtest
