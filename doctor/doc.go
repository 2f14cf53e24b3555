// Package doctor judges the settings under which a job runs: the live table, its
// database, the queue, the worker's configuration and the job file. Each finding says
// what is there, why it repeats or loses, and the mend.
//
// Hard rule: facts in, findings out. What decides here does no I/O and reads no clock;
// the readers are in readdb, readqueue and readsettings, and a reader that could not
// read something says so instead of guessing.
//
// Every finding stands in the catalogue, from which docs/doctor.md's table is made, and
// has a test that changes one thing, on a real server where a server can be made to be so,
// and sees exactly that finding come and go.
package doctor
