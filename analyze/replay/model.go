// Package replay runs a recorded program again, changed, to say what the change would bring. It knows the trace and its evidence, and of no causes.
package replay

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A Replay is a recorded program that can be run again, changed.
type Replay struct {
	Why   string  // why nothing is predicted; empty where the replay of the unchanged program agrees with the run
	Error float64 // how much longer the replay of the unchanged program takes than the recorded run, as a share; 0 when none was made

	*program
	base     float64 // how fast the unchanged program is
	evidence *evidence.Evidence
	seed     uint64
	tied     *Replay // with links; nil before it was asked for
	readings []reading
	gains    []Gain // of things; nil before they were asked for
	without  map[Change]answer
}

// New makes the program of what a trace shows. The same seed gives the same answers.
func New(ev *evidence.Evidence, seed uint64) *Replay { return builder{Evidence: ev}.replay(seed) }

func (b builder) replay(seed uint64) *Replay {
	r := &Replay{without: map[Change]answer{}, evidence: b.Evidence, seed: seed}
	if b.linked {
		b.kept = b.findKept()
	}
	if r.program, r.Why = b.program(); r.program == nil {
		return r
	}
	if b.linked && !r.program.hasLinks() {
		r.Why = "no thread waits for another"
		return r
	}
	believed, base := r.program.believed()
	if base == 0 {
		r.program, r.Why = nil, "a replay of what was recorded does not come to an end"
		return r
	}
	r.program, r.base = believed, base
	if r.Error = believed.rate(believed.recorded)/base - 1; math.Abs(r.Error) > policy.Faith.Value {
		r.Why = fmt.Sprintf("a replay of what was recorded is off by %s", analyze.FormatShare(math.Abs(r.Error)))
		return r
	}
	r.readings = believed.readings(rand.New(rand.NewPCG(seed, 0x7265706c6179)))
	return r
}

// OfThings is the replay to ask what the run would gain if things of these kinds took less time: with links, where these replay the run as it was. What a
// free lock brings hangs on how long it was kept, which does without them.
func (r *Replay) OfThings(kinds ...string) *Replay {
	if !slices.ContainsFunc(kinds, func(kind string) bool { return kind != KindLock }) {
		return r
	}
	return r.linked()
}

func (r *Replay) linked() *Replay {
	if r.tied == nil {
		r.tied = r
		if ev := r.evidence; r.Why == "" && (len(ev.Locks)+len(ev.ForSignals) > 0 || len(ev.TurnWaits()) > 0) {
			if l := (builder{Evidence: ev, linked: true}).replay(r.seed); l.Why == "" {
				l.tied, r.tied = l, l
			}
		}
	}
	return r.tied
}

// Without is how many times as fast the program is with a change, or why that is not known.
func (r *Replay) Without(c Change) (*Speedup, string) {
	if r.Why != "" {
		return nil, r.Why
	}
	a, known := r.without[c]
	if !known {
		s, why := r.speedup(r.readings, r.base, c, r.Error)
		a = answer{s, why}
		r.without[c] = a
	}
	return a.speedup, a.why
}

// An answer is what Without said: of two causes together it is asked to find which hangs on the other, and to say what both bring.
type answer struct {
	speedup *Speedup
	why     string
}

// Made says whether there is a program to ask: without, nothing else is.
func (r *Replay) Made() bool { return r.program != nil }

// Paced says whether threads wait for their work in no call, and it shows in when they go on.
func (r *Replay) Paced() bool { return len(r.paced) > 0 }

// Submits is how many pieces of work one thread submitted for others, and whether it gave most answers together with others.
func (r *Replay) Submits() (pieces int, batch bool) { return r.submitter.pieces, r.submitter.batch }

// A builder makes a program of evidence.
type builder struct {
	*evidence.Evidence
	linked bool // with what threads do for each other, see link.go
	kept   map[*analyze.LockWait]*analyze.Wait
}

// believed is the program read in the way that replays as it ran, and how fast that is: 0 when none ends. Threads may hand locks
// to each other in another order than the replay's, and may have waited for the newest work only because there was no other. Where that replays no run that
// is like the recorded one, the system shares out processors better or worse than is assumed.
func (p *program) believed() (best *program, base float64) {
	least, enough := math.Inf(1), policy.Alike.Value
	if p.ties { // that waits for locks take what they took is what it is to do without
		enough = policy.Faith.Value
	}
	for _, scattered := range []float64{p.scattered, 0, 1} {
		for _, fixed := range []bool{false, true} {
			for _, rule := range []newest{p.newest, {}} {
				q := p.clone()
				q.scattered, q.fixed, q.newest = scattered, fixed, rule
				q.removeDelays()
				r, ends := q.play(Change{})
				if !ends {
					continue
				}
				rate := r.rateOfAll()
				if rate == 0 {
					continue
				}
				q.findUnexplained(r)
				if off := math.Abs(q.rate(q.recorded)/rate - 1); off < least {
					best, base, least = q, rate, off
				}
				if least <= enough {
					return best, base
				}
			}
		}
		if p.processors == 0 || least <= policy.Faith.Value {
			break
		}
	}
	return best, base
}

// clone is a copy whose durations may be changed.
func (p *program) clone() *program {
	q := *p
	q.jobs, q.threads = slices.Clone(p.jobs), slices.Clone(p.threads)
	for t := range q.threads {
		q.threads[t].ops = slices.Clone(q.threads[t].ops)
	}
	return &q
}

// Both is a change that does what either does.
func (c Change) Both(d Change) Change {
	return Change{c.Foreign || d.Foreign, c.Depth || d.Depth, c.Compile || d.Compile, c.Allocate || d.Allocate, c.Events || d.Events, c.Head || d.Head, c.Handlers || d.Handlers,
		c.Launch || d.Launch, c.Turns || d.Turns, c.Locks || d.Locks, c.GPU || d.GPU, c.Apart || d.Apart, c.Cores || d.Cores, c.room || d.room, c.Lines || d.Lines, c.Alone || d.Alone,
		c.Fed || d.Fed, cmp.Or(c.scale, d.scale)}
}
