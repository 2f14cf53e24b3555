package judge

import "fmt"

// withPrinted adds what a worker printed when it got nowhere.
func withPrinted(v Verdict, events []Event) Verdict {
	for _, e := range events {
		if e.Event == EventPrinted {
			v.Why += fmt.Sprintf("; worker %s printed: %s", e.Worker, e.Detail)
			break
		}
	}
	return v
}
