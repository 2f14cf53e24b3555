// Package change makes the files of a change: the migration for the application's own
// framework, the guarded job to work from, the replay file, the CI entry and the backfills.
// What nobody can guess is FILL_IN in them, which neither the replay nor a database takes.
// It also says which framework the folder has, and which database its configuration names.
//
// Hard rule: it only makes texts, from the job file and from what is in the folder. It
// reads the folder through an fs.FS, and writes nothing.
package change
