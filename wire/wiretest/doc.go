// Package wiretest has what the tests of the proxies share.
//
// Hard rule: only tests import it.
package wiretest
