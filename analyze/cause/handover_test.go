package cause

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// TestHandover: a thread that waits for the submitter's signal waits for an answer only if it submitted a request, and
// only if the submitter worked for that thread alone. Pools were once mistaken for clients, since they wait in the same
// way. So were threads that load data: they signal that data is there and wait for space. No thread was reported to
// starve the GPU then.
func TestHandover(t *testing.T) {
	const asked, answers = 100, 200
	const period = 1_000_000
	for _, c := range []struct {
		name      string
		gave      uint64 // what the threads signal before they wait
		together  bool   // the submitter lets both go at once
		forNobody bool   // each wake-up is first for nobody
		fetched   bool   // the submitter fetches something from where the thread had been
		brief     bool   // they hardly wait
		own       bool   // each waits on an object of its own
		never     bool   // the submitter waits for none of their signals
		idle      bool   // the submitter waits for them for half of the time
		holds     bool
		lost      analyze.Nanos
	}{
		{name: "clients", gave: asked, holds: true, lost: 20 * (period - 300_000)},
		{name: "clients woken for nobody", gave: asked, forNobody: true, holds: true, lost: 20 * (period - 1000 - 300_000)},
		{name: "clients of one that is never idle", gave: 300, fetched: true, holds: true, lost: 20 * (period - 300_000)},
		{name: "clients with promises, of one that is never idle", gave: 300, own: true, never: true, holds: true,
			lost: 20 * (period - 300_000)},
		{name: "clients with promises, of one that answers several with one command buffer", gave: 300, own: true,
			never:    true,
			together: true, holds: true, lost: 10 * (4*period - 600_000)},
		{name: "workers with mailboxes", own: true, never: true},
		{name: "a pool that is fed"},
		{name: "loaders", gave: asked, brief: true},
		{name: "loaders without room", gave: asked, idle: true},
		{name: "a pool that signals something else", gave: 300},
		{name: "a pool that is let go together and says when it is done", gave: asked, together: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := handmade.New(30 * period)
			if !c.never {
				w.SignalWait(w.A, handmade.At(10, 100), asked, w.B, 100-1, 0) // the submitter waits once
			}
			place := func(t *analyze.Thread) uint64 {
				if c.own {
					return answers + uint64(t.ID)
				}
				return answers
			}
			for i := range analyze.Nanos(20) {
				begin := 1000 + i*period
				end := begin + period
				client, next := w.B, w.C
				if i%2 == 1 {
					client, next = next, client
				}
				b := w.Buffer(w.A, begin+100_000, handmade.At(begin+200_000, begin+500_000))
				w.Wait(w.A, handmade.At(begin+150_000, begin+510_000), b)
				if c.idle {
					w.SignalWait(w.A, handmade.At(begin+520_000, end-1), asked, next, end-2, 0)
				}
				switch {
				case c.together && i%2 == 1:
					w.SignalWait(w.B, handmade.At(begin-period, end), place(w.B), w.A, end-1, c.gave)
					w.SignalWait(w.C, handmade.At(begin-period, end), place(w.C), w.A, end-1, c.gave)
				case c.together:
				case c.forNobody:
					w.SignalWait(client, handmade.At(begin, begin+1000), answers, w.A, begin+1000-1, c.gave)
					w.SignalWait(client, handmade.At(begin+2000, end), answers, w.A, end-1, 0)
				case c.brief:
					w.SignalWait(client, handmade.At(end-60_000, end), answers, w.A, end-1, c.gave)
				default:
					w.SignalWait(client, handmade.At(begin, end), place(client), w.A, end-1, c.gave)
					w.Trace.CPUWaits.Signals[len(w.Trace.CPUWaits.Signals)-1].Fetched = c.fetched
				}
			}
			w.Trace.Finish()
			a := Analyze(w.Trace, Options{})
			if a.Evidence.Delegation.Confirmed() != c.holds {
				t.Fatalf("%+v", a.Evidence.Delegation)
			}
			for _, f := range a.Verdict.RuledOut {
				if f.Cause == SingleSubmitter && c.holds {
					t.Errorf("ruled out: %s", f.Why)
				}
			}
			for _, f := range a.Verdict.Causes {
				if f.Cause == SingleSubmitter && (!c.holds || f.Lost < c.lost-40_000 || f.Lost > c.lost+40_000) {
					t.Errorf("lost %d, want %d, held %v: %q", f.Lost, c.lost, c.holds, f.Evidence)
				}
			}
			if waited := slices.Max(slices.Concat(a.Evidence.Matrices.Waits.NS...)) > 0; waited != c.holds {
				t.Errorf("the wait matrix has %v", a.Evidence.Matrices.Waits.NS)
			}
		})
	}
}

// The story: a thread that has another thread submit for it, and waits, was mistaken for a thread that feeds the
// submitter too slowly: in both cases each waits for the other in turns. A consumer also signals a producer that waits
// for space, but such a producer makes the next item meanwhile.
func TestHandoverOfOne(t *testing.T) {
	const asked, answers = 100, 200
	const period = 1_000_000
	for _, c := range []struct {
		name  string
		made  analyze.Nanos // when in each period
		runs  analyze.Nanos // of the client's work
		cause string
	}{
		{"a client", 50_000, 400_000, SingleSubmitter},
		{"one that takes results", -260_000, 400_000, None},
		{"a client whose work takes long", 50_000, 850_000, GPUBound},
	} {
		w := handmade.New(65 * period)
		answered := max(690_000, c.runs+120_000)
		for i := range analyze.Nanos(60) {
			begin := (i + 1) * period
			w.SignalWait(w.A, handmade.At(begin-period+min(answered+70_000, 990_000), begin+40_000), asked, w.B, begin+1000, 0)
			b := w.Buffer(w.A, begin+c.made, handmade.At(begin+100_000, begin+100_000+c.runs))
			w.Wait(w.A, handmade.At(begin+80_000, begin+110_000+c.runs), b)
			w.SignalWait(w.B, handmade.At(begin+2000, begin+answered+10_000), answers, w.A, begin+answered, asked)
		}
		w.Trace.Threads = w.Trace.Threads[:2]
		w.Trace.Finish()
		if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != c.cause {
			t.Errorf("%s: %s: %s", c.name, v.Cause, v.Summary)
		}
	}
}

// TestHandoverUnseen: requests that leave no trace (a flag that is polled, a pipe) were once not counted as requests.
// The submitter works only while a thread waits, which shows them. A thread that feeds a pool also works while all
// threads of the pool are busy.
func TestHandoverUnseen(t *testing.T) {
	const period = 1_000_000
	for _, c := range []struct {
		name  string
		shift analyze.Nanos // of the submitter's work against the waits
		wait  analyze.Nanos // of each period
		holds bool
	}{
		{name: "clients", wait: 600_000, holds: true},
		{name: "a pool that is fed", shift: 700_000, wait: 600_000},
		{name: "somebody always waits", wait: period * 3 / 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := handmade.New(65 * period)
			for i := range analyze.Nanos(60) {
				begin := 1000 + i*period + (i*i*37)%300*1000 // no rhythm
				end := begin + c.wait
				client := w.B
				if i%2 == 1 {
					client = w.C
				}
				from := begin + c.shift
				b := w.Buffer(w.A, from+20_000, handmade.At(from+100_000, from+500_000))
				b.Created.Begin = from + 5000
				w.Wait(w.A, handmade.At(from+50_000, from+510_000), b)
				w.SignalWait(client, handmade.At(begin, end), uint64(300+i%2), w.A, end-1, 0)
			}
			w.Trace.Finish()
			a := Analyze(w.Trace, Options{})
			if a.Evidence.Delegation.Confirmed() != c.holds || a.Evidence.Delegation.MayAnswer != 60 {
				t.Fatalf("%+v", a.Evidence.Delegation)
			}
			if says := strings.Contains(a.Verdict.Summary, "if they wait for results"); says == c.holds {
				t.Error(a.Verdict.Summary)
			}
		})
	}
}

// TestHandoverTogether: a server that commits a command buffer for each request of a batch and then answers them all at
// once was once mistaken for a thread that releases a pool. The predicted speed of its clients without the server was
// then 38% too low, because each client had its answer only when the last command buffer of the batch was done.
func TestHandoverTogether(t *testing.T) {
	const asked, answers, period = 100, 200, 2_000_000
	for _, buffers := range []analyze.Nanos{1, 2} {
		w := handmade.New(40 * period)
		d := &analyze.Thread{Process: w.A.Process, ID: 4, Active: w.Trace.TimeRange}
		w.Trace.Threads = append(w.Trace.Threads, d)
		w.SignalWait(w.A, handmade.At(10, 100), asked, w.B, 100-1, 0)
		clients := []*analyze.Thread{w.B, w.C, d}
		for i := range analyze.Nanos(30) {
			begin := 1000 + i*period
			for n := range buffers {
				from := begin + 400_000*n
				b := w.Buffer(w.A, from+100_000, handmade.At(from+150_000, from+500_000))
				w.Wait(w.A, handmade.At(from+120_000, from+510_000), b)
			}
			end := begin + 1_500_000
			for n := range 2 {
				w.SignalWait(clients[(int(i)+n)%3], handmade.At(begin, end+analyze.Nanos(n)), answers, w.A, end+analyze.Nanos(n)-1,
					asked)
			}
		}
		w.Trace.Finish()
		a := Analyze(w.Trace, Options{})
		if a.Evidence.Delegation.Confirmed() != (buffers == 2) {
			t.Errorf("%d command buffers for two answers: %+v", buffers, a.Evidence.Delegation)
		}
		if buffers == 2 && a.Evidence.Delegation.Batched*2 <= len(a.Evidence.Delegation.Replies) {
			t.Errorf("%d of %d answers were given together", a.Evidence.Delegation.Batched, len(a.Evidence.Delegation.Replies))
		}
		if buffers == 2 && a.Verdict.Cause != SingleSubmitter {
			t.Errorf("judged %s", a.Verdict.Cause)
		}
	}
	for _, batch := range []bool{false, true} {
		if _, why := submittingApart(submission{10, batch}); (why != "") != batch {
			t.Errorf("answers in batches %v: %q", batch, why)
		}
	}
}

// submission is a program in which a thread submits so many items of work for other threads.
type submission struct {
	pieces int
	batch  bool
}

func (s submission) Paced() bool          { return false }
func (submission) Meets() bool            { return false }
func (s submission) Submits() (int, bool) { return s.pieces, s.batch }

// The story: a thread that submits for six others kept a GPU with capacity for eight command buffers busy for 94% of
// the time, one command buffer at a time. The verdict was that the GPU was saturated, since all of its work was one
// thread's.
func TestHandoverKeepsTheGPUBusy(t *testing.T) {
	const period = 1_000_000
	w := handmade.New(30 * period)
	w.SignalWait(w.A, handmade.At(10, 100), 100, w.B, 100-1, 0)
	for i := range analyze.Nanos(20) {
		begin := 1000 + i*period
		client := []*analyze.Thread{w.B, w.C}[i%2]
		b := w.Buffer(w.A, begin+10_000, handmade.At(begin+20_000, begin+period-20_000))
		w.Wait(w.A, handmade.At(begin+15_000, begin+period-10_000), b)
		w.SignalWait(client, handmade.At(begin-min(i, 1)*period, begin+period), 200, w.A, begin+period-1, 100)
	}
	a := Analyze(w.Trace, Options{})
	if a.Verdict.Cause != SingleSubmitter {
		t.Errorf("%s: %s", a.Verdict.Cause, a.Verdict.Summary)
	}
}

// The story: a thread gives its results to a pool through a queue of two slots, and waits when the queue is full. Each
// thread of the pool was reported to submit its work through that thread, because it signals that a slot is free again.
// But it then starts working, and does not wait.
func TestRoomIsNoRequest(t *testing.T) {
	const room, results, period = 100, 200, 2_000_000
	for _, works := range []analyze.Nanos{0, 1_500_000} {
		w := handmade.New(40 * period)
		for i := range analyze.Nanos(30) {
			begin := 1000 + i*period
			client := w.B
			if i%2 == 1 {
				client = w.C
			}
			w.SignalWait(w.A, handmade.At(begin, begin+50_000), room, client, begin+50_000-1, 0)
			b := w.Buffer(w.A, begin+100_000, handmade.At(begin+150_000, begin+1_700_000))
			w.Wait(w.A, handmade.At(begin+120_000, begin+1_710_000), b)
			w.SignalWait(client, handmade.At(begin+50_000+works, begin+1_750_000), results, w.A, begin+1_750_000-1, room)
		}
		w.Trace.Finish()
		if a := Analyze(w.Trace, Options{}); a.Evidence.Delegation.Confirmed() != (works == 0) {
			t.Errorf("works for %v before it waits: %+v", works, a.Evidence.Delegation)
		}
	}
}

// The story: for a program of one thread the report named other threads that wait for its signal and may get work
// through it. They were Metal's own threads, which a commit wakes.
func TestMetalsThreadsAreNoOthers(t *testing.T) {
	const period = 1_000_000
	w := handmade.New(40 * period)
	for i := range analyze.Nanos(30) {
		begin := 1000 + i*period
		b := w.Buffer(w.A, begin+100_000, handmade.At(begin+200_000, begin+700_000))
		b.Committed.End = begin + 120_000
		w.Wait(w.A, handmade.At(begin+130_000, begin+710_000), b)
		w.SignalWait(w.B, handmade.At(begin-min(i, 1)*800_000, begin+110_001), 200, w.A, begin+110_000, 0)
	}
	w.Trace.Finish()
	if h := Analyze(w.Trace, Options{}).Evidence.Delegation; h == nil || h.Others != 0 || len(h.Replies) != 0 {
		t.Errorf("%+v", h)
	}
}
