package cause

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// TestPassedTask: two threads that handed one task to each other by a condition variable were reported to share a lock,
// 49% of their time, and "the trace does not show why they alternate", although it has 300 waits of each for the
// other's signal. The GPU's work was 83% of the critical path.
func TestPassedTask(t *testing.T) {
	const us, rounds = 1_000, 60
	for name, c := range map[string]struct {
		selector string
		threads  int
		own      bool          // each thread waits at an object of its own
		works    analyze.Nanos // a thread works for that time after its signal
		want     string
	}{
		"a condition variable":                   {"pthread_cond_wait", 2, false, 0, GPUBound},
		"semaphores":                             {"sem_wait", 2, true, 0, GPUBound},
		"semaphores, and work after the signal":  {"sem_wait", 2, true, 200 * us, GPUBound},
		"semaphores of three threads":            {"sem_wait", 3, true, 0, GPUBound},
		"a lock built from a condition variable": {"pthread_cond_wait", 2, false, 200 * us, LockContention},
		"such a lock, shared by three threads":   {"pthread_cond_wait", 3, false, 0, LockContention},
		"a futex, as of a lock":                  {"futex", 2, false, 0, LockContention},
		"signals that the trace does not record": {"", 2, false, 0, LockContention},
	} {
		w, random := handmade.New(rounds*755*us*analyze.Nanos(c.threads)), rand.New(rand.NewPCG(1, 1))
		now, ended := analyze.Nanos(1000), map[*analyze.Thread]analyze.Nanos{}
		for range rounds {
			for n, th := range w.Trace.Threads[:c.threads] {
				other := w.Trace.Threads[(n+c.threads-1)%c.threads]
				if ended[th] > 0 && c.selector != "" {
					object := uint64(0x100)
					if c.own {
						object += uint64(th.ID)
					}
					w.SignalWait(th, handmade.At(ended[th]+c.works, now), object, other, now-5*us, object)
					w.Trace.CPUWaits.Signals[len(w.Trace.CPUWaits.Signals)-1].Selector = c.selector
				}
				end := now + analyze.Nanos(300+random.IntN(900))*us
				b := w.Buffer(th, now+10*us, handmade.At(now+20*us, end-20*us))
				w.Wait(th, handmade.At(now+12*us, end-10*us), b)
				ended[th], now = end-4*us, end
			}
		}
		w.Trace.Finish()
		v := Analyze(w.Trace, Options{}).Verdict
		if v.Cause != c.want {
			t.Errorf("%s: %s, want %s: %s", name, v.Cause, c.want, v.Summary)
		} else if f := v.finding(GPUBound); c.want == GPUBound && !strings.Contains(strings.Join(f.Evidence, "\n"),
			"threads pass one task to each other by signals") {
			t.Errorf("%s: %q", name, f.Evidence)
		}
	}
}
