package collector

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// sleepFor is how long a thread that sleeps does so, again and again.
const sleepFor = 10 * time.Millisecond

// live runs threads that compute and threads that sleep, for the duration Pause.
func (t task) live(region wiretest.Region) {
	runtime.GOMAXPROCS(t.Compute + t.Sleep)
	done := make(chan struct{})
	for i := range t.Compute + t.Sleep {
		go func() {
			runtime.LockOSThread()
			thread, ok := region.Thread(uint64(unix.Gettid()), wiretest.Now())
			if !ok {
				panic("no ring")
			}
			kind := callCommit
			if i < t.Compute {
				kind = callWait
			}
			for began := time.Now(); time.Since(began) < t.Pause; {
				now := wiretest.Now()
				thread.Record(wire.Record{Begin: now, End: now, Object: 1, Call: kind})
				if i >= t.Compute {
					time.Sleep(sleepFor)
					continue
				}
				for spun := time.Now(); time.Since(spun) < 5*time.Millisecond; {
				}
			}
			done <- struct{}{}
		}()
	}
	for range t.Compute + t.Sleep {
		<-done
	}
}

// Twice as many threads compute as there are processors: each is on a processor or waits for one all of the time.
// Sleeping threads do neither while they sleep, as their records show: on a busy machine they wait long for a processor
// each time they wake. The test once expected them to sleep for most of the time, and failed with ten other programs
// running. Other load may still interfere, so the test may be repeated; but times never go backwards.
func TestThreadTimesOfAProcess(t *testing.T) {
	if openThreadClock(os.Getpid()) == nil {
		t.Skip("this system does not show the processor times of threads")
	}
	var wrong []string
	for range 3 {
		if wrong = wrongThreadTimes(t); len(wrong) == 0 {
			return
		}
	}
	t.Error(strings.Join(wrong, "\n"))
}

func wrongThreadTimes(t *testing.T) (wrong []string) {
	t.Helper()
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	const lasts = 800 * time.Millisecond
	mode := task{Compute: 2 * runtime.NumCPU(), Sleep: 2, Pause: lasts, Drain: "no"}
	r := startRecording(t)
	cmd, _ := mode.start(t, r.Address())
	r.wait(cmd)
	trace, _ := r.finish()
	p := trace.Processes()[0]
	first, last := map[uint64]wire.ThreadTime{}, map[uint64]wire.ThreadTime{}
	for _, s := range p.ThreadTimes {
		if before, known := last[s.Thread]; !known {
			first[s.Thread] = s
		} else if s.At <= before.At || s.Ran < before.Ran || s.Waited < before.Waited {
			t.Errorf("thread %d goes back: %+v after %+v", s.Thread, s, before)
		}
		last[s.Thread] = s
	}
	sleeps := sleepsOf(t, trace)
	computing, sleeping, sum, wanted := 0, 0, 0.0, 0.0
	for _, ring := range p.End.Rings {
		a, b := first[ring.Thread], last[ring.Thread]
		covered := float64(b.At - a.At)
		sum += float64(b.Ran - a.Ran)
		wanted += float64(b.Waited - a.Waited)
		if covered < 0.6*float64(lasts) {
			say("thread %d is covered for %.0f ms of %v", ring.Thread, covered/1e6, lasts)
			continue
		}
		ran, waited := float64(b.Ran-a.Ran)/covered, float64(b.Waited-a.Waited)/covered
		slept := 0.0
		for _, at := range sleeps[ring.Ring] {
			if at >= wire.Ticks(a.At) && at+wire.Ticks(sleepFor) <= wire.Ticks(b.At) {
				slept += float64(sleepFor) / covered
			}
		}
		switch {
		case slept == 0 && ran+waited > 0.85 && ran+waited < 1.05 && waited > 0.3:
			computing++
		case slept > 0.1 && ran < 0.2 && ran+waited < 1.05-slept:
			sleeping++
		default:
			say("thread %d ran for %.2f of the time, waited for %.2f and slept for at least %.2f", ring.Thread, ran, waited,
				slept)
		}
	}
	// The whole process ran for as long as its threads together.
	a, b := first[wire.WholeProcess], last[wire.WholeProcess]
	if ran := float64(b.Ran - a.Ran); float64(b.At-a.At) < 0.6*float64(lasts) || ran < 0.9*sum || ran > 1.2*sum+50e6 {
		say("the process is covered for %.0f ms of %v and ran for %.0f ms, its threads for %.0f ms", float64(b.At-a.At)/1e6,
			lasts, ran/1e6, sum/1e6)
	}
	if waited := float64(b.Waited - a.Waited); waited < 0.8*wanted || waited > 1.5*wanted+100e6 {
		say("the process waited for processors for %.0f ms, its threads for %.0f ms", waited/1e6, wanted/1e6)
	}
	// The machine's processors ran for no less, except for a tick of each.
	c, d := first[wire.WholeMachine], last[wire.WholeMachine]
	if ran := float64(d.Ran - c.Ran); float64(d.At-c.At) < 0.6*float64(lasts) ||
		ran < 0.9*float64(b.Ran-a.Ran)-20e6*float64(runtime.NumCPU()) {
		say("the machine is covered for %.0f ms of %v and ran for %.0f ms, the process for %.0f ms", float64(d.At-c.At)/1e6,
			lasts, ran/1e6, float64(b.Ran-a.Ran)/1e6)
	}
	if computing != mode.Compute || sleeping != mode.Sleep {
		say("%d threads compute and %d sleep, of %d and %d", computing, sleeping, mode.Compute, mode.Sleep)
	}
	return wrong
}

// sleepsOf is when the threads that sleep began to, by ring.
func sleepsOf(t *testing.T, trace *tracefile.Reader) map[uint16][]wire.Ticks {
	t.Helper()
	sleeps := map[uint16][]wire.Ticks{}
	for _, s := range trace.Streams() {
		err := trace.Read(s, func(records []wire.Record) error {
			for _, r := range records {
				if r.Call == callCommit {
					sleeps[s.Ring] = append(sleeps[s.Ring], r.End)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sleeps
}

// A process of another namespace has numbers of its own, and one that is gone has none.
func TestNoThreadClock(t *testing.T) {
	for _, pid := range []int{0, 1 << 30} {
		if c := openThreadClock(pid); c != nil {
			t.Errorf("process %d has a clock", pid)
		}
	}
	clock := openThreadClock(os.Getpid())
	if clock == nil {
		t.Skip("this system does not show the processor times of threads")
	}
	defer clock.close()
	if sample, alive := clock.read(wire.WholeProcess); !alive || sample.Ran <= 0 || sample.Waited < 0 {
		t.Errorf("the whole process has %+v, %v", sample, alive)
	}
	if sample, alive := clock.read(1 << 30); alive {
		t.Errorf("a thread that is not there has %+v", sample)
	}
}

func TestParseSchedstat(t *testing.T) {
	for text, want := range map[string]wire.ThreadTime{
		"29006642 93924139 104\n": {Ran: 29006642, Waited: 93924139},
		"1 0 1":                   {Ran: 1},
		"0 0 0\n":                 {},
		"":                        {},
		"1 2\n":                   {},
		"-1 2 3\n":                {},
		"1 x 3\n":                 {},
		"99999999999999999999999999999999999999 2 3\n": {},
	} {
		var got wire.ThreadTime
		ok := parseSchedstat([]byte(text), &got)
		if ok != (want.Ran > 0) || ok && got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
}

// BenchmarkThreadTimes measures what polling one thread costs the collector, and the share of a processor for eight
// threads that are always busy. From a hundred threads on the total cost is constant: see threadTimesPauseForEach.
func BenchmarkThreadTimes(b *testing.B) {
	clock := openThreadClock(os.Getpid())
	if clock == nil {
		b.Skip("this system does not show the processor times of threads")
	}
	defer clock.close()
	runtime.LockOSThread()
	id := uint64(unix.Gettid())
	var before, after unix.Rusage
	unix.Getrusage(unix.RUSAGE_THREAD, &before)
	for b.Loop() {
		if _, alive := clock.read(id); !alive {
			b.Fatal("this thread is gone")
		}
	}
	unix.Getrusage(unix.RUSAGE_THREAD, &after)
	cpu := float64(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-before.Stime.Nano()) / float64(b.N)
	b.ReportMetric(cpu, "cpu-ns/thread")
	b.ReportMetric(100*8*cpu/float64(threadTimesPause), "%cpu-of-8-threads")
}
