package collector

import (
	"testing"
	"time"

	"mtrace/collector/wire"
)

// For a process that has ended, the offset of its clock is derived from the ticks that it shares with ours: on a busy
// machine the collector looked at a process in another time namespace only after its end.
func TestAheadByTicks(t *testing.T) {
	began, ok := sampleClock(wire.ClockTSC)
	if !ok {
		t.Skip("this processor has no ticks that all processes have in common")
	}
	c := &Collector{began: began}
	time.Sleep(10 * time.Millisecond)
	const day = 86400e9
	for _, ahead := range []int64{0, day, -day, 1000} {
		sample, _ := sampleClock(wire.ClockTSC)
		sample.Nanos += ahead
		want := ahead
		if ahead == 1000 { // no namespace's, but two readings of one clock
			want = 0
		}
		if got := aheadByTicks(c.began, sample); got-want > int64(time.Millisecond) || want-got > int64(time.Millisecond) {
			t.Errorf("%d ns ahead, of %d", got, want)
		}
	}
}
