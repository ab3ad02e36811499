package serial

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// signalled adds a wait of a thread for another's signal.
func (w *world) signalled(by *analyze.Thread, i analyze.Interval, object uint64, from *analyze.Thread, gave uint64) {
	w.trace.SignalWaits = append(w.trace.SignalWaits, analyze.SignalWait{Call: analyze.Call{Interval: i, Thread: by}, Selector: "pthread_cond_wait", Object: object,
		Signaller: from, Signalled: i.End - 1, Gave: gave})
}

// TestHandover: a thread that waits for the submitter's signal waits for an answer only if it handed something over, and only if the
// submitter did something for it alone. The pools were once taken for clients, since they wait in the same way.
func TestHandover(t *testing.T) {
	const asked, answers = 100, 200
	const period = 1_000_000
	for _, c := range []struct {
		name      string
		gave      uint64 // what the threads signal before they wait
		together  bool   // the submitter lets both go at once
		forNobody bool   // each wake-up is first for nobody
		fetched   bool   // the submitter fetches something from where the thread had been
		holds     bool
		lost      analyze.Nanos
	}{
		{name: "clients", gave: asked, holds: true, lost: 20 * (period - 300_000)},
		{name: "clients woken for nobody", gave: asked, forNobody: true, holds: true, lost: 20 * (period - 1000 - 300_000)},
		{name: "clients of one that is never idle", gave: 300, fetched: true, holds: true, lost: 20 * (period - 300_000)},
		{name: "a pool that is fed"},
		{name: "a pool that signals something else", gave: 300},
		{name: "a pool that is let go together and says when it is done", gave: asked, together: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(30 * period)
			w.signalled(w.a, at(10, 100), asked, w.b, 0) // the submitter waits once
			for i := range analyze.Nanos(20) {
				begin := 1000 + i*period
				end := begin + period
				client := w.b
				if i%2 == 1 {
					client = w.c
				}
				b := w.buffer(w.a, begin+100_000, at(begin+200_000, begin+500_000))
				w.wait(w.a, at(begin+150_000, begin+510_000), b)
				switch {
				case c.together && i%2 == 1:
					w.signalled(w.b, at(begin-period, end), answers, w.a, c.gave)
					w.signalled(w.c, at(begin-period, end), answers, w.a, c.gave)
				case c.together:
				case c.forNobody:
					w.signalled(client, at(begin, begin+1000), answers, w.a, c.gave)
					w.signalled(client, at(begin+2000, end), answers, w.a, 0)
				default:
					w.signalled(client, at(begin, end), answers, w.a, c.gave)
					w.trace.SignalWaits[len(w.trace.SignalWaits)-1].Fetched = c.fetched
				}
			}
			w.trace.Finish()
			a := Analyze(w.trace, Options{})
			if a.handover.holds() != c.holds {
				t.Fatalf("%+v", a.handover)
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
			if waited := a.WaitMatrix.Total() > 0; waited != c.holds {
				t.Errorf("the wait matrix has %v", a.WaitMatrix.NS)
			}
		})
	}
}

// TestHandoverUnseen: requests that no trace shows (a flag that is polled, a pipe) were once no requests. That the submitter works only
// while somebody waits shows them; one that feeds a pool works also while all of the pool are busy.
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
			w := newWorld(65 * period)
			for i := range analyze.Nanos(60) {
				begin := 1000 + i*period + (i*i*37)%300*1000 // no rhythm
				end := begin + c.wait
				client := w.b
				if i%2 == 1 {
					client = w.c
				}
				from := begin + c.shift
				b := w.buffer(w.a, from+20_000, at(from+100_000, from+500_000))
				b.Created.Begin = from + 5000
				w.wait(w.a, at(from+50_000, from+510_000), b)
				w.signalled(client, at(begin, end), uint64(300+i%2), w.a, 0)
			}
			w.trace.Finish()
			a := Analyze(w.trace, Options{})
			if a.handover.holds() != c.holds || a.handover.mayAnswer != 60 {
				t.Fatalf("%+v", a.handover)
			}
			if says := strings.Contains(a.Verdict.Summary, "if they wait for answers"); says == c.holds {
				t.Error(a.Verdict.Summary)
			}
		})
	}
}

// TestHandoverTogether: a server that answers a batch at once, having committed a command buffer for each, was once taken for one that
// lets a pool go. What its clients would be without it was then predicted 38 % too low, for each had its answer when the last of the batch was
// done.
func TestHandoverTogether(t *testing.T) {
	const asked, answers, period = 100, 200, 2_000_000
	for _, buffers := range []analyze.Nanos{1, 2} {
		w := newWorld(40 * period)
		d := &analyze.Thread{Process: w.a.Process, ID: 4, Active: w.trace.Window}
		w.trace.Threads = append(w.trace.Threads, d)
		w.signalled(w.a, at(10, 100), asked, w.b, 0)
		clients := []*analyze.Thread{w.b, w.c, d}
		for i := range analyze.Nanos(30) {
			begin := 1000 + i*period
			for n := range buffers {
				from := begin + 400_000*n
				b := w.buffer(w.a, from+100_000, at(from+150_000, from+500_000))
				w.wait(w.a, at(from+120_000, from+510_000), b)
			}
			end := begin + 1_500_000
			for n := range 2 {
				w.signalled(clients[(int(i)+n)%3], at(begin, end+analyze.Nanos(n)), answers, w.a, asked)
			}
		}
		w.trace.Finish()
		a := Analyze(w.trace, Options{})
		if a.handover.holds() != (buffers == 2) {
			t.Errorf("%d command buffers for two answers: %+v", buffers, a.handover)
		}
		if buffers == 2 && a.handover.batched*2 <= len(a.handover.replies) {
			t.Errorf("%d of %d answers were given together", a.handover.batched, len(a.handover.replies))
		}
		if buffers == 2 && a.Verdict.Cause != SingleSubmitter {
			t.Errorf("judged %s", a.Verdict.Cause)
		}
	}
	for _, batch := range []bool{false, true} {
		p := &program{submitter: handedOver{pieces: 10, batch: batch}}
		if _, why := (&Finding{Cause: SingleSubmitter}).removal(p); (why != "") != batch {
			t.Errorf("answers in batches %v: %q", batch, why)
		}
	}
}

// The story: a thread that submits for six others kept a GPU that has room for eight at once busy for 94 % of the time, one command
// buffer at a time. The verdict was that the GPU was saturated, since all of its work was one thread's.
func TestHandoverKeepsTheGPUBusy(t *testing.T) {
	const period = 1_000_000
	w := newWorld(30 * period)
	w.signalled(w.a, at(10, 100), 100, w.b, 0)
	for i := range analyze.Nanos(20) {
		begin := 1000 + i*period
		client := []*analyze.Thread{w.b, w.c}[i%2]
		b := w.buffer(w.a, begin+10_000, at(begin+20_000, begin+period-20_000))
		w.wait(w.a, at(begin+15_000, begin+period-10_000), b)
		w.signalled(client, at(begin-min(i, 1)*period, begin+period), 200, w.a, 100)
	}
	a := Analyze(w.trace, Options{})
	if a.Verdict.Cause != SingleSubmitter {
		t.Errorf("%s: %s", a.Verdict.Cause, a.Verdict.Summary)
	}
}

// The story: of a thread that gives its results to a pool through a queue of two places, and waits when that is full, each of the pool was
// said to hand its work over, because it signals that there is a place again; but it goes to work then, and does not wait.
func TestRoomIsNoRequest(t *testing.T) {
	const room, results, period = 100, 200, 2_000_000
	for _, works := range []analyze.Nanos{0, 1_500_000} {
		w := newWorld(40 * period)
		for i := range analyze.Nanos(30) {
			begin := 1000 + i*period
			client := w.b
			if i%2 == 1 {
				client = w.c
			}
			w.signalled(w.a, at(begin, begin+50_000), room, client, 0)
			b := w.buffer(w.a, begin+100_000, at(begin+150_000, begin+1_700_000))
			w.wait(w.a, at(begin+120_000, begin+1_710_000), b)
			w.signalled(client, at(begin+50_000+works, begin+1_750_000), results, w.a, room)
		}
		w.trace.Finish()
		if a := Analyze(w.trace, Options{}); a.handover.holds() != (works == 0) {
			t.Errorf("works for %v before it waits: %+v", works, a.handover)
		}
	}
}

// The story: of a program of one thread it was said that others wait for its signal and may be given work by it. They were Metal's own
// threads, which a commit wakes.
func TestMetalsThreadsAreNoOthers(t *testing.T) {
	const period = 1_000_000
	w := newWorld(40 * period)
	for i := range analyze.Nanos(30) {
		begin := 1000 + i*period
		b := w.buffer(w.a, begin+100_000, at(begin+200_000, begin+700_000))
		b.Committed.End = begin + 120_000
		w.wait(w.a, at(begin+130_000, begin+710_000), b)
		w.signalled(w.b, at(begin-min(i, 1)*800_000, begin+110_001), 200, w.a, 0)
	}
	w.trace.Finish()
	if h := Analyze(w.trace, Options{}).handover; h == nil || h.others != 0 || len(h.replies) != 0 {
		t.Errorf("%+v", h)
	}
}
