// Command foreign is a consumer that knows nothing of Twiceproof, as a careful team
// writes one: the orders it has seen are in a table of its own, and a worker that dies
// takes its row with it, because the charge is made within the row's transaction.
//
// Hard rule: it imports no package of this module but the payment service's client, and
// is right by itself. What is wrong about it is in a control's hunk.
package main
