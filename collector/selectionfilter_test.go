package collector

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/validate"
)

// selected returns the trace of a process with a selection; feed passes it the records of its rings.
func selected(t *testing.T, only, leaveOut []string, feed func(p *process)) *tracefile.Reader {
	t.Helper()
	selection, err := NewSelection(only, leaveOut)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.mtrace")
	writer, err := tracefile.Create(path, tracefile.Info{Tool: "test", Selected: selection.Asked()})
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess(&Collector{writer: writer, selected: selection, observer: Nobody{}}, wire.Hello{Version: wire.Version,
		PID: 7, Program: "test"}, 0)
	p.trace.clock = wire.ClockNanoseconds
	p.trace.add()
	writer.Region(p.trace.index, p.trace.clock, 0, 0)
	feed(p)
	p.trace.selection.finish()
	end := tracefile.End{Unix: time.Now().UnixNano()}
	for _, r := range p.order.rings {
		if r != nil {
			end.Rings = append(end.Rings, tracefile.RingEnd{Ring: r.index, Head: r.records.next - r.selection.leftOut})
			end.LeftOut += r.selection.leftOut
		}
	}
	writer.EndProcess(p.trace.index, end)
	if err := writer.Close(tracefile.Result{Finished: time.Now().UnixNano()}); err != nil {
		t.Fatal(err)
	}
	if selection.held.Load() != 0 {
		t.Errorf("%d bytes are still counted", selection.held.Load())
	}
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	if problems, err := validate.Trace(trace); err != nil || len(problems) > 0 {
		t.Errorf("%v %q", err, problems)
	}
	return trace
}

var (
	callQueue   = mustMake(wire.KindQueue, wire.KindDevice)
	callBuffer  = wire.MustLookup(wire.FamilyQueue, "commandBuffer")
	callEncoder = wire.MustLookup(wire.FamilyCommandBuffer, "computeCommandEncoder")
	callCommits = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	callWaited  = wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")
	nameQueue   = wire.MustLookup(wire.FamilyQueue, "setLabel:")
	nameBuffer  = wire.MustLookup(wire.FamilyCommandBuffer, "setLabel:")
)

// mustMake is a call that makes objects of a kind of one of another.
func mustMake(kind, of wire.Kind) wire.Call {
	i := slices.IndexFunc(wire.Table[:], func(r wire.Row) bool {
		return r.Makes(kind) && r.Object.Kind == of &&
			len(r.More) == 0
	})
	return wire.Table[i].Call
}

// TestSelection: a process has two threads, each with a queue and with labels on some command buffers. The selection is
// kept, and nothing else, whichever ring comes first. Records that are left out are counted, and are not missing.
func TestSelection(t *testing.T) {
	const workers, rounds = 2, 300
	dispatch := wire.MustLookup(wire.FamilyEncoder, "dispatchThreadgroups:threadsPerThreadgroup:")
	// Ring 0 belongs to the thread that creates the queues, 1 and 2 to the workers, 3 to the thread that gets
	// completions.
	var rings [4][]wire.Record
	at := wire.Ticks(1000)
	add := func(ring int, r wire.Record, more ...wire.More) {
		at += 100
		r.Begin, r.End = at, at+50
		if len(more) > 0 {
			r.Flags |= wire.HasMore
		}
		rings[ring] = append(rings[ring], r)
		for _, m := range more {
			rings[ring] = append(rings[ring], m.Record())
		}
	}
	for i := range rings {
		add(i, wire.Record{Call: wire.CallThreadStart, Arg: uint64(100 + i)}, wire.More{})
	}
	for w := range workers {
		add(0, wire.Record{Call: callQueue, Object: 1, Arg: uint64(2 + w)})
	}
	for w := range workers { // later than it is used by the thread that gets it first
		add(0, wire.Record{Call: nameQueue, Object: wire.ObjectID(2 + w),
			Arg: uint64(wire.HashString(fmt.Sprint("queue/", w)))})
	}
	object := wire.ObjectID(10)
	for n := range rounds {
		for w := range workers {
			buffer, encoder := object, object+1
			object += 2
			add(1+w, wire.Record{Call: callBuffer, Object: wire.ObjectID(2 + w), Arg: uint64(buffer)})
			add(1+w, wire.Record{Call: callEncoder, Object: buffer, Arg: uint64(encoder)})
			add(1+w, wire.Record{Call: dispatch, Object: encoder}, wire.More{X0: 1})
			if n%3 == 0 {
				add(1+w, wire.Record{Call: nameBuffer, Object: buffer, Arg: uint64(wire.HashString("third"))})
			}
			add(1+w, wire.Record{Call: callCommits, Object: buffer})
			add(1+w, wire.Record{Call: callWaited, Object: buffer})
			add(3, wire.Record{Call: wire.CallCompleted, Object: buffer, Arg: 4}, wire.More{X0: uint64(at), X1: uint64(at)})
		}
	}
	feed := func(p *process) {
		p.trace.mutex.Lock()
		p.trace.handFacts([]wire.Fact{
			{Kind: wire.FactThreadName, Key: 101, Text: "worker-0"}, {Kind: wire.FactThreadName, Key: 102, Text: "worker-1"},
			{Kind: wire.FactString, Key: uint64(wire.HashString("queue/0")), Text: "queue/0"},
			{Kind: wire.FactString, Key: uint64(wire.HashString("queue/1")), Text: "queue/1"},
			{Kind: wire.FactString, Key: uint64(wire.HashString("third")), Text: "third"},
			{Kind: wire.FactDevice, Key: 1, Text: "GPU"},
		})
		p.trace.mutex.Unlock()
		random := rand.New(rand.NewPCG(1, 2))
		var fed [4]int
		for left := 4; left > 0; { // in chunks that end anywhere, the creators of queues last
			i := random.IntN(4)
			if left == 4 {
				i = 1 + random.IntN(3)
			}
			from := fed[i]
			if from == len(rings[i]) {
				continue
			}
			to := min(len(rings[i]), from+1+random.IntN(700))
			if err := p.order.joinRecords(p.order.ring(uint16(i)), uint64(from), rings[i][from:to]); err != nil {
				t.Fatal(err)
			}
			if fed[i] = to; to == len(rings[i]) {
				left--
			}
		}
	}
	all := 0
	for i := range rings {
		all += len(rings[i])
	}
	for _, c := range []struct {
		only, leaveOut []string
		want           [4]int // calls, without More records and starts of threads
	}{
		// the GPU's work is known of all command buffers
		{only: []string{"thread:worker-1"}, want: [4]int{4, 0, 1600, 600}},
		{only: []string{"thread:102", "thread:nobody"}, want: [4]int{4, 0, 1600, 600}},
		{leaveOut: []string{"thread:worker-*"}, want: [4]int{4, 0, 0, 600}},
		{only: []string{"queue:queue*0"}, want: [4]int{4, 1600, 0, 300}},
		{only: []string{"queue:3"}, want: [4]int{4, 0, 1600, 300}},
		{only: []string{"label:third"}, want: [4]int{4, 600, 600, 200}},
		{leaveOut: []string{"label:third"}, want: [4]int{4, 1000, 1000, 400}},
		{only: []string{"call:commit", "call:wait*"}, want: [4]int{4, 600, 600, 600}},
		{leaveOut: []string{"call:dispatch*"}, want: [4]int{4, 1300, 1300, 600}},
		{only: []string{"queue:queue/1", "call:commit"}, leaveOut: []string{"label:third"}, want: [4]int{4, 0, 200, 200}},
	} {
		trace := selected(t, c.only, c.leaveOut, feed)
		var got [4]int
		records := 0
		for i := range got {
			for _, r := range kept(t, trace, i) {
				records++
				if r.Call != wire.CallMore && r.Call != wire.CallThreadStart {
					got[i]++
				}
			}
		}
		if got != c.want {
			t.Errorf("--only %q --leave-out %q: %v calls of each ring, want %v", c.only, c.leaveOut, got, c.want)
		}
		if end := trace.Processes()[0].End; end == nil || end.LeftOut != uint64(all-records) || end.Lost() != 0 {
			t.Errorf("--only %q: the end is %+v, of %d records %d are there", c.only, end, all, records)
		}
	}
}

// TestSelectionOfQuietRings: records of a thread that falls silent are filtered in time. The story: the decision waited
// for the thread's next record, or for the end, and the records were lost with a collector that was killed meanwhile.
func TestSelectionOfQuietRings(t *testing.T) {
	records := []wire.Record{{Call: wire.CallThreadStart, Arg: 100, Begin: 1, End: 1},
		{Call: callQueue, Object: 1, Arg: 2, Begin: 10, End: 20},
		{Call: callBuffer, Object: 2, Arg: 3, Begin: 30, End: 40}, {Call: callCommits, Object: 3, Begin: 50, End: 60,
			Flags: wire.HasMore}}
	more := wire.More{X0: 1}
	written := func(p *process) (n uint64) {
		return p.order.ring(0).records.next - uint64(len(p.order.ring(0).selection.waiting.open))
	}
	selected(t, []string{"thread:100"}, nil, func(p *process) {
		add := func(from uint64, records ...wire.Record) {
			if err := p.order.joinRecords(p.order.ring(0), from, records); err != nil {
				t.Fatal(err)
			}
		}
		sift := func(after time.Duration) {
			p.trace.selection.decideQuiet(time.Now().Add(after))
			if n := len(p.order.ring(0).selection.waiting.pieces); n > 1 {
				t.Errorf("%d pieces wait", n)
			}
		}
		add(0, records...)
		sift(decideAfter / 2)
		sift(2 * decideAfter)
		if n := written(p); n != 0 {
			t.Errorf("%d records were decided without the end of the last", n)
		}
		add(uint64(len(records)), more.Record())
		sift(decideAfter / 2)
		if n := written(p); n != 0 {
			t.Errorf("%d records were decided before their time", n)
		}
		sift(2 * decideAfter)
		if n, waiting := written(p), len(p.order.ring(0).selection.waiting.pieces); n != 5 || waiting != 0 {
			t.Errorf("%d of 5 records were decided in time, %d pieces wait", n, waiting)
		}
	})
}

// TestSelectionIsRefused: one line states what is wrong.
func TestSelectionIsRefused(t *testing.T) {
	for _, wrong := range []string{"", "thread", "thread:", "colour:red", "call:[", "worker-1"} {
		_, err := NewSelection([]string{wrong}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "--only ") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
