// Package peers aims the replay at code that nobody here wrote: a job in each folder,
// guarded by a well-known public package, which is installed from its registry when it is
// replayed and set up as its own documentation says.
//
// Hard rule: a peer is judged by its effects alone, and by the same cases as everybody.
//
// Each folder has the worker, its replay file, and found.txt: the verdict on each case.
// With TWICEPROOF_FULL=1 the test replays all of them and compares; with -update it writes
// what it found, and the table of docs/peers.md. A verdict of unknown is never a finding.
package peers
