package experiment

import (
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// TestParse: targets as users spell them.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		text         string
		kind         wire.ExperimentKind
		lock, thread string
		call         string // one of its calls
	}{
		{"commit", wire.ExperimentCall, "", "", "commit"},
		{"commit@worker-1", wire.ExperimentCall, "", "worker-1", "commit"},
		{"encode", wire.ExperimentCall, "", "", "endEncoding"},
		{"wait", wire.ExperimentWait, "", "", "waitUntilCompleted"},
		{"wait@17", wire.ExperimentWait, "", "17", "waitUntilSignaledValue:timeoutMS:"},
		{"allocate", wire.ExperimentCall, "", "", "newBufferWithLength:options:"},
		{"compile", wire.ExperimentCall, "", "", "newLibraryWithSource:options:error:"},
		{"own", wire.ExperimentOwn, "", "", "commandBuffer"},
		{"own:render", wire.ExperimentOwn, "", "render", "commandBuffer"},
		{"handler", wire.ExperimentHandler, "", "", ""},
		{"lock", wire.ExperimentLock, "", "", ""},
		{"lock:0x7f0012", wire.ExperimentLock, "0x7f0012", "", ""},
		{"lock:cache@a", wire.ExperimentLock, "cache", "a", ""},
		{"setComputePipelineState:", wire.ExperimentCall, "", "", "setComputePipelineState:"},
		{"waitUntilCompleted", wire.ExperimentWait, "", "", "waitUntilCompleted"},
	} {
		got, err := Parse(c.text)
		if err != nil || got.Kind != c.kind || got.Lock != c.lock || got.Thread != c.thread ||
			c.call != "" && !slices.Contains(callNames(got.Calls), c.call) || c.call == "" && got.Calls != nil {
			t.Errorf("%q is %+v, calls %v, error %v", c.text, got, callNames(got.Calls), err)
		}
	}
	for _, text := range []string{"", "commits", "@worker", "commit@", "lock:", "own:", "mark", "pthread_mutex_lock",
		"commit:x"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has several lines: %v", text, err)
		}
	}
}
