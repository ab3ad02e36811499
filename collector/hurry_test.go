package collector

import (
	"bufio"
	"bytes"
	"io"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// The goroutine that polls the rings is woken when records arrive by the socket: the drainer sends records when a ring
// fills faster than it is polled. After a quiet time there were 50 ms between two polls. Of a burst that began
// meanwhile a ring full of records was lost, and the next poll estimated the burst's rate at a fifth of the real one.
func TestHurry(t *testing.T) {
	w, err := tracefile.NewWriter(nowhere{io.Discard}, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	c := &Collector{writer: w, observer: Nobody{}, closing: make(chan struct{}), registry: newRegistry()}
	p := newProcess(c, wire.Hello{}, 0)
	p.reader = &descriptorReader{}
	told := func(frames ...[]byte) bool {
		if err := p.readFrames(bufio.NewReader(bytes.NewReader(bytes.Join(frames, nil)))); err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.rings.hurry:
			return true
		default:
			return false
		}
	}
	one := make([]byte, wire.RecordSize)
	if told(wiretest.Frame(wire.FrameClock, 0, 0, make([]byte, 16))) {
		t.Error("a clock sample is no hurry")
	}
	if !told(wiretest.Frame(wire.FrameRecords, 1, 0, one), wiretest.Frame(wire.FrameRecords, 1, 1, one)) {
		// and no goroutine waits for the one that polls
		t.Error("nobody was told of records that came by the socket")
	}
	p.end(false, nil, nil)
	if err := w.Close(tracefile.Result{}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		last    time.Duration
		growth  uint64
		hurried bool
		want    time.Duration
	}{
		{longestPause, 0, false, longestPause},
		{shortestPause, 0, false, 2 * shortestPause},
		{longestPause, wire.RecordsPerRing / 4, false, longestPause / 2},
		{longestPause, wire.RecordsPerRing / 4, true, shortestPause},
	} {
		if got := pause(c.last, c.growth, c.hurried); got != c.want {
			t.Errorf("after %v in which a ring grew by %d, in a hurry %v, the pause is %v, not %v", c.last, c.growth, c.hurried,
				got, c.want)
		}
	}
}
