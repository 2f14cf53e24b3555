package sqs

import "fmt"

// fault is an error as the service answers it. The two protocols name the same
// error differently: shape is the JSON __type, code what the Query protocol
// says (and what the JSON protocol repeats in its x-amzn-query-error header).
type fault struct {
	shape   string
	code    string
	status  int
	message string
}

func (f *fault) Error() string { return f.code + ": " + f.message }

const (
	service = "com.amazonaws.sqs#"        // errors in the service's own model
	common  = "com.amazon.coral.service#" // errors that all services share
	simple  = "AWS.SimpleQueueService."   // prefix of many Query codes
	refusal = "Value %s for parameter %s is invalid. Reason: %s"
)

func invalidParameter(format string, args ...any) *fault {
	return &fault{common + "InvalidParameterValueException", "InvalidParameterValue", 400, fmt.Sprintf(format, args...)}
}

func invalidValue(parameter, value, reason string) *fault {
	return invalidParameter(refusal, value, parameter, reason)
}

func missingParameter(name string) *fault {
	return &fault{common + "MissingRequiredParameterException", "MissingParameter", 400,
		fmt.Sprintf("The request must contain the parameter %s.", name)}
}

func queueDoesNotExist() *fault {
	return &fault{service + "QueueDoesNotExist", simple + "NonExistentQueue", 400, "The specified queue does not exist."}
}

func queueNameExists(attribute string) *fault {
	return &fault{service + "QueueNameExists", "QueueAlreadyExists", 400,
		"A queue already exists with the same name and a different value for attribute " + attribute}
}

func receiptIsInvalid(receipt string) *fault {
	return &fault{service + "ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404,
		fmt.Sprintf("The input receipt handle %q is not a valid receipt handle.", receipt)}
}

func receiptHasExpired(receipt string) *fault {
	return invalidValue("ReceiptHandle", receipt, "The receipt handle has expired.")
}

func notForVisibility(receipt string) *fault {
	return invalidValue("ReceiptHandle", receipt,
		"Message does not exist or is not available for visibility timeout change.")
}

func messageNotInflight() *fault {
	return &fault{service + "MessageNotInflight", simple + "MessageNotInflight", 400, "The message referred to is not in flight."}
}

func purgeInProgress(queue string) *fault {
	return &fault{service + "PurgeQueueInProgress", simple + "PurgeQueueInProgress", 403,
		fmt.Sprintf("Only one PurgeQueue operation on %s is allowed every 60 seconds.", queue)}
}

func unknownAttribute(name string) *fault {
	return &fault{service + "InvalidAttributeName", "InvalidAttributeName", 400, fmt.Sprintf("Unknown Attribute %s.", name)}
}

func invalidAttribute(name, reason string) *fault {
	return &fault{service + "InvalidAttributeValue", "InvalidAttributeValue", 400,
		fmt.Sprintf("Invalid value for the parameter %s. Reason: %s", name, reason)}
}

func invalidContents() *fault {
	return &fault{service + "InvalidMessageContents", "InvalidMessageContents", 400,
		"Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF"}
}

func invalidAction(name string) *fault {
	return &fault{common + "UnknownOperationException", "InvalidAction", 400,
		fmt.Sprintf("The action %s is not valid for this endpoint.", name)}
}

func malformed(err error) *fault {
	return &fault{common + "SerializationException", "MalformedInput", 400, err.Error()}
}

func batchFault(name, format string, args ...any) *fault {
	return &fault{service + name, simple + name, 400, fmt.Sprintf(format, args...)}
}
