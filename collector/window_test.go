package collector

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/validate"
)

// windowedRun feeds a window the records of a process whose clock counts nanoseconds.
type windowedRun struct {
	t         testing.TB
	path      string
	collector *Collector
	process   *process
	published []uint64 // of each ring
}

func newWindowedRun(t testing.TB, w *Window, rings int) *windowedRun {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.mtrace")
	writer, err := tracefile.Create(path, tracefile.Info{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	c := &Collector{writer: writer, window: w, observer: Nobody{}}
	w.begin(c)
	p := newProcess(c, wire.Hello{Version: wire.Version, PID: 7, Program: "test"}, 0)
	p.trace.clock = wire.ClockNanoseconds
	p.trace.add()
	writer.Region(p.trace.index, p.trace.clock, 0, 0)
	return &windowedRun{t, path, c, p, make([]uint64, rings)}
}

// feed is what comes of a ring.
func (r *windowedRun) feed(ring int, records ...wire.Record) {
	r.t.Helper()
	if err := r.process.order.joinRecords(r.process.order.ring(uint16(ring)), r.published[ring], records); err != nil {
		r.t.Fatal(err)
	}
	r.published[ring] += uint64(len(records))
}

// end ends the process and the recording, and opens the trace.
func (r *windowedRun) end() *tracefile.Reader {
	r.t.Helper()
	p, w := r.process, r.collector.window
	p.trace.window.finish()
	end := tracefile.End{Unix: time.Now().UnixNano()}
	for i := range r.published {
		end.Rings = append(end.Rings, tracefile.RingEnd{Ring: uint16(i),
			Head: r.published[i] - p.order.ring(uint16(i)).window.left()})
	}
	r.collector.writer.EndProcess(p.trace.index, end)
	w.Finish()
	r.collector.writer.Recorded(w.recorded())
	if err := r.collector.writer.Close(tracefile.Result{Finished: time.Now().UnixNano()}); err != nil {
		r.t.Fatal(err)
	}
	if w.held.Load() != 0 {
		r.t.Errorf("%d bytes of the past are still counted", w.held.Load())
	}
	trace, err := tracefile.Open(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { trace.Close() })
	problems, err := validate.Trace(trace)
	if err != nil || len(problems) > 0 {
		r.t.Errorf("%v %q", err, problems)
	}
	return trace
}

// kept returns the records of a ring in the trace.
func kept(t testing.TB, trace *tracefile.Reader, ring int) (all []wire.Record) {
	t.Helper()
	for _, s := range trace.Streams() {
		if s.Missing != 0 {
			t.Errorf("ring %d: %d records seem to be lost", s.Ring, s.Missing)
		}
		if int(s.Ring) == ring {
			if err := trace.Read(s, func(records []wire.Record) error {
				all = append(all,
					records...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// TestWindowByMarks: for any threads and any order of their records, all calls that overlap the range between the marks
// are kept, complete and in order. Of calls well outside only those with lasting effects are kept, and nothing seems to
// be lost.
func TestWindowByMarks(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		const rings = 3
		run := newWindowedRun(t, &Window{Closed: true, StartOn: "go", StopOn: "stop"}, rings)
		began := wire.Ticks(now().nanos)
		var all [rings][]wire.Record
		var windows [][2]wire.Ticks
		at, open := began, false
		clock := [rings]wire.Ticks{began, began, began} // when the ring's last call ended
		for i := range rings {
			all[i] = append(all[i], wire.Record{Begin: began, End: began, Arg: uint64(100 + i), Call: wire.CallThreadStart})
		}
		for n := range 300 {
			at += wire.Ticks(random.Int64N(int64(20 * time.Millisecond)))
			ring := random.IntN(rings)
			switch {
			case random.IntN(40) == 0:
				name := "stop"
				if open = !open; open {
					name = "go"
					windows = append(windows, [2]wire.Ticks{at, 1 << 62})
				} else {
					windows[len(windows)-1][1] = at
				}
				all[0] = append(all[0], wire.Record{Begin: at, End: at, Arg: uint64(wire.HashString(name)), Call: callMark})
				clock[0] = at
			case random.IntN(30) == 0:
				all[ring] = append(all[ring], wire.Record{Begin: at, End: at, Object: 1, Arg: uint64(1000 + n),
					Call: wire.MustLookup(wire.FamilyDevice, "newCommandQueue")})
				clock[ring] = at
			default: // from anywhere behind the call before
				begin := clock[ring] + wire.Ticks(random.Int64N(int64(at-clock[ring])+1))
				r := wire.Record{Begin: begin, End: at, Arg: uint64(n), Object: 5, Call: callCommit}
				if n%3 == 0 {
					r.Flags = wire.HasMore
					all[ring] = append(all[ring], r, wire.More{X0: uint64(n)}.Record())
				} else {
					all[ring] = append(all[ring], r)
				}
				clock[ring] = at
			}
		}
		// The first record to arrive is not the first that happened: rings are read one after another, each up to 100
		// ms late.
		var fed [rings]int
		for moment := began; ; moment += wire.Ticks(50 * time.Millisecond) {
			left := false
			for _, ring := range random.Perm(rings) {
				to := fed[ring]
				for limit := moment + wire.Ticks(random.Int64N(int64(50*time.Millisecond))); to < len(all[ring]); to++ {
					if r := &all[ring][to]; r.Call != wire.CallMore && r.End > limit {
						break
					}
				}
				run.feed(ring, all[ring][fed[ring]:to]...)
				fed[ring] = to
				left = left || to < len(all[ring])
			}
			if !left {
				break
			}
		}
		trace := run.end()
		if len(trace.Recorded()) != len(windows) {
			t.Fatalf("seed %d: recorded %+v, wanted %v", seed, trace.Recorded(), windows)
		}
		for i, w := range trace.Recorded() {
			if w.From != int64(windows[i][0]) || w.Began != "mark:go" || w.To != 0 && w.To != int64(windows[i][1]) {
				t.Errorf("seed %d: recorded %+v, wanted %v", seed, w, windows[i])
			}
		}
		for ring := range rings {
			checkWindowed(t, fmt.Sprintf("seed %d, ring %d", seed, ring), kept(t, trace, ring), all[ring], windows)
		}
		if t.Failed() {
			return
		}
	}
}

// checkWindowed compares what is kept with all there was.
func checkWindowed(t *testing.T, who string, got, all []wire.Record, windows [][2]wire.Ticks) {
	t.Helper()
	const slack = wire.Ticks(110 * time.Millisecond) // records from before the stop was noticed are kept
	next := 0
	for i, r := range all {
		if r.Call == wire.CallMore {
			continue
		}
		must, may := r.Call.Lasts(), r.Call.Lasts()
		for _, w := range windows {
			must = must || r.End >= w[0] && r.Begin < w[1]
			may = may || r.End+wire.Ticks(leadIn)+slack >= w[0] && r.Begin < w[1]+slack
		}
		have := next < len(got) && got[next] == r
		if have {
			next++
			if r.Flags&wire.HasMore != 0 {
				if next >= len(got) || got[next] != all[i+1] {
					t.Errorf("%s: record %d lacks what belongs to it", who, i)
				}
				next++
			}
		}
		if must && !have || have && !may {
			t.Errorf("%s: record %d, from %d to %d, is kept: %v; the windows are %v", who, i, r.Begin, r.End, have, windows)
			return
		}
	}
	if next != len(got) {
		t.Errorf("%s: %d records are kept that never were, or not in their order", who, len(got)-next)
	}
}

// commits are calls of a millisecond each, one after another.
func commits(from int64, count int) (all []wire.Record) {
	for i := range count {
		begin := wire.Ticks(from) + wire.Ticks(i)*wire.Ticks(time.Millisecond)
		all = append(all, wire.Record{Begin: begin, End: begin + wire.Ticks(time.Millisecond), Object: 5, Arg: uint64(i),
			Call: callCommit})
	}
	return all
}

// TestWindowKeepsTheEnd: the end of a run of any length is kept, in bounded memory. Old records are discarded by their
// time of arrival, so the test gives old records an old time of arrival.
func TestWindowKeepsTheEnd(t *testing.T) {
	run := newWindowedRun(t, &Window{Last: 5 * time.Second}, 1)
	began := now().nanos
	run.feed(0, wire.Record{Begin: wire.Ticks(began), End: wire.Ticks(began), Arg: 100, Call: wire.CallThreadStart})
	all := commits(began, 60_000)
	for at := 0; at < len(all); at += 100 {
		run.feed(0, all[at:at+100]...)
		backlog := &run.process.order.ring(0).window.backlog
		for i := range backlog.pieces { // a minute passes meanwhile
			backlog.pieces[i].came = backlog.pieces[i].came.Add(-100 * time.Millisecond)
		}
		if n := len(backlog.pieces); n > 5 {
			t.Fatalf("%d pieces of the past are kept", n)
		}
	}
	trace := run.end()
	got := kept(t, trace, 0)
	first := got[1] // behind the thread's start
	if got[0].Call != wire.CallThreadStart || len(got) < 5001 || len(got) > 5500 || got[len(got)-1] != all[len(all)-1] ||
		!slices.Equal(got[1:], all[first.Arg:]) {
		t.Errorf("%d records are kept, from %+v to %+v", len(got), first, got[len(got)-1])
	}
	recorded := trace.Recorded()
	last := int64(all[len(all)-1].End)
	if len(recorded) != 1 || recorded[0].To != last || recorded[0].From != last-5e9 || recorded[0].Began != "--last 5s" {
		t.Errorf("recorded %+v", recorded)
	}
}

// TestWindowLongerThanTheMachineRuns: the story: of --last 1h on a machine that had run for less than an hour, nothing
// was kept: an hour ago was before its clock began, which wrapped around to the far future.
func TestWindowLongerThanTheMachineRuns(t *testing.T) {
	run := newWindowedRun(t, &Window{Last: time.Hour}, 1)
	const began = int64(10 * time.Second)
	all := append([]wire.Record{{Begin: wire.Ticks(began), End: wire.Ticks(began), Arg: 100, Call: wire.CallThreadStart}},
		commits(began, 500)...)
	run.feed(0, all...)
	trace := run.end()
	if got := kept(t, trace, 0); !slices.Equal(got, all) {
		t.Errorf("%d records are kept of %d", len(got), len(all))
	}
	newest := int64(all[len(all)-1].End)
	if recorded := trace.Recorded(); len(recorded) != 1 || recorded[0].To != newest ||
		recorded[0].From != newest-time.Hour.Nanoseconds() {
		t.Errorf("recorded %+v", recorded)
	}

	booted := instant{nanos: began, ticks: 3 * wire.Ticks(began)}
	longAgo := booted.after(-time.Hour, instant{nanos: 2 * began, ticks: 6 * wire.Ticks(began)})
	for name, p := range map[string]*processTrace{"TSC": {clock: wire.ClockTSC},
		"Mach": {clock: wire.ClockMach, numer: 125, denom: 3}, "nanoseconds": {clock: wire.ClockNanoseconds}} {
		if at := p.ticksOf(longAgo); at > p.ticksOf(booted) {
			t.Errorf("%s: before the clock began is tick %d", name, at)
		}
	}
}

// TestWindowIsBounded: with a bound the end that is kept is shorter than requested, and the trace says so.
func TestWindowIsBounded(t *testing.T) {
	const room = 256 << 10
	w := &Window{Last: time.Hour, MostSize: room}
	run := newWindowedRun(t, w, 2)
	began := now().nanos
	all := [2][]wire.Record{commits(began, 200_000), commits(began, 200_000)}
	random := rand.New(rand.NewPCG(1, 2))
	for ring := range all {
		run.feed(ring, wire.Record{Begin: wire.Ticks(began), End: wire.Ticks(began), Arg: uint64(100 + ring),
			Call: wire.CallThreadStart})
		for i := range all[ring] { // which nothing can make small
			all[ring][i].Arg, all[ring][i].Object = random.Uint64(), wire.ObjectID(random.Uint32()>>1)
		}
	}
	for at := 0; at < len(all[0]); at += 1000 {
		for ring := range all {
			run.feed(ring, all[ring][at:at+1000]...)
			if w.held.Load() > room {
				t.Fatalf("%d bytes are held", w.held.Load())
			}
		}
	}
	trace := run.end()
	recorded := trace.Recorded()
	if len(recorded) != 1 || recorded[0].From <= began || !strings.Contains(recorded[0].Began, "--max-size") {
		t.Fatalf("recorded %+v", recorded)
	}
	for ring := range all { // since then it is whole
		got := kept(t, trace, ring)
		from := slices.IndexFunc(all[ring], func(r wire.Record) bool { return int64(r.End) > recorded[0].From })
		have := slices.IndexFunc(got, func(r wire.Record) bool { return int64(r.End) > recorded[0].From })
		if have < 0 || !slices.Equal(got[have:], all[ring][from:]) {
			t.Errorf("ring %d: %d records are kept", ring, len(got))
		}
	}
}

// TestWindowMostSize: a trace at its maximum size gets no more records, and states since when; the records that it
// lacks are not lost.
func TestWindowMostSize(t *testing.T) {
	const most = 200 << 10
	run := newWindowedRun(t, &Window{MostSize: most}, 1)
	began := now().nanos
	run.feed(0, wire.Record{Begin: wire.Ticks(began), End: wire.Ticks(began), Arg: 100, Call: wire.CallThreadStart})
	all := commits(began, 300_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range all {
		all[i].Arg = random.Uint64()
	}
	for at := 0; at < len(all); at += 500 {
		run.feed(0, all[at:at+500]...)
	}
	trace := run.end()
	info, err := os.Stat(run.path)
	recorded := trace.Recorded()
	if err != nil || info.Size() > 2*most+64<<10 || len(recorded) != 1 || recorded[0].Ended != "--max-size" ||
		recorded[0].Began != theStart {
		t.Errorf("%v, %d bytes, recorded %+v", err, info.Size(), recorded)
	}
	if got := kept(t, trace, 0)[1:]; len(got) < 5000 || !slices.Equal(got, all[:len(got)]) {
		t.Errorf("%d records are kept", len(got))
	}
}

// TestWindowForAWhile: a duration is kept to the nanosecond, however late the timer is; a second toggle opens the
// window again.
func TestWindowForAWhile(t *testing.T) {
	w := &Window{Closed: true, Duration: 5 * time.Millisecond}
	run := newWindowedRun(t, w, 1)
	began := now()
	w.OpenAfter(2*time.Millisecond, "--start-after 2ms")
	for len(w.all()) < 2 {
		time.Sleep(time.Millisecond)
	}
	w.Toggle("SIGUSR1")
	for len(w.all()) < 4 {
		time.Sleep(time.Millisecond)
	}
	run.feed(0, wire.Record{Begin: wire.Ticks(began.nanos), End: wire.Ticks(began.nanos), Arg: 100,
		Call: wire.CallThreadStart})
	recorded := run.end().Recorded()
	if len(recorded) != 2 {
		t.Fatalf("recorded %+v", recorded)
	}
	first, second := recorded[0], recorded[1]
	if late := first.From - began.nanos - int64(2*time.Millisecond); late < 0 ||
		first.To-first.From != int64(w.Duration) || second.From < first.To || second.To-second.From != int64(w.Duration) {
		t.Errorf("recorded %+v", recorded)
	}
	if first.Began != "--start-after 2ms" || first.Ended != "--duration 5ms" || second.Began != "SIGUSR1" {
		t.Errorf("recorded %+v", recorded)
	}
}
