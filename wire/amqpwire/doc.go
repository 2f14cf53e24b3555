// Package amqpwire is the proxy between one worker and a RabbitMQ broker: AMQP 0-9-1.
//
// Hard rule: the bytes go on as they came. A copy is looked at, to name the steps
// and to know what answers what; no frame is ever encoded again.
//
// # What a step is
//
//   - A method of the worker with its answer, such as "Queue.Declare celery",
//     "Basic.Qos" and "Basic.Consume celery".
//   - A method that is not answered: "Basic.Ack celery", Nack, Reject, Publish, and what
//     has no-wait set. It ends when it has left. After it, the gate shuts behind it and
//     the broker is asked to end the connection: what was sent before, it has done by then.
//   - "Basic.Publish celery" with its content is one step; on a channel that confirms, the
//     confirmation is its answer.
//   - What the broker sends by itself: "Basic.Deliver celery" with its content, also after
//     Basic.Get; "Basic.Return", "Basic.Cancel", "Channel.Close 406 PRECONDITION_FAILED".
//     Before it, the worker has nothing of it; after it, all.
//
// One step of the worker is under way on a connection at a time: what it sends ahead
// waits. Content is read whole before it goes on; what does not fit in 16 MiB is kept in
// a temporary file without a name.
//
// No steps are: opening and closing the connection, the login, whose password nobody is
// shown, flow control, and heartbeats. Heartbeats pass while a step is held, so that the
// broker does not take a held worker for a dead one.
//
// # The name of a step
//
// The method, and the queue, or the exchange and the routing key, in which what differs
// between two runs is masked as "?". An acknowledgement is named by the queue that its
// delivery tags come from. See Options to name steps otherwise.
//
// # When the broker is done
//
// A broker that reads the end of a connection closes it first and puts the messages back
// later. So the proxy closes a connection that it leaves between two frames by
// Connection.Close, as a client would that ends well: the broker answers when it has put
// back what was not acknowledged, and Quiet waits for that.
//
// # What is declined
//
// AMQP 1.0, and bytes that are no frames, end the connection: see wire.Unreadable. So does TLS where it
// is not offered: see wire.Gate.Offer.
package amqpwire
