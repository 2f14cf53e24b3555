// Package process starts the processes of a replay, workers above all, and ends them with
// whatever they have started: by their group, by their descendants, and by becoming the
// parent of what has left both.
//
// Hard rule: whatever it has started ends with this process, also when that one is killed.
package process
