package wire

import "strings"

// signalObjects has the kinds of objects that threads wait for in calls of GroupSignal, by a part of the selector.
var signalObjects = []struct{ part, kind string }{
	{"sem", "semaphore"},
	{"cond", "condition variable"},
	{"group", "dispatch group"},
	{"barrier", "barrier"},
}

// SignalObject returns the kind of object for which a call of GroupSignal waits, for instance "semaphore"; "object" if
// that is not known.
func SignalObject(selector string) string {
	for _, o := range signalObjects {
		if strings.Contains(selector, o.part) {
			return o.kind
		}
	}
	return "object"
}

// HasTimeLimit reports whether a call of GroupSignal waits until a time limit at most.
func HasTimeLimit(selector string) bool {
	return strings.Contains(selector, "timed") || strings.Contains(selector, "clock")
}
