// Package outside is the stand-in for the outside service, on a loopback port:
// real HTTP (Start) or real SMTP (StartMail). It keeps every call it was asked to
// act on.
//
// Hard rule: what it did is what Calls says, in the order in which it did it. A
// call is in the list before the first byte of its reply leaves, and no call
// leaves the list. It asks neither the queue nor the database, and it does not
// know whether a call is a repeat that somebody allowed.
//
// A request goes read -> decided (pure: service, calls so far, request, fault) ->
// kept, under one lock -> reply written. HTTP and mail share the Book that keeps,
// so that one replay can ask either.
//
// # Faults
//
// A Fault is a value that spoils the healthy answer: act or not, and what becomes
// of the reply. It is armed while the service runs, and Armed.Fired counts how
// often it took place; a fault that has not fired has proved nothing.
//
//	request ─▶ [hold] ─▶ acts ─▶ [delay] ─▶ reply
//	   │                   │
//	   ├ refuse            ├ act_then_drop
//	   └ drop_before_act   └ act_then_fail
//
// Hold and Delay are also where a worker can be killed around the effect when no
// proxy sees its protocol: wait until it has fired, kill, then Drop.
//
// What the clock is that Advance moves: it makes calls old enough to be shown
// (Lag) or to be forgotten (Forget, Service.Window). How long a reply is delayed
// goes by the machine's clock: it is the client's connection that waits.
package outside
