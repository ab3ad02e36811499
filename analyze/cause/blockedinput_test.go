package cause

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/replay"
	"mtrace/collector/wire"
	"mtrace/fixtures/handmade"
	"mtrace/fixtures/tracesim"
)

const inputPeriod = 1_000_000

// inputRounds makes a thread that waits at a descriptor for most of each millisecond, then submits and waits for its
// command buffer.
func inputRounds(kind analyze.Blocking, what wire.Descriptor, name string) *handmade.World {
	w := handmade.New(60 * inputPeriod)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*inputPeriod
		w.Blocked(w.A, handmade.At(begin, begin+640_000), kind, what, name)
		b := w.Buffer(w.A, begin+650_000, handmade.At(begin+660_000, begin+900_000))
		w.Wait(w.A, handmade.At(begin+652_000, begin+905_000), b)
	}
	w.Trace.Finish()
	return w
}

// TestInputs: a thread that read from a pipe for 64% of its time got no verdict, and two command buffers in flight as
// the first advice, which brought nothing. A server that waits for clients is idle, not slow.
func TestInputs(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    analyze.Blocking
		what    wire.Descriptor
		path    string
		cause   string
		summary string
	}{
		{"a pipe", analyze.BlockedPipe, wire.DescriptorPipe, "", Starvation, "wait for a pipe from another process"},
		{"a file", analyze.BlockedFile, wire.DescriptorFile, "/data/train.bin", Starvation, "wait for the file train.bin"},
		{"clients", analyze.BlockedSocket, wire.DescriptorNetwork, "port 8080", None,
			"The program is idle, not slow: for 63% of the threads' time it waited for the outside (a network socket " +
				"(port 8080))"},
		{"a sleep", analyze.BlockedSleep, wire.DescriptorUnknown, "sleep", None,
			"they spend 75% of their time outside of Metal, 63% in sleep calls"}, // was: "which is not traced"
		{"a terminal", analyze.BlockedTerminal, wire.DescriptorStandard, "", None, "The program is idle, not slow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := Analyze(inputRounds(c.kind, c.what, c.path).Trace, Options{})
			if v := a.Verdict; v.Cause != c.cause || !strings.Contains(v.Summary, c.summary) {
				t.Errorf("%s: %s, want %s: %s", v.Cause, v.Summary, c.cause, c.summary)
			}
			paced := c.kind != analyze.BlockedFile && c.kind != analyze.BlockedSleep
			if i := slices.IndexFunc(a.Gains(), func(g replay.Gain) bool { return g.Kind == replay.KindInFlight }); paced &&
				i >= 0 {
				t.Errorf("advice of more in flight, %v, though the other end decides when input comes", a.Gains()[i])
			}
		})
	}
}

// TestFeederThatWaitsForClients: a thread that passes requests on is reported as a feeder only while it works on them,
// not while it waits for clients.
func TestFeederThatWaitsForClients(t *testing.T) {
	for kind, want := range map[analyze.Blocking]string{analyze.BlockedFile: Starvation, analyze.BlockedSocket: None} {
		w := handmade.New(60 * inputPeriod)
		for i := range analyze.Nanos(59) {
			begin := 1000 + i*inputPeriod
			what := wire.DescriptorNetwork
			if kind == analyze.BlockedFile {
				what = wire.DescriptorFile
			}
			w.Blocked(w.B, handmade.At(begin, begin+600_000), kind, what, "x")
			w.SignalWait(w.A, handmade.At(begin, begin+640_000), 0x100, w.B, begin+620_000, 0)
			b := w.Buffer(w.A, begin+650_000, handmade.At(begin+660_000, begin+900_000))
			w.Wait(w.A, handmade.At(begin+652_000, begin+905_000), b)
		}
		w.Trace.Finish()
		if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != want {
			t.Errorf("a feeder that waits for %v: %s (%s), want %s", kind, v.Cause, v.Summary, want)
		}
	}
}

// TestFeederWithScheduleOfItsOwn: the requests of a server come from a thread that sleeps until random times. The
// verdict was "starvation, 2.3 times as fast without it", which no change to the server can achieve.
func TestFeederWithScheduleOfItsOwn(t *testing.T) {
	for _, random := range []bool{true, false} {
		draw := rand.New(rand.NewPCG(7, 7))
		w := handmade.New(60 * inputPeriod)
		at := analyze.Nanos(1000)
		for range 50 {
			length := analyze.Nanos(700_000)
			if random {
				length = analyze.Nanos(1000 + draw.ExpFloat64()*700_000)
			}
			w.Blocked(w.B, handmade.At(at, at+length), analyze.BlockedSleep, wire.DescriptorUnknown, "sleep")
			w.SignalWait(w.A, handmade.At(at, at+length+5000), 0x100, w.B, at+length, 0)
			b := w.Buffer(w.A, at+length+10_000, handmade.At(at+length+20_000, at+length+220_000))
			w.Wait(w.A, handmade.At(at+length+12_000, at+length+225_000), b)
			at += length + 230_000
			if !random {
				w.SignalWait(w.B, handmade.At(at-230_000+length/100, at), 0x200, w.A, at-1000, 0)
			} else {
				w.Blocked(w.B, handmade.At(at-230_000, at), analyze.BlockedSleep, wire.DescriptorUnknown, "sleep")
			}
		}
		w.Trace.Finish()
		v := Analyze(w.Trace, Options{}).Verdict
		if idle := strings.HasPrefix(v.Summary, "The program is idle, not slow"); idle != random ||
			(v.Cause == None) != random {
			t.Errorf("random %v: %s: %s", random, v.Cause, v.Summary)
		}
	}
}

// TestTokenThroughPipes: two processes that pass one token through pipes were reported to share a lock. Their
// alternation looks the same as with a lock that is not recorded, except for where each process is between its turns.
func TestTokenThroughPipes(t *testing.T) {
	for _, pipes := range []bool{true, false} {
		trace := shortOfProcessors(t, (*tracesim.Thread).Queue, false, 0)
		for _, th := range trace.Threads {
			th.CPU = nil
		}
		last := map[*analyze.Thread]analyze.Nanos{}
		for w := range analyze.Each(trace.Waits) {
			for b := range trace.Buffers() {
				if b.Created.Thread != w.Thread || b.Index != w.Buffer || last[w.Thread] == 0 || !pipes {
					continue
				}
				trace.CPUWaits.Blocked = append(trace.CPUWaits.Blocked, analyze.BlockedWait{Call: analyze.Call{Thread: w.Thread,
					Interval: handmade.At(last[w.Thread], b.Created.Begin)}, Selector: "read", Kind: analyze.BlockedPipe,
					What: wire.DescriptorPipe})
			}
			last[w.Thread] = w.End
		}
		v := Analyze(trace, Options{}).Verdict
		if got := v.Cause == LockContention; got == pipes {
			t.Errorf("pipes %v: %s (%s)", pipes, v.Cause, v.Summary)
		}
		said := slices.ContainsFunc(v.RuledOut, func(f Finding) bool { return strings.Contains(f.Why, "no lock is shared") })
		if said != pipes {
			t.Errorf("pipes %v: the evidence says that no lock is shared: %v", pipes, said)
		}
	}
}
