// Package replay proves a job: it runs the user's own worker processes, delivers
// one message again and again, kills the worker where it hurts, and counts the
// effects outside the worker.
//
// Hard rule: it never imports the guard. It judges any worker by what crossed the
// wire or was written to SQLite's files, what the database holds and what the outside
// service received, and the verdict is a pure function of the plan and the history: package
// judge gives it.
//
// One replay goes plan -> build -> for each case and code version: a fresh world
// (queue, outside service, database, proxies) -> script -> history -> verdict ->
// evidence. The permitted ends are in the plan before the first worker starts. Cases may run
// in several slots side by side; what failed last time runs first.
package replay
