// Package readsettings reads what doctor judges from the configuration of Celery and
// Sidekiq, by the user's own interpreter, since only the application knows how its
// settings come about.
//
// Hard rule: what comes back is a fixed list of settings that hold no secret; the
// application's own output and the texts of its errors are thrown away.
package readsettings
