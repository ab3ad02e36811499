package serial

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// meets makes rounds in which A, B and C work on the GPU and wait for who is last, who is A in nine of ten. With a coordinator, a fourth
// thread lets them go, 20 µs after the last has told it.
func meets(rounds int, coordinator bool) *world {
	const us = 1_000
	w := newWorld(analyze.Nanos(rounds+1) * 2000 * us)
	var lead *analyze.Thread
	if coordinator {
		lead = &analyze.Thread{Process: w.a.Process, ID: 4, Active: w.trace.Window}
		w.trace.Threads = append(w.trace.Threads, lead)
	}
	for k := range rounds {
		begin := analyze.Nanos(k+1) * 2000 * us
		last := w.a
		if k%10 == 9 {
			last = w.b
		}
		end := begin + 1500*us
		by := last
		if coordinator {
			w.signalWait(lead, at(begin+50*us, end+10*us), last, end, 7)
			by, end = lead, end+20*us
		}
		for _, th := range []*analyze.Thread{w.a, w.b, w.c} {
			took := analyze.Nanos(500 * us)
			if th == last {
				took = 1500 * us
			}
			b := w.buffer(th, begin+10*us, at(begin+20*us, begin+took-10*us))
			w.wait(th, at(begin+12*us, begin+took-5*us), b)
			if th != last || coordinator {
				w.signalWait(th, at(begin+took, end+10*us), by, end, 8)
			}
		}
	}
	w.trace.Finish()
	return w
}

func (w *world) signalWait(by *analyze.Thread, i analyze.Interval, signaller *analyze.Thread, signalled analyze.Nanos, object uint64) {
	w.trace.SignalWaits = append(w.trace.SignalWaits, analyze.SignalWait{Call: analyze.Call{Interval: i, Thread: by}, Selector: "pthread_cond_wait",
		Object: object, Signaller: signaller, Signalled: signalled})
}

func TestImbalance(t *testing.T) {
	for _, coordinator := range []bool{false, true} {
		a := Analyze(meets(60, coordinator).trace, Options{})
		v := a.Verdict
		if v.Cause != Imbalance {
			t.Fatalf("coordinator %v: %s: %s", coordinator, v.Cause, v.Summary)
		}
		// Of each 2 ms, two threads wait one.
		if s := share(v.Causes[0].Lost, a.ThreadTimeTotal()); s < 0.31 || s > 0.36 {
			t.Errorf("coordinator %v: %.2f of the time lost, want a third", coordinator, s)
		}
		// Shared out evenly, each works 833 µs instead of up to 1500: rounds of 1333 µs instead of 2000.
		if s := v.Causes[0].Speedup; s == nil || s.Estimate < 1.47 || s.Estimate > 1.53 || s.Low > 1.5 || s.High < 1.5 {
			t.Errorf("coordinator %v: %+v, want 1.5", coordinator, s)
		}
		if said := strings.Join(v.Causes[0].Evidence, "\n"); !strings.Contains(said, "thread 1 (90 %), thread 2 (10 %)") {
			t.Errorf("coordinator %v: the slowest is not named:\n%s", coordinator, said)
		}
	}
	if v := Analyze(meets(6, false).trace, Options{}).Verdict; v.Cause == Imbalance {
		t.Errorf("six rounds are enough: %s", v.Summary)
	}
}

// feeds makes a thread that waits for another's signal, of so many µs, before each command buffer of 400 µs; the other compiles meanwhile,
// or nothing is known of it.
func feeds(rounds int, wait analyze.Nanos, compiles bool) *world {
	const us = 1_000
	w := newWorld(analyze.Nanos(rounds+1) * (wait + 500) * us)
	for k := range rounds {
		begin := analyze.Nanos(k+1) * (wait + 500) * us
		w.signalWait(w.a, at(begin, begin+wait*us), w.b, begin+wait*us-5*us, 9)
		if compiles {
			w.trace.Compilations = append(w.trace.Compilations, analyze.Compilation{Call: analyze.Call{Interval: at(begin+10*us, begin+wait*us-10*us), Thread: w.b}, Kind: "library", Selector: "newLibraryWithSource:options:error:"})
		}
		commit := begin + (wait+20)*us
		b := w.buffer(w.a, commit, at(commit+10*us, commit+410*us))
		w.wait(w.a, at(commit+5*us, commit+420*us), b)
	}
	w.trace.Finish()
	return w
}

func TestStarvation(t *testing.T) {
	for _, compiles := range []bool{false, true} {
		a := Analyze(feeds(60, 800, compiles).trace, Options{})
		v := a.Verdict
		if v.Cause != Starvation {
			t.Fatalf("%s: %s", v.Cause, v.Summary)
		}
		said := strings.Join(v.Causes[0].Evidence, "\n")
		if !strings.Contains(said, "for the signal of thread 2 (pthread_cond_wait)") || strings.Contains(said, "which compiled meanwhile") != compiles {
			t.Errorf("compiles %v:\n%s", compiles, said)
		}
		// Of each 1300 µs, 500 are left.
		if s := v.Causes[0].Speedup; s == nil || s.Estimate < 2.4 || s.Estimate > 2.8 {
			t.Errorf("%+v (%s), want 2.6", s, v.Causes[0].Unpredicted)
		}
	}
	if v := Analyze(feeds(60, 30, false).trace, Options{}).Verdict; v.Cause != GPUBound {
		t.Errorf("waits of 30 µs: %s: %s", v.Cause, v.Summary)
	}
}
