// Package readqueue reads what doctor judges from a queue: Amazon SQS, Redis or RabbitMQ.
//
// Hard rule: it takes no message and changes nothing. Errors never show an address,
// which may hold a password.
package readqueue
