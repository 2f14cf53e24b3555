package report

import "strings"

// The words of the report, for somebody who has never seen the tool.
var legend = []string{
	"**effect**: what the job exists for, a row, a call or a mail, counted outside the worker",
	"**claim**: a worker's right to perform the operation now; **lease**: how long it is good for; younger it is live, older it is stale",
	"**held**: nobody acts on the operation any more, a person decides",
	"**suspected on record**: a worker that had lost its claim came back, and the record says that a second effect may exist",
	"**overlapped**: a run in which both workers had the message, and neither had ended its delivery, by the queue's own log",
	"**redelivery**: natural, when the queue gave the message out again by itself; forced, when the replay put it on the queue again",
	"**the fault fired**: the worker was killed, paused or cut off at the very place that the case names; otherwise the case is unknown",
}

func writeLegend(b *strings.Builder) {
	b.WriteString("\n## The words\n\n")
	for _, line := range legend {
		b.WriteString("- " + line + "\n")
	}
}
