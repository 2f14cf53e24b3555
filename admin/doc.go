// Package admin is for the person who looks after the idempotency records: how many
// there are in which state, which operations are held and wait for a decision, that
// decision, and the deleting of old records.
//
// Hard rule: nothing is changed that was not seen. A decision shows the hold and the
// token that were read, and what is deleted is judged by the statement that deletes it,
// by the database's clock.
package admin
