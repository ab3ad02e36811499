package cause

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay"
	"mtrace/collector/wire"
	"mtrace/fixtures/handmade"
)

// TestListenerSignals: each of two threads waits for a semaphore that a shared event listener's block posts when its
// command buffer has set the event. Another block in the same listener sleeps, which delays that. The replay of the
// program without these waits no longer tied a thread to its own command buffer, and predicted 14.7x where the command
// buffers alone allow 4.7x.
func TestListenerSignals(t *testing.T) {
	const us, rounds, usual, gpu = 1_000, 100, 5_000_000, 1_000_000
	w, random := handmade.New((rounds+10)*usual), rand.New(rand.NewPCG(1, 1))
	w.Trace.Queues, w.Trace.Threads = nil, []*analyze.Thread{w.C}
	around := func() analyze.Nanos { return usual/2 + analyze.Nanos(random.IntN(usual)) }
	for n := range 2 {
		th := &analyze.Thread{Process: w.C.Process, ID: analyze.ThreadID(11 + n), Active: w.C.Active}
		q := &analyze.Queue{ID: uint32(n + 1), Process: w.C.Process, Device: w.Queue.Device}
		w.Trace.Threads, w.Trace.Queues = append(w.Trace.Threads, th), append(w.Trace.Queues, q)
		at := analyze.Nanos(1000 + n*100*us)
		for i := range rounds {
			value := analyze.EventValue{Event: uint32(n + 1), Value: uint64(i + 1)}
			w.Trace.Listeners = append(w.Trace.Listeners, analyze.Listener{EventValue: value,
				Call: analyze.Call{Interval: handmade.At(at, at+us), Thread: th}, Process: th.Process})
			b := w.Buffer(th, at+5*us, handmade.At(at+20*us, at+20*us+gpu))
			b.Queue, b.Signals = q, []analyze.EventValue{value}
			posted := at + around()
			w.SignalWait(th, handmade.At(at+8*us, posted+5*us), uint64(0x100+n), w.C, posted, 0x900)
			at = posted + 10*us
		}
	}
	for n := range 4 { // the replay assumes spare capacity for each thread that does not use the GPU
		th := &analyze.Thread{Process: w.C.Process, ID: analyze.ThreadID(21 + n), Active: w.C.Active}
		w.Trace.Threads = append(w.Trace.Threads, th)
		w.Trace.CPUWaits.Locks = append(w.Trace.CPUWaits.Locks, analyze.LockWait{Call: analyze.Call{Thread: th,
			Interval: handmade.At(1000, 30*us)}, Selector: "pthread_mutex_lock", Lock: 0x500, Exclusive: 29 * us})
	}
	for at := analyze.Nanos(0); at < (rounds-20)*usual; {
		sleep := around()
		w.Blocked(w.C, handmade.At(at, at+sleep), analyze.BlockedSleep, wire.DescriptorUnknown, "block")
		at += sleep + 10*us
	}
	w.Trace.Finish()
	a := Analyze(w.Trace, Options{})
	if a.Verdict.Cause != Starvation {
		t.Errorf("%s: %s", a.Verdict.Cause, a.Verdict.Summary)
	}
	g, why, err := a.Predict([]replay.Wanted{{Kind: KindCause, Pattern: Starvation}})
	if ceiling := float64(usual) / gpu; err != nil || why != "" || g.Estimate > ceiling || g.Estimate < ceiling/2 {
		t.Errorf("predicted %s (%s, %v), and the command buffers alone allow %.1fx", g.InWords(), why, err, ceiling)
	}
}
