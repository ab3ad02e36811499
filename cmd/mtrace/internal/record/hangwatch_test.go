package record

import (
	"testing"

	"mtrace/collector/wire"
)

// A program whose first act was to wait for an event, without a command buffer before, hung without a word from
// --hang-after: the watch began with the first command buffer.
func TestAnyRecordBeginsTheWatch(t *testing.T) {
	h := newHangWatch(1)
	const setSignaledValue = 65
	h.Records(0, 0, nil)
	if h.progress.Load() != 0 {
		t.Error("it began without a record")
	}
	h.Records(0, 0, []wire.Record{{Call: setSignaledValue}})
	began := h.progress.Load()
	if began == 0 {
		t.Fatal("it did not begin")
	}
	if h.Records(0, 0, []wire.Record{{Call: setSignaledValue}}); h.progress.Load() != began {
		t.Error("a call that is no progress counted as progress")
	}
	if h.Records(0, 0, []wire.Record{{Call: wire.CallCompleted}}); h.progress.Load() == began {
		t.Error("a completed command buffer did not count as progress")
	}
}
