// Package sqs names what a worker says to Amazon SQS: which of its requests is a
// receive, which an acknowledgement.
//
// Hard rule: it only names. What a receive or a delete does is the service's.
package sqs
