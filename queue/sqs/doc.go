// Package sqs is Amazon SQS as a replay sees it: an endpoint inside this process, and
// an HTTP proxy in front of it for each worker.
//
// Hard rule: what the queue did is told by the endpoint's own log alone.
//
// A delivery ends with DeleteMessage and its like. A message whose delivery has no end is
// there again when its visibility is over, by itself.
package sqs
