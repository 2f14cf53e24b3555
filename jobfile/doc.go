// Package jobfile reads the two files that people write: twiceproof.yaml, which
// says what each job is, and twiceproof.replay.yaml, which says how to run one
// on staging. It also puts a job's policy into plain words.
//
// Hard rule: a file is read whole or refused whole, with every problem at its
// line. Nothing is guessed, and no field is silently ignored: a lease that was
// misspelt must not become no lease.
//
// Of YAML only what a settings file needs is read: one document, no anchors,
// aliases, merges or tags, so that the readers of other languages see the same.
package jobfile
