package differential_test

import (
	"path/filepath"
	"strconv"
)

const (
	simple = "AWS.SimpleQueueService." // before many codes
	shape  = "com.amazonaws.sqs#"      // before the shapes of errors
)

// emulators, in the order in which they are chosen: a run that is not a full
// one compares the first two that are installed.
var emulators = []emulator{
	{
		name: "fauxqs", version: "1.9.2", program: "node", together: 12,
		protocols: []protocol{jsonProtocol}, // it speaks no other
		command: func(_ string, port int) []string {
			// Its own start listens on every interface.
			const serve = `import { buildApp } from "fauxqs"
await buildApp({ logger: false }).listen({ host: "127.0.0.1", port: Number(process.argv[1]) })`
			return []string{"node", "--input-type=module", "--eval", serve, strconv.Itoa(port)}
		},
		// It puts one prefix before all codes; only some have it.
		spelling: map[protocol]map[string]string{jsonProtocol: {
			simple + "InvalidAttributeName":   "InvalidAttributeName",
			simple + "InvalidAttributeValue":  "InvalidAttributeValue",
			simple + "InvalidMessageContents": "InvalidMessageContents",
			simple + "InvalidParameterValue":  "InvalidParameterValue",
			simple + "MissingParameter":       "MissingParameter",
			simple + "QueueNameExists":        "QueueAlreadyExists",
		}},
	},
	{
		name: "elasticmq", version: "1.7.1", program: "java", together: 12,
		protocols: []protocol{jsonProtocol, queryProtocol},
		command: func(dir string, port int) []string {
			return []string{
				"java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m",
				"-Drest-sqs.bind-hostname=127.0.0.1", "-Drest-sqs.bind-port=" + strconv.Itoa(port), "-Drest-stats.enabled=false",
				"-cp", filepath.Join(dir, "lib", "*"), "org.elasticmq.server.Main",
			}
		},
		// Its JSON answers have the shape of the error also where the code belongs.
		spelling: map[protocol]map[string]string{jsonProtocol: {
			shape + "BatchEntryIdsNotDistinct":     simple + "BatchEntryIdsNotDistinct",
			shape + "InvalidAction":                "InvalidAction",
			shape + "InvalidAttributeName":         "InvalidAttributeName",
			shape + "InvalidAttributeValue":        "InvalidAttributeValue",
			shape + "InvalidParameterValue":        "InvalidParameterValue",
			shape + "QueueDoesNotExist":            simple + "NonExistentQueue",
			shape + "QueueNameExists":              "QueueAlreadyExists",
			shape + "ReceiptHandleIsInvalid":       "ReceiptHandleIsInvalid",
			shape + "TooManyEntriesInBatchRequest": simple + "TooManyEntriesInBatchRequest",
		}},
	},
	{
		name: "moto", version: "5.2.5", program: "python3", together: 4,
		protocols: []protocol{jsonProtocol, queryProtocol},
		command: func(dir string, port int) []string {
			return []string{filepath.Join(dir, "venv", "bin", "python"), "-m", "moto.server", "-H", "127.0.0.1", "-p", strconv.Itoa(port)}
		},
	},
}
