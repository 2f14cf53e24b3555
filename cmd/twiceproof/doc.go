// Command twiceproof makes one background job safe to run twice, and proves it: one
// file a subcommand.
//
// Hard rule: only here are flags and the environment read, is anything printed, and
// does the process exit. What a command decides and does is in the packages below.
// Without --apply nothing that was there before is changed.
package main
