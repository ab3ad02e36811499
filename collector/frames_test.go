package collector

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// A bad frame ends its own connection with a reason, and costs the other process nothing.
func TestBadFrames(t *testing.T) {
	records := wire.AppendRecord(nil, wire.Record{Begin: 1, End: 2, Call: callCommit})
	for name, c := range map[string]struct {
		bytes []byte
		log   string
	}{
		"not a frame":          {[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "begins with 0x20544547"},
		"unknown kind":         {wiretest.Frame(77, 0, 0, nil), "unknown kind 77"},
		"ring beyond the last": {wiretest.Frame(wire.FrameRecords, wire.RingCount, 0, records), "ring 256"},
		"part of a record":     {wiretest.Frame(wire.FrameRecords, 0, 0, records[:31]), "cannot have 31 bytes"},
		"longer than allowed": {wire.AppendFrameHeader(nil, wire.FrameHeader{Kind: wire.FrameFacts, Length: 1 << 30}),
			"is longer than the maximum"},
		"position out of reach": {wiretest.Frame(wire.FrameRecords, 0, 1<<63, records),
			"no thread can have recorded that much"},
		"second hello": {wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, wiretest.Hello())),
			"may only come at the beginning"},
		"rings without memory":  {wiretest.Frame(wire.FrameRings, 0, 0, nil), "without a descriptor"},
		"a fact that is none":   {wiretest.Frame(wire.FrameFacts, 0, 0, bytes.Repeat([]byte{0xff}, 24)), "fact"},
		"part of a thread time": {wiretest.Frame(wire.FrameThreadTimes, 0, 0, records[:31]), "cannot have 31 bytes"},
		"thread time before 0": {wiretest.Frame(wire.FrameThreadTimes, 0, 0,
			wire.AppendThreadTime(nil, wire.ThreadTime{Thread: 3, Ran: -5})), "thread 3 ran for -5 ns"},
		"gap that is never full": {bytes.Repeat(wiretest.Frame(wire.FrameRecords, 0, 5,
			bytes.Repeat(records, wire.RecordsPerRing)), 5), "did not"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRecording(t)
			mode := task{Threads: 1, PerStep: 50, Pause: time.Millisecond, Calls: 2000, Drain: "yes"}
			cmd, truth := mode.start(t, r.Address())
			conn := dial(t, r)
			conn.SetWriteDeadline(time.Now().Add(3 * time.Minute))
			conn.Write(c.bytes)
			closedByCollector(t, conn)
			r.wait(cmd)
			trace, result := r.finish()
			// It was a line about the process only, and the report began with "none lost" (found by the torture, seed
			// 105).
			if warnings := strings.Join(result.Warnings, "\n"); !strings.Contains(warnings, "not traced: ") ||
				!strings.Contains(warnings, c.log) {
				t.Errorf("warnings %q", warnings)
			}
			if log := r.log.String(); !strings.Contains(log, c.log) || strings.Count(log, "\n") != 1 {
				t.Errorf("log %q does not say %q once", log, c.log)
			}
			for i, p := range trace.Processes() {
				if p.PID == cmd.Process.Pid {
					checkThreads(t, trace, tracefile.ProcessIndex(i), truth, 1, false)
				}
			}
		})
	}
}

// A connection without a proper hello is not traced. That is logged, and in the trace, unless the connection only
// probed whether there is a listener. A library of another version left a trace without any note of it.
func TestBadHellos(t *testing.T) {
	old := wiretest.Hello()
	old.Version = 99
	for name, c := range map[string]struct {
		bytes []byte
		log   string
	}{
		"nothing": {nil, ""},
		// the process ended before it had identified itself: a process sends its hello before it uses Metal
		"half a header": {[]byte("MTRF"), ""},
		"records first": {wiretest.Frame(wire.FrameRecords, 0, 0, nil), "must begin with a hello"},
		"other version": {wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, old)), "wire version 99"},
		"no process id": {wiretest.Frame(wire.FrameHello, 0, 0, []byte("version=2\x00")), "no process id"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRecording(t)
			conn, err := net.Dial("unix", r.Address())
			if err != nil {
				t.Fatal(err)
			}
			conn.Write(c.bytes)
			conn.(*net.UnixConn).CloseWrite()
			closedByCollector(t, conn.(*net.UnixConn))
			trace, result := r.finish()
			if log := r.log.String(); !strings.Contains(log, c.log) || c.log == "" && log != "" {
				t.Errorf("log %q", log)
			}
			if c.log == "" {
				if len(trace.Processes()) != 0 || result.Processes != 0 || len(result.Warnings) != 0 {
					t.Errorf("%d processes, result %+v", len(trace.Processes()), result)
				}
				return
			}
			checkValid(t, trace)
			if len(trace.Processes()) != 1 || trace.Processes()[0].PID != os.Getpid() ||
				!strings.Contains(trace.Processes()[0].NotTraced, c.log) {
				t.Errorf("processes %+v", trace.Processes())
			}
			if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "not traced: ") {
				t.Errorf("warnings %q", result.Warnings)
			}
		})
	}
}

// A silent connection must not delay the end.
func TestSilentConnection(t *testing.T) {
	r := startRecording(t)
	conn, err := net.Dial("unix", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r.finish()
}

// Everything that is not a record or a fact of a ring arrives: the warning of a process that could not start its
// recording, clock samples, counters, and a thread's current call.
func TestEverythingElse(t *testing.T) {
	r := startRecording(t)
	conn := dial(t, r)
	conn.Write(wiretest.Frame(wire.FrameFacts, 0, 0,
		wire.AppendFact(nil, wire.Fact{Kind: wire.FactWarning, Text: "half blind"})))
	region, _ := sendRegion(t, conn)
	conn.Write(wiretest.Frame(wire.FrameClock, 0, 0,
		binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 50e6), 50e6)))
	region.Sample(wire.ClockSample{Ticks: 90e6, Nanos: 90e6})
	ran := wire.ThreadTime{Thread: firstThread, At: 60e6, Ran: 40e6, Waited: wire.WaitNotKnown}
	conn.Write(wiretest.Frame(wire.FrameThreadTimes, 0, 0, wire.AppendThreadTime(nil, ran)))
	for i, offset := range []int{wire.RegionUnringedOffset, wire.RegionUnnumberedOffset, wire.RegionForksOffset,
		wire.RegionRejectedOffset} {
		region.Count(offset, uint64(i+1))
	}
	thread, _ := region.Thread(firstThread, 1)
	thread.Enter(77, 5, callWait)
	thread.Count(wire.RingNestedOffset+8*int(wire.FamilyCommandBuffer), 6)
	for i, offset := range []int{wire.RingCommitsOffset, wire.RingCommitsMissedOffset, wire.RingCompletionsOffset,
		wire.RingCompletionsMissedOffset} {
		thread.Count(offset, uint64(10-i))
	}
	conn.Close()
	trace, result := r.finish()
	p := trace.Processes()[0]
	if len(p.Warnings) != 1 || p.Warnings[0] != "half blind" || p.Clock != wire.ClockNanoseconds {
		t.Errorf("process %+v", p)
	}
	want := []wire.ClockSample{{Ticks: 1, Nanos: 1}, {Ticks: 50e6, Nanos: 50e6}, {Ticks: 90e6, Nanos: 90e6}}
	if fmt.Sprint(p.Samples) != fmt.Sprint(want) {
		t.Errorf("samples %v", p.Samples)
	}
	ofThreads := slices.DeleteFunc(p.ThreadTimes, func(t wire.ThreadTime) bool {
		return t.Thread == wire.WholeProcess ||
			t.Thread == wire.WholeMachine
	})
	if len(ofThreads) != 1 || ofThreads[0] != ran {
		t.Errorf("thread times %+v", p.ThreadTimes)
	}
	e := p.End
	if e.Unringed != 1 || e.Unnumbered != 2 || e.Forks != 3 || e.Rejected != 4 || result.Lost != 1 {
		t.Errorf("end %+v, result %+v", e, result)
	}
	if e.Nested != 6 || e.NestedBy["commandBuffer"] != 6 || e.Commits != (wire.Audit{Reached: 10, Missed: 9}) ||
		e.Completions != (wire.Audit{Reached: 8, Missed: 7}) {
		t.Errorf("counted beside the records: %+v", e)
	}
	if len(e.Current) != 1 || e.Current[0] != (tracefile.CurrentCall{Thread: firstThread, Begin: 77, Object: 5,
		Call: callWait}) {
		t.Errorf("current %+v", e.Current)
	}
}

// Whatever a process sends, the collector neither panics nor hangs.
func FuzzFrames(f *testing.F) {
	record := wire.AppendRecord(nil, wire.Record{Begin: 1, End: 2, Call: callCommit, Flags: wire.HasMore})
	fact := wire.AppendFact(nil, wire.Fact{Kind: wire.FactString, Key: 1, Text: "x"})
	f.Add(wiretest.Frame(wire.FrameRecords, 0, 0, record))
	f.Add(append(wiretest.Frame(wire.FrameRecords, 3, 2, record), wiretest.Frame(wire.FrameRecords, 3, 0,
		append(record, record...))...))
	f.Add(append(wiretest.Frame(wire.FrameFacts, 1, 0, fact), wiretest.Frame(wire.FrameClock, 0, 0, make([]byte, 32))...))
	f.Add(wiretest.Frame(wire.FrameRings, 0, 0, nil))
	f.Add(wiretest.Frame(wire.FrameThreadTimes, 0, 0,
		wire.AppendThreadTime(nil, wire.ThreadTime{Thread: 1, At: 2, Ran: 1})))
	stack := wire.AppendFact(nil, wire.Stack{Native: []uint64{1}, Python: []wire.PythonFrame{{Line: 1}}}.Fact())
	f.Add(wiretest.Frame(wire.FrameFacts, 0, 0, stack))
	f.Add(wiretest.Frame(wire.FrameProcessFacts, 0, 0,
		wire.AppendFact(stack[:48:48], wire.Image{Start: 1, Size: 2, Path: "x"}.Fact())))
	f.Add([]byte("MTRF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := tracefile.NewWriter(nowhere{io.Discard}, tracefile.Info{}) // its own: one keeps something of every process
		if err != nil {
			t.Fatal(err)
		}
		c := &Collector{writer: w, observer: Nobody{}, closing: make(chan struct{}), registry: newRegistry()}
		p := newProcess(c, wire.Hello{}, 0)
		p.reader = &descriptorReader{}
		p.readFrames(bufio.NewReader(bytes.NewReader(data)))
		p.end(false, nil, nil)
		if err := w.Close(tracefile.Result{}); err != nil {
			t.Fatal(err)
		}
	})
}

// nowhere is a file that keeps nothing.
type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// facted is an Observer that keeps the facts.
type facted struct {
	Nobody
	texts []string
}

func (f *facted) Facts(_ tracefile.ProcessIndex, facts []wire.Fact) {
	for _, fact := range facts {
		f.texts = append(f.texts, fact.Text)
	}
}

// Facts may arrive in chunks that end inside a fact, overlap, and overtake each other: each fact is there once. Only
// facts in a gap that stays are lost, with the fact that began before it.
func TestFactsInPieces(t *testing.T) {
	var all []byte
	var ends []int
	for _, text := range []string{"one", "two, which is longer", "three", "four"} {
		all = wire.AppendFact(all, wire.Fact{Kind: wire.FactString, Text: text})
		ends = append(ends, len(all))
	}
	for name, c := range map[string]struct {
		pieces [][2]int
		want   string
	}{
		"whole":      {[][2]int{{0, len(all)}}, "one|two, which is longer|three|four"},
		"cut inside": {[][2]int{{0, 10}, {10, 61}, {61, len(all)}}, "one|two, which is longer|three|four"},
		"overtaken while one begins": {[][2]int{{0, ends[0] + 9}, {ends[1], len(all)}, {ends[0] + 9, ends[1]}},
			"one|two, which is longer|three|four"},
		"overlapping": {[][2]int{{0, 50}, {20, ends[2]}, {0, len(all)}},
			"one|two, which is longer|three|four"},
		"gap that stays": {[][2]int{{0, ends[0] + 9}, {ends[1], len(all)}}, "one|three|four"},
	} {
		w, err := tracefile.Create(os.DevNull, tracefile.Info{})
		if err != nil {
			t.Fatal(err)
		}
		observer := &facted{}
		p := newProcess(&Collector{writer: w, observer: observer}, wire.Hello{}, 0)
		r := p.order.ring(0)
		for _, piece := range c.pieces {
			if err := p.order.joinFacts(r, uint64(piece[0]), all[piece[0]:piece[1]]); err != nil {
				t.Fatal(name, err)
			}
		}
		r.facts.finish()
		if got := strings.Join(observer.texts, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
