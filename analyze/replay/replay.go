// Package replay predicts how fast a recorded program would be if something were changed. It extracts the threads'
// steps from a trace and its evidence and simulates them in virtual time (see package machine). If the simulation
// reproduces the recorded run, it simulates changed programs. It does not know the causes that the report names.
package replay

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/extract"
	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
)

// A Change says how a program is changed for a prediction.
type Change = change.Change

// A Replay is a recorded program that can be run again with changes.
type Replay struct {
	Why string // the reason why nothing is predicted; empty if the simulation reproduces the recorded run
	// Error is how much longer the unchanged program takes in the replay than in the recording, as a share of the
	// recorded time; 0 if it was not replayed.
	Error float64

	program      *program.Program // nil if the program could not be built
	base         float64          // rate of the unchanged program in the replay, in command buffers per ns
	capacity     sync.Once        // sets withCapacity
	withCapacity float64          // the result of rateWithCapacity
	faster       sync.Map         // by Change: the rate with that change (see onlyFaster)
	evidence     *evidence.Evidence
	externalUse  evidence.ExternalGPUUse // GPU time that an external process took
	seed         uint64
	tie          sync.Once // sets tied
	tied         *Replay   // the replay in which threads wait for each other's signals; nil until it is needed
	// delivers the tied replay if it is built concurrently; otherwise nil
	tying    <-chan *Replay
	delayed  *Replay   // the replay that predicts the cost of delays; nil until it is needed
	readings *readings // variants of the program, whose results form a prediction's interval
	gains    []Gain    // gains of items; nil until they are computed
	without  sync.Map  // by Change: a func() answer, which computes the result of Without once
}

// An answer is a cached result of Without. Caching pays because each pair of causes is requested twice: to find which
// cause is a consequence of the other, and to predict the gain of removing both.
type answer struct {
	speedup *Speedup
	why     string
}

// New extracts the program (the steps of each thread) from a trace's evidence and replays it without a change. If that
// replay does not reproduce the recorded run, Replay.Why has the reason and nothing is predicted. `taken` is the GPU
// time that an external process took. The same seed gives the same results.
func New(ev *evidence.Evidence, taken evidence.ExternalGPUUse, seed uint64) *Replay {
	return newReplay(ev, taken, seed, false)
}

// NewForGains is New for callers that will call Gains. It builds the tied replay, which Gains needs, concurrently.
func NewForGains(ev *evidence.Evidence, taken evidence.ExternalGPUUse, seed uint64) *Replay {
	tied := make(chan *Replay, 1)
	if threadsWait(ev) {
		go func() { tied <- newReplay(ev, taken, seed, true) }()
	}
	r := newReplay(ev, taken, seed, false)
	r.tying = tied
	return r
}

func newReplay(ev *evidence.Evidence, taken evidence.ExternalGPUUse, seed uint64, tied bool) *Replay {
	r := &Replay{evidence: ev, externalUse: taken, seed: seed}
	recorded, why := extract.Program(ev, taken, tied)
	if recorded == nil {
		r.Why = why
		return r
	}
	if tied && !hasLinks(recorded) {
		r.Why = "no thread waits for another"
		return r
	}
	p, base := calibrate(recorded)
	if base == 0 {
		r.Why = "the replay of the recorded run deadlocks"
		return r
	}
	r.program, r.base = p, base
	if r.Error = p.Rate(p.Recorded)/base - 1; math.Abs(r.Error) > policy.ReplayErrorLimit.Value {
		r.Why = fmt.Sprintf("the replay of the recorded run differs from it by %s, which is too much for predictions",
			analyze.FormatShare(math.Abs(r.Error)))
		return r
	}
	r.readings = newReadings(p, [2]uint64{seed, 0x7265706c6179})
	return r
}

// hasLinks reports whether the program has signals between threads, or releases of locks at known places.
func hasLinks(p *program.Program) bool {
	for _, s := range p.Steps() {
		if s.Kind.Links() {
			return true
		}
	}
	return false
}

// run runs a program with a change and returns its rate (command buffers per nanosecond). `ends` is false if the run
// deadlocks.
func run(p *program.Program, c Change, d *change.Density) (rate float64, ends bool) {
	ran, ends := play(p, c, d)
	return ran.rate, ends
}

// A played is the outcome of a run that ended.
type played struct {
	rate    float64 // in command buffers per nanosecond
	delay   float64 // how long bursts of CPU work waited for processors, in ns per completed command buffer
	blocked float64 // how long threads waited for locks and signals of others, in ns per completed command buffer
}

// play runs a program with a change. `ends` is false if the run deadlocks.
func play(p *program.Program, c Change, d *change.Density) (ran played, ends bool) {
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	q := c.ApplyIn(&b.program, p, d)
	r, ends := machine.RunIn(&b.machine, q)
	if !ends {
		return played{}, false
	}
	_, delay := delays(r)
	return played{q.Rate(r.Progress), delay, float64(r.Blocked) / float64(max(1, r.Done()))}, true
}

// A buffer has the memory for a changed program and its run, because predictions run hundreds of them.
type buffer struct {
	program program.Buffer
	machine machine.Memory
}

var buffers = sync.Pool{New: func() any { return &buffer{} }}

// OfThings returns the replay to use for predicting the gain if items of these kinds (kernels, calls, threads, locks)
// become faster. Usually that is the tied replay, in which a wait for another thread's signal ends when that thread
// sends it. If the tied replay does not reproduce the recorded run, or if all kinds are locks, OfThings returns r. For
// locks r suffices, because each of its lock steps has the time for which the lock was held.
func (r *Replay) OfThings(kinds ...string) *Replay {
	if !slices.ContainsFunc(kinds, func(kind string) bool { return kind != KindLock }) {
		return r
	}
	return r.ofTied()
}

func (r *Replay) ofTied() *Replay {
	r.tie.Do(func() {
		if r.tied != nil {
			return
		}
		r.tied = r
		if r.Why == "" && threadsWait(r.evidence) {
			var tied *Replay
			if r.tying != nil {
				tied = <-r.tying
			} else {
				tied = newReplay(r.evidence, r.externalUse, r.seed, true)
			}
			if tied.Why == "" {
				tied.tied, r.tied = tied, tied
			}
		}
	})
	return r.tied
}

// threadsWait reports whether threads wait for each other's signals or locks, so that a tied replay can differ.
func threadsWait(ev *evidence.Evidence) bool {
	return len(ev.ThreadWaits.Locks)+len(ev.ThreadWaits.Merged) > 0 ||
		len(ev.Turns.TurnWaits())+len(ev.Starvation.Passings) > 0
}

// Of returns the replay that predicts the effect of a change. If the change shortens threads' work, that is the tied
// replay: in it, threads that wait for a signal of a faster thread wait less.
func (r *Replay) Of(c Change) *Replay {
	if c.ShortensWork() || c.Even {
		return r.ofTied()
	}
	return r
}

// Without returns how much faster the program would be with a change, or nil and the reason why that is not known. It
// caches the results. Several goroutines may call it.
func (r *Replay) Without(c Change) (*Speedup, string) {
	if r.Why != "" {
		return nil, r.Why
	}
	compute := sync.OnceValue(func() (a answer) {
		of := r
		// A Scale names kernels, calls and locks by their numbers in this program. In the tied program (see Of)
		// the same numbers may mean other items.
		if c.Scale == nil {
			of = r.Of(c)
		}
		a.speedup, a.why = of.speedup(nil, c)
		return a
	})
	found, _ := r.without.LoadOrStore(c, compute)
	a := found.(func() answer)()
	return a.speedup, a.why
}

// Prepare computes the results of Without for several changes concurrently.
func (r *Replay) Prepare(changes []Change) {
	concurrently(len(changes), func(i int) { r.Without(changes[i]) })
}

// Free frees most of the replay's memory. Later predictions are the same, but take longer.
func (r *Replay) Free() {
	for _, of := range []*Replay{r, r.tied} {
		if of != nil && of.readings != nil {
			of.readings.free()
		}
	}
}

// WaitsLeft returns the share (0 to 1) of the threads' waits for each other's signals and locks that remains with a
// change, counted per command buffer. `known` is false if there are no such waits, or if the simulated machine does not
// reproduce the run with them.
func (r *Replay) WaitsLeft(c Change) (share float64, known bool) {
	if r.Why != "" || !r.ofTied().program.Tied {
		return 0, false
	}
	p := r.ofTied().program
	waited := func(c Change) float64 {
		ran, _ := play(p, c, nil)
		return ran.blocked
	}
	before := waited(Change{})
	return waited(c) / before, before > 0
}

// Made reports whether the program could be built. If not, Paced, Meets and Submits must not be called: they would
// panic.
func (r *Replay) Made() bool { return r.program != nil }

// Paced reports whether threads wait for command buffers without a recorded call, for example by polling.
func (r *Replay) Paced() bool { return r.program.Polls }

// Meets reports whether threads pass a barrier together and the simulated machine reproduces the run with that barrier.
func (r *Replay) Meets() bool { return r.Why == "" && len(r.ofTied().program.Barrier.Threads) > 1 }

// Submits returns how many requests of other threads one thread submitted, and whether it answered most of them in
// batches.
func (r *Replay) Submits() (requests int, batch bool) {
	return r.program.Service.Requests, r.program.Service.Batched
}
