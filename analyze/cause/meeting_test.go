package cause

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/handmade"
)

// meets makes rounds in which A, B and C work on the GPU and wait for the last of them, which is A in nine of ten
// rounds. With a coordinator, a fourth thread releases them 20 µs after the last thread has signalled it.
func meets(rounds int, coordinator bool) *handmade.World { return meet(rounds, 3, 10, coordinator) }

// meet makes rounds of that many threads; B is the last in one round of each.
func meet(rounds, threads, each int, coordinator bool) *handmade.World {
	const us = 1_000
	w := handmade.New(analyze.Nanos(rounds+1) * 2000 * us)
	meeting := w.Trace.Threads[:threads:threads]
	w.Trace.Threads = meeting
	var lead *analyze.Thread
	if coordinator {
		lead = &analyze.Thread{Process: w.A.Process, ID: 4, Active: w.Trace.TimeRange}
		w.Trace.Threads = append(w.Trace.Threads, lead)
	}
	for k := range rounds {
		begin := analyze.Nanos(k+1) * 2000 * us
		last := w.A
		if k%each == each-1 {
			last = w.B
		}
		end := begin + 1500*us
		by := last
		if coordinator {
			w.SignalWait(lead, handmade.At(begin+50*us, end+10*us), 7, last, end, 0)
			by, end = lead, end+20*us
		}
		for _, th := range meeting {
			took := analyze.Nanos(500 * us)
			if th == last {
				took = 1500 * us
			}
			b := w.Buffer(th, begin+10*us, handmade.At(begin+20*us, begin+took-10*us))
			w.Wait(th, handmade.At(begin+12*us, begin+took-5*us), b)
			if th != last || coordinator {
				w.SignalWait(th, handmade.At(begin+took, end+10*us), 8, by, end, 0)
			}
		}
	}
	w.Trace.Finish()
	return w
}

func TestImbalance(t *testing.T) {
	for _, coordinator := range []bool{false, true} {
		a := Analyze(meets(60, coordinator).Trace, Options{})
		v := a.Verdict
		if v.Cause != Imbalance {
			t.Fatalf("coordinator %v: %s: %s", coordinator, v.Cause, v.Summary)
		}
		// Of each 2 ms, two threads wait one.
		if s := evidence.Share(v.Causes[0].Lost, a.Evidence.Times.Working()); s < 0.31 || s > 0.36 {
			t.Errorf("coordinator %v: %.2f of the time lost, want a third", coordinator, s)
		}
		// If the slow thread in one of ten rounds is slow by chance, that stays: rounds of 1476 µs instead of 2000. If
		// not, each works for 833 µs: rounds of 1333 µs.
		if s := v.Causes[0].Speedup; s == nil || s.Estimate < 1.33 || s.Estimate > 1.38 || s.Low > 1.33 || s.High < 1.5 {
			t.Errorf("coordinator %v: %+v, want 1.36, and 1.5 in the interval", coordinator, s)
		}
		if said := strings.Join(v.Causes[0].Evidence, "\n"); !strings.Contains(said, "thread 1 (90%), thread 2 (10%)") {
			t.Errorf("coordinator %v: the slowest is not named:\n%s", coordinator, said)
		}
	}
	if v := Analyze(meets(6, false).Trace, Options{}).Verdict; v.Cause == Imbalance {
		t.Errorf("six rounds are enough: %s", v.Summary)
	}
}

// The story: the work of each thread differs by a fifth from round to round. The replay had all threads arrive at each
// barrier at their average time. The real gain of distributing the work evenly was 10 to 15% smaller, because one of
// six threads always takes longest. A thread that is sometimes without a processor does not wait longer for one either.
func TestChanceStays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, threads := range []int{2, 3, 6, 9} {
		for _, each := range []int{0, 20} { // in one of so many rounds another thread is delayed by 3 ms
			m := &evidence.Barriers{Rounds: []evidence.Round{{}}}
			meeting := make([]*analyze.Thread, threads)
			for i := range meeting {
				meeting[i] = &analyze.Thread{ID: analyze.ThreadID(i + 1)}
			}
			const handOver = 30_000
			var at, even analyze.Nanos
			for k := range 400 {
				var r evidence.Round
				var last, lastThen float64
				for i, th := range meeting {
					work, chance, heldUp := 500_000.0, 0.8+0.4*random.Float64(), 0.0
					if i == 0 {
						work = 2_500_000
					}
					if each > 0 && k%each == 0 && i == 1 {
						heldUp = 3_000_000
					}
					r.Arrivals = append(r.Arrivals, evidence.Arrival{Thread: th, After: analyze.Nanos(work*chance + heldUp)})
					last = max(last, work*chance+heldUp)
					lastThen = max(lastThen, (2_500_000+500_000*float64(threads-1))/float64(threads)*chance+heldUp)
				}
				at, even = at+analyze.Nanos(last)+handOver, even+analyze.Nanos(lastThen)+handOver
				r.At = at
				m.Rounds = append(m.Rounds, r)
			}
			want := float64(at) / float64(even)
			if s := evenly(m); s == nil || math.Abs(s.Estimate/want-1) > 0.04 || s.Low > want || s.High < want {
				t.Errorf("%d threads, held up in one of %d: %+v, want %.2f", threads, each, s, want)
			}
		}
	}
}

// The story: two threads met at a barrier, or were released together by a third thread, and one of them always came
// last. The verdict was gpu-bound, because the other thread seemed to wait for items that the last one produces. But it
// waits while the last thread's work runs on the GPU, which could run its work as well. A producer that works without
// the GPU starves it.
func TestTwoThreadsOfWhichOneIsAlwaysLast(t *testing.T) {
	for _, coordinator := range []bool{false, true} {
		v := Analyze(meet(60, 2, 1000, coordinator).Trace, Options{}).Verdict
		if v.Cause != Imbalance {
			t.Errorf("released by a third thread %v: %s: %s", coordinator, v.Cause, v.Summary)
		}
	}
}

// The story: a third thread gives work to the two threads of a pool as it arrives, and waits for space when it has
// given too much. The two were called out of balance: each time one of them was released by the thread that had been
// signalled that there is space. But they are never released together.
func TestPoolOfTwoIsNoMeeting(t *testing.T) {
	const us = 1_000
	w := handmade.New(100 * 1000 * us)
	feeds := &analyze.Thread{Process: w.A.Process, ID: 4, Active: w.Trace.TimeRange}
	pool := [2]*analyze.Thread{w.A, w.B}
	w.Trace.Threads = append(pool[:2:2], feeds)
	for k := range 90 {
		at := analyze.Nanos(k+1) * 1000 * us
		th := pool[k/3%2]
		w.SignalWait(feeds, handmade.At(at-300*us, at+10*us), 7, th, at-5*us, 0)
		w.SignalWait(th, handmade.At(at-500*us, at+30*us), 8, feeds, at+20*us, 0)
		b := w.Buffer(th, at+40*us, handmade.At(at+50*us, at+350*us))
		w.Wait(th, handmade.At(at+45*us, at+360*us), b)
	}
	w.Trace.Finish()
	if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != Starvation {
		t.Errorf("%s: %s", v.Cause, v.Summary)
	}
}

// feeds makes a thread that waits for another thread's signal, for so many µs, before each command buffer of 400 µs;
// the other thread compiles meanwhile, or its activity is unknown.
func feeds(rounds int, wait analyze.Nanos, compiles bool) *handmade.World {
	const us = 1_000
	w := handmade.New(analyze.Nanos(rounds+1) * (wait + 500) * us)
	for k := range rounds {
		begin := analyze.Nanos(k+1) * (wait + 500) * us
		w.SignalWait(w.A, handmade.At(begin, begin+wait*us), 9, w.B, begin+wait*us-5*us, 0)
		if compiles {
			w.Trace.Compilations = append(w.Trace.Compilations,
				analyze.Compilation{Call: analyze.Call{Interval: handmade.At(begin+10*us, begin+wait*us-10*us), Thread: w.B},
					Kind: "library", Selector: "newLibraryWithSource:options:error:"})
		}
		commit := begin + (wait+20)*us
		b := w.Buffer(w.A, commit, handmade.At(commit+10*us, commit+410*us))
		w.Wait(w.A, handmade.At(commit+5*us, commit+420*us), b)
	}
	w.Trace.Finish()
	return w
}

func TestStarvation(t *testing.T) {
	for _, compiles := range []bool{false, true} {
		a := Analyze(feeds(60, 800, compiles).Trace, Options{})
		v := a.Verdict
		want, evidence := Starvation, "for the signal of thread 2 (pthread_cond_wait)"
		if compiles { // the GPU then waits for the compilation
			want, evidence = CompileBound, "for threads that were compiling"
		}
		said := strings.Join(v.Causes[0].Evidence, "\n")
		if v.Cause != want || !strings.Contains(said, evidence) {
			t.Fatalf("compiles %v: %s: %s\n%s", compiles, v.Cause, v.Summary, said)
		}
		// Of each 1300 µs, 500 are left.
		if s := v.Causes[0].Speedup; s == nil || s.Estimate < 2.4 || s.Estimate > 2.8 {
			t.Errorf("%+v (%s), want 2.6", s, v.Causes[0].Unpredicted)
		}
	}
	if v := Analyze(feeds(60, 30, false).Trace, Options{}).Verdict; v.Cause != GPUBound {
		t.Errorf("waits of 30 µs: %s: %s", v.Cause, v.Summary)
	}
}
