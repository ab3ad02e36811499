package collector

import (
	"slices"
	"testing"
	"time"

	"mtrace/collector/wire"
)

// A clockStub is the truth of threads' times, changed by the test.
type clockStub map[uint64]wire.ThreadTime

func (c clockStub) read(thread uint64) (wire.ThreadTime, bool) {
	t, alive := c[thread]
	return t, alive
}
func (c clockStub) close() {}

func TestThreadSampler(t *testing.T) {
	clock := clockStub{}
	s := threadSampler{clock: clock}
	now := time.Unix(1000, 0)
	reads := 0
	step := func(after time.Duration, threads []uint64, want ...wire.ThreadTime) {
		t.Helper()
		reads++
		now = now.Add(after)
		for id, c := range clock {
			c.At = now.UnixNano()
			clock[id] = c
		}
		got := slices.Clone(s.sampleIfDue(now, threads))
		for i := range want {
			want[i].At += now.UnixNano()
		}
		if !slices.Equal(got, want) {
			t.Errorf("look %d: %+v instead of %+v", reads, got, want)
		}
	}
	one, both := []uint64{1}, []uint64{1, 2}
	clock[1] = wire.ThreadTime{Thread: 1, Ran: 10}
	step(0, both, wire.ThreadTime{Thread: 1, Ran: 10}) // at once; the other is not there yet
	clock[1] = wire.ThreadTime{Thread: 1, Ran: 20}
	clock[2] = wire.ThreadTime{Thread: 2, Ran: 5, Waited: 1}
	step(time.Millisecond, both, wire.ThreadTime{Thread: 2, Ran: 5, Waited: 1}) // the first waits for its time
	step(50*time.Millisecond, both, wire.ThreadTime{Thread: 1, Ran: 20})        // the other did nothing
	// and now neither: held, and the pause doubles
	step(50*time.Millisecond, both)
	step(50*time.Millisecond, both)
	step(50*time.Millisecond, both)
	clock[2] = wire.ThreadTime{Thread: 2, Ran: 6, Waited: 2}
	step(50*time.Millisecond, both)
	step(50*time.Millisecond, both)
	step(50*time.Millisecond, both)
	// The time from which the thread was idle, then its next activity.
	step(50*time.Millisecond, both, wire.ThreadTime{Thread: 2, Ran: 5, Waited: 1, At: int64(-200 * time.Millisecond)},
		wire.ThreadTime{Thread: 2, Ran: 6, Waited: 2})
	delete(clock, 2)
	step(50*time.Millisecond, one)
	now = now.Add(time.Millisecond)
	clock[1] = wire.ThreadTime{Thread: 1, Ran: 25, At: 7}
	if got := s.finish(); len(got) != 2 || got[0].Ran != 20 || got[1].Ran != 25 {
		t.Errorf("at the end: %+v", got)
	}
}

// Other programs run all the time: that is no reason to poll an idle process often. And values that were read for
// another process do not count as new.
func TestSamplerOfTheMachine(t *testing.T) {
	clock := clockStub{1: {Thread: 1, At: 1, Ran: 10}, wire.WholeMachine: {Thread: wire.WholeMachine, At: 1, Ran: 100}}
	s := threadSampler{clock: clock}
	now := time.Unix(1000, 0)
	s.sampleIfDue(now, []uint64{1, wire.WholeMachine})
	looks := 0
	for range 40 {
		now = now.Add(threadTimesPause)
		clock[1] = wire.ThreadTime{Thread: 1, At: now.UnixNano(), Ran: 10}
		clock[wire.WholeMachine] = wire.ThreadTime{Thread: wire.WholeMachine, At: now.UnixNano(), Ran: now.UnixNano()}
		if got := s.sampleIfDue(now, []uint64{1, wire.WholeMachine}); len(got) > 0 {
			looks++
		}
	}
	if most := 3 + 40*int(threadTimesPause)/int(longestThreadTimesPause); looks == 0 || looks > most {
		t.Errorf("%d looks at a process that does nothing, want at most %d", looks, most)
	}
	s.sampleIfDue(now.Add(time.Second), []uint64{1, wire.WholeMachine})
	if got := s.sampleIfDue(now.Add(2*time.Second), []uint64{1, wire.WholeMachine}); len(got) != 0 {
		t.Errorf("%+v is handed on twice", got)
	}
	if got := s.finish(); len(got) != 1 || got[0].Thread != 1 {
		t.Errorf("at the end: %+v", got)
	}
}
