package experiment

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
	"mtrace/analyze/replay/change"
	"mtrace/fixtures/race"
	"mtrace/fixtures/tracesim"
)

// A place is a point at which the simulated program and the replayed one are delayed in the same way.
type place struct {
	name  string
	delay func(*tracesim.Delay) *int64
	at    change.DelayPoint
}

var places = []place{
	{"commit", func(d *tracesim.Delay) *int64 { return &d.Commit }, change.BeforeCommit},
	{"wait", func(d *tracesim.Delay) *int64 { return &d.Wait }, change.AfterWait},
	{"handler", func(d *tracesim.Delay) *int64 { return &d.Handler }, change.InHandler},
	{"lock", func(d *tracesim.Delay) *int64 { return &d.Hold }, change.InLock},
}

// A ruler measures the cost of delays in a simulated program.
type ruler struct {
	scenario *tracesim.Scenario
	threads  int     // that commit
	delay    int64   // a twentieth of the time of a command buffer
	plain    []int64 // how long the program takes without delays, by seed
}

// seeds is how many runs a simulated sensitivity is the mean of.
const seeds = 3

func newRuler(t *testing.T, s *tracesim.Scenario, trace *analyze.Trace) *ruler {
	t.Helper()
	r := &ruler{scenario: s}
	threads := map[*analyze.Thread]bool{}
	for b := range trace.Buffers() {
		threads[b.Committed.Thread] = true
	}
	r.threads = len(threads)
	for seed := range uint64(seeds) {
		sim := s.Build(seed + 1)
		sim.Run(t)
		r.plain = append(r.plain, sim.Truth.Finished-sim.Truth.Started)
	}
	r.delay = r.plain[0] * int64(r.threads) / int64(len(trace.CommandBuffers)) / 20
	return r
}

// measure returns the sensitivity to a delay at a point of the program; false if the program does not have that point.
func (r *ruler) measure(t *testing.T, p *place) (sensitivity float64, has bool) {
	t.Helper()
	longer, injected := int64(0), int64(0)
	for seed := range uint64(seeds) {
		sim := r.scenario.Build(seed + 1)
		*p.delay(&sim.Delay) = r.delay
		sim.Run(t)
		longer += sim.Truth.Finished - sim.Truth.Started - r.plain[seed]
		injected += sim.Truth.Injected
	}
	return float64(r.threads) * float64(longer) / float64(max(1, injected)), injected > 0
}

// lacking lists the simulated programs for which the replay predicts delays wrongly, with the reason.
var lacking = map[string]string{
	"anti-phase periodic threads":                              "sleep until a time: it hides every delay",
	"correlated bursts":                                        "sleep until a time",
	"GPU saturated under device-wide sync":                     "threads that resume together and leave the GPU idle",
	"head of line":                                             "the order in which threads alternate on one queue",
	"compilation 70, device-wide sync 30":                      "which command buffers a late thread still waits for",
	"a pool with too little to do":                             "work that threads share out anew",
	"another program on the GPU":                               "when another program has the GPU: replayed as recorded",
	"another program that interrupts the work of many threads": "when another program has the GPU",
	"another program that interrupts a busy GPU":               "when another program has the GPU",
	"another program that interrupts a full GPU":               "when another program has the GPU",
	"device-wide sync":                                         "which command buffers a late thread still waits for",
	"one thread submits, one takes":                            "that nothing waits for the thread that takes",
	"a spin lock around the program's own work":                "a lock that is not in the trace",
	"a spin lock of nine threads kept during the wait":         "how long threads spin",
	"polling at intervals":                                     "that a poll hides a delay shorter than its interval",
	"slow handlers fill the queue":                             "that handlers of a queue run one after another",
}

// The replay predicts the cost of a delay in simulated programs, whose true cost is known. The true cost is within the
// predicted interval, or no further away than the error of a mean of three runs. Exceptions are listed in lacking.
func TestReplayAgrees(t *testing.T) {
	const tolerance = 0.1
	agreed, off := 0, map[string]bool{}
	scenarios, fewest := tracesim.Scenarios, 90
	if race.Enabled { // more programs would run the same code
		scenarios, fewest = scenarios[:len(scenarios)/3], 25
	}
	for i := range scenarios {
		s := &scenarios[i]
		trace, err := analyze.Load(s.Build(1).Run(t), analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRuler(t, s, trace)
		ev := evidence.Gather(trace, evidence.Options{Seed: 1})
		of := replay.New(ev, evidence.ExternalGPUUse{}, 1)
		for p := range places {
			truth, has := r.measure(t, &places[p])
			if !has {
				continue
			}
			got, why := of.Sensitivity(&replay.Added{At: places[p].at, By: analyze.Nanos(r.delay)}, r.threads)
			switch {
			case got == nil:
				t.Logf("%s, %s: %.2f, not predicted: %s", s.Name, places[p].name, truth, why)
			case truth < got.Low-tolerance || truth > got.High+tolerance:
				off[s.Name] = true
				t.Logf("%s, %s: %.2f, predicted %.2f (%.2f to %.2f)", s.Name, places[p].name, truth, got.Estimate, got.Low,
					got.High)
				if lacking[s.Name] == "" {
					t.Errorf("%s, %s: a delay costs %.2f, predicted %.2f (%.2f to %.2f)", s.Name, places[p].name, truth,
						got.Estimate, got.Low, got.High)
				}
			default:
				agreed++
			}
		}
	}
	t.Logf("%d predictions agree; %d programs have others", agreed, len(off))
	for name, what := range lacking {
		if !off[name] {
			t.Logf("the replay of %q agrees now, so lacking need not list it: %s", name, what)
		}
	}
	if agreed < fewest {
		t.Errorf("only %d predictions agree", agreed)
	}
}
