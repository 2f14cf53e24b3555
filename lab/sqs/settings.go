package sqs

import (
	"maps"
	"strconv"
	"time"
)

// settings is a queue's attributes, read once. text keeps them as they were
// given, to be shown again.
type settings struct {
	text       map[string]string
	visibility time.Duration
	delay      time.Duration
	retention  time.Duration
	wait       time.Duration
	maxBytes   int

	fifo         bool
	contentDedup bool
	dedupByGroup bool

	redrive redrive
}

// numbers are the attributes with a range, and their defaults.
var numbers = map[string]struct{ low, high, normal int }{
	"VisibilityTimeout":             {0, 43200, 30},
	"DelaySeconds":                  {0, 900, 0},
	"MessageRetentionPeriod":        {60, 1209600, 345600},
	"ReceiveMessageWaitTimeSeconds": {0, 20, 0},
	"MaximumMessageSize":            {1024, 1048576, 1048576},
}

// words are the attributes with a fixed set of values.
var words = map[string][]string{
	"FifoQueue":                 {"true"},
	"ContentBasedDeduplication": {"true", "false"},
	"DeduplicationScope":        {"queue", "messageGroup"},
	"FifoThroughputLimit":       {"perQueue", "perMessageGroupId"},
}

// kept are the attributes that are stored and shown and do nothing here.
var kept = map[string]bool{
	"Policy": true, "KmsMasterKeyId": true, "KmsDataKeyReusePeriodSeconds": true,
	"SqsManagedSseEnabled": true, "RedriveAllowPolicy": true,
}

var fifoOnly = map[string]bool{"ContentBasedDeduplication": true, "DeduplicationScope": true, "FifoThroughputLimit": true}

func readSettings(text map[string]string) (settings, *fault) {
	for name, value := range text {
		if err := checkAttribute(name, value, text["FifoQueue"] == "true"); err != nil {
			return settings{}, err
		}
	}
	s := settings{
		text:         text,
		visibility:   seconds(text, "VisibilityTimeout"),
		delay:        seconds(text, "DelaySeconds"),
		retention:    seconds(text, "MessageRetentionPeriod"),
		wait:         seconds(text, "ReceiveMessageWaitTimeSeconds"),
		maxBytes:     number(text, "MaximumMessageSize"),
		fifo:         text["FifoQueue"] == "true",
		contentDedup: text["ContentBasedDeduplication"] == "true",
		dedupByGroup: text["DeduplicationScope"] == "messageGroup",
	}
	var err *fault
	s.redrive, err = readRedrive(text["RedrivePolicy"])
	return s, err
}

func checkAttribute(name, value string, fifo bool) *fault {
	if fifoOnly[name] && !fifo {
		return unknownAttribute(name)
	}
	if n, ok := numbers[name]; ok {
		i, err := strconv.Atoi(value)
		if err != nil || i < n.low || i > n.high {
			return invalidAttribute(name, "Must be between "+strconv.Itoa(n.low)+" and "+strconv.Itoa(n.high)+".")
		}
		return nil
	}
	if allowed, ok := words[name]; ok {
		for _, w := range allowed {
			if w == value {
				return nil
			}
		}
		return invalidAttribute(name, "Unknown value "+strconv.Quote(value)+".")
	}
	if kept[name] || name == "RedrivePolicy" {
		return nil
	}
	return unknownAttribute(name)
}

func number(text map[string]string, name string) int {
	if i, err := strconv.Atoi(text[name]); err == nil {
		return i
	}
	return numbers[name].normal
}

func seconds(text map[string]string, name string) time.Duration {
	return time.Duration(number(text, name)) * time.Second
}

// changed is the settings with some attributes replaced. An empty RedrivePolicy
// or Policy takes the policy away.
func (s settings) changed(by map[string]string) (settings, *fault) {
	if value, ok := by["FifoQueue"]; ok && (value == "true") != s.fifo {
		return s, invalidAttribute("FifoQueue", "Modifying queue type is not supported.")
	}
	text := maps.Clone(s.text)
	if text == nil {
		text = map[string]string{}
	}
	maps.Copy(text, by)
	maps.DeleteFunc(text, func(name, value string) bool {
		return value == "" && (name == "RedrivePolicy" || kept[name])
	})
	return readSettings(text)
}

// show is every attribute that is set or has a default.
func (s settings) show() map[string]string {
	all := map[string]string{"SqsManagedSseEnabled": "true"}
	for name, n := range numbers {
		all[name] = strconv.Itoa(n.normal)
	}
	if s.fifo {
		all["ContentBasedDeduplication"] = "false"
		all["DeduplicationScope"] = "queue"
		all["FifoThroughputLimit"] = "perQueue"
	}
	maps.Copy(all, s.text)
	return all
}
