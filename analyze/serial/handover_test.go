package serial

import (
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
