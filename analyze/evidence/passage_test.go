package evidence

import (
	"math"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/handmade"
)

// TestPassages: all that leads from one needless wait to the next hangs on it; beside a wait that is needed no more than that; nothing
// where the thread does something else between.
func TestPassages(t *testing.T) {
	call := func(begin analyze.Nanos, kind CallKind) TimedCall {
		return TimedCall{handmade.At(begin, begin+10), kind}
	}
	found := Passages([]TimedCall{
		call(0, CallWait), call(100, CallLock), call(200, CallNeedless), call(240, CallLock), call(260, CallNeedless), // 90+90, 30+10
		call(300, CallOther), call(400, CallNeedless), call(430, CallOther), call(500, CallWait), call(600, CallWait),
	})
	if len(found) != 2 {
		t.Fatalf("%d passages, want 2: %+v", len(found), found)
	}
	if p := found[0]; p.Own != 180 || math.Abs(p.Hangs-40.0/180) > 1e-9 {
		t.Errorf("beside a needed wait: %+v, want 40 of 180 ns", p)
	}
	if p := found[1]; p.Own != 40 || p.Hangs != 1 {
		t.Errorf("between needless waits: %+v, want all of 40 ns", p)
	}
}
