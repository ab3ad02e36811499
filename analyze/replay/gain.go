package replay

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A Gain is what the run would gain if something took a part of the time that it takes.
type Gain struct {
	Kind, Name string
	Factor     float64 // of that time; 0 is gone
	Speedup
}

// factors are those that each thing is tried with.
var factors = []float64{0.9, 0.75, 0.5, 0}

// A thing of the program can be made faster by itself.
type thing struct {
	kind, name string
	number     int32
	took       analyze.Nanos // as far as the replay shows it
}

// things are what the program's time goes to, by kind, the longest first.
func (p *program) things() (all []thing) {
	add := func(kind string, names []string, took []analyze.Nanos) {
		var list []thing
		for i, name := range names {
			if took[i] > 0 {
				list = append(list, thing{kind, name, int32(i), took[i]})
			}
		}
		slices.SortStableFunc(list, func(x, y thing) int { return cmp.Compare(y.took, x.took) })
		all = append(all, list...)
	}
	onGPU, inCalls := make([]analyze.Nanos, len(p.kernelNames)), make([]analyze.Nanos, len(p.callNames))
	for i := range p.jobs {
		for _, k := range p.jobs[i].kernels {
			onGPU[k.of] += evidence.Scaled(p.jobs[i].duration, k.share)
		}
	}
	inLocks, own, threads := make([]analyze.Nanos, len(p.lockNames)), make([]analyze.Nanos, len(p.threads)), make([]string, len(p.threads))
	for t := range p.threads {
		th := &p.threads[t]
		threads[t] = th.name
		var gaps analyze.Nanos
		costs := map[analyze.Part]analyze.Nanos{}
		for o := range analyze.Each(th.ops) {
			gaps += o.gap
			switch o.kind {
			case opAcquire:
				costs[analyze.PartAcquire] += o.cost
			case opCommit, opEnqueue:
				costs[analyze.PartCommit] += o.cost
			case opCompile:
				costs[analyze.PartCompile] += o.cost
			case opLock:
				if o.lock > 0 {
					inLocks[o.lock-1] += o.wait.Own
				}
			}
		}
		own[t] = gaps
		for _, g := range th.inGaps {
			inCalls[g.of] += evidence.Scaled(gaps, g.share)
			own[t] -= evidence.Scaled(gaps, g.share)
		}
		for in, cost := range costs {
			for _, g := range th.inCalls[in] {
				inCalls[g.of] += evidence.Scaled(cost, g.share)
			}
		}
	}
	add(KindKernel, p.kernelNames, onGPU)
	add(KindCall, p.callNames, inCalls)
	add(KindLock, p.lockNames, inLocks)
	add(KindThread, threads, own)
	return all
}

// with sets the factor of a thing, beside what was set before.
func (s *scale) with(p *program, t thing, factor float64) {
	set := func(list *[]float64, n int) {
		for len(*list) < n {
			*list = append(*list, 1)
		}
		(*list)[t.number] = factor
	}
	switch t.kind {
	case KindKernel:
		set(&s.kernels, len(p.kernelNames))
	case KindCall:
		set(&s.calls, len(p.callNames))
	case KindLock:
		set(&s.locks, len(p.lockNames))
	case KindThread:
		set(&s.threads, len(p.threads))
	case KindInFlight:
		s.inFlight = int(t.number)
	}
}

// scaling is a scale of one thing.
func (p *program) scaling(t thing, factor float64) *scale {
	s := &scale{}
	s.with(p, t, factor)
	return s
}

// gain is how much faster the run is with a change, and an interval.
func (r *Replay) gain(c Change) (Speedup, bool) {
	readings := r.readings[:min(policy.ReadAgain, len(r.readings))]
	if n := len(r.readings); n > policy.ReadAgain {
		readings = append(slices.Clone(readings), r.readings[n-1])
	}
	if s, _ := r.speedup(readings, r.base, c, r.Error); s != nil {
		return *s, true
	}
	return Speedup{}, false
}

// Gains are what would help of the things that take much, and false where nothing is predicted.
func (r *Replay) Gains() (list []Gain, known bool) {
	if r.Why != "" || r.roomy() == 0 {
		return nil, false
	}
	if r.gains == nil {
		r.gains = r.ofThings()
	}
	return slices.Clone(r.gains), true
}

// ofThings are the gains of the things that bring most.
func (r *Replay) ofThings() []Gain {
	type candidate struct {
		thing
		half float64
		of   *Replay
	}
	var found []candidate
	ofKind := map[string]int{}
	for _, of := range slices.Compact([]*Replay{r, r.linked()}) {
		for _, t := range append(of.things(), of.flights()...) {
			if of != r.OfThings(t.kind) {
				continue
			}
			if ofKind[t.kind]++; ofKind[t.kind] > policy.MostOfAKind || t.kind == KindThread && ofKind[t.kind] > policy.MostThreads {
				continue
			}
			if rate, ends := of.run(Change{scale: of.scaling(t, 0.5), room: true}); ends && rate/of.roomy() >= policy.WorthPredicting.Value {
				found = append(found, candidate{t, rate / of.roomy(), of})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y candidate) int { return cmp.Compare(y.half, x.half) })
	all := []Gain{}
	for _, c := range found[:min(policy.MostGains, len(found))] {
		all = append(all, c.of.curve(c.thing)...)
	}
	return all
}

// curve is what a thing gains with each factor. Where the replay is sure at half of its time and without it, it is as sure between.
func (r *Replay) curve(t thing) (list []Gain) {
	if t.kind == KindInFlight {
		if s, known := r.gain(Change{scale: r.scaling(t, 0)}); known {
			list = append(list, Gain{t.kind, t.name, 0, s})
		}
		return list
	}
	half, known := r.gain(Change{scale: r.scaling(t, 0.5)})
	if !known {
		return nil
	}
	for _, f := range factors {
		s := half
		switch {
		case f == 0:
			if s, known = r.gain(Change{scale: r.scaling(t, 0)}); !known {
				continue
			}
		case f > 0.5:
			rate, ends := r.run(Change{scale: r.scaling(t, f), room: true})
			if !ends {
				continue
			}
			s.Estimate = max(1, rate/r.roomy())
			s.Low, s.High = s.Estimate*between(half.Low/half.Estimate, f, r.Error), s.Estimate*between(half.High/half.Estimate, f, r.Error)
		}
		list = append(list, Gain{t.kind, t.name, f, s})
	}
	return list
}

// between is how far an interval's end is from the estimate where less is taken away than half: as much less, though never less than the
// error that every replay has.
func between(ofHalf, factor, replayError float64) float64 {
	off := (ofHalf - 1) * (1 - factor) / 0.5
	err := max(policy.Alike.Value+policy.ErrorOfLess, math.Abs(replayError))
	if ofHalf < 1 {
		return 1 + min(off, -err)
	}
	return 1 + max(off, err)
}

// Flights are two and three command buffers in flight, where a single thread waits for its last before it makes the next.
func (p *program) flights() (list []thing) {
	only := int32(-1)
	for t := range p.threads {
		if policy.MoreThan(policy.Negligible, len(p.threads[t].jobs), len(p.jobs)) {
			if only >= 0 {
				return nil
			}
			only = int32(t)
		}
	}
	if only < 0 || !p.threads[only].roundTrips() {
		return nil
	}
	for _, n := range []int32{2, 3} {
		list = append(list, thing{kind: KindInFlight, name: fmt.Sprint(n), number: n})
	}
	return list
}

// roundTrips says whether the thread waits, when it does, for what it committed last, so that it has nothing in flight then, and mostly not to tell another that it is
// done, who would be told too early.
func (t *thread) roundTrips() bool {
	last, waits, rounds, told := unknown, 0, 0, 0
	waited := false
	for i := range t.ops {
		switch o := &t.ops[i]; {
		case o.kind == opCommit:
			last = o.job
		case o.kind == opWait:
			if waits++; o.job == last && last != unknown {
				rounds++
				waited = true
			}
			continue
		case waited && (o.kind == opGive || o.kind == opAnswer):
			told++
		}
		waited = false
	}
	return rounds >= policy.Sample.Count() && policy.NearlyAll(rounds, waits) && !policy.AtLeast(policy.Most, told, rounds)
}

// A Wanted is a thing that is asked for: all of a kind whose names match a pattern, in which * stands for anything.
type Wanted struct {
	Kind, Pattern string
	Factor        float64
}

// Flights are the numbers of rounds in flight that can be asked for.
var Flights = []string{"1", "2", "3", "4", "8", "16"}

// Changed adds to a change how long the things that are wanted take.
func (r *Replay) Changed(c Change, wanted []Wanted) Change {
	if len(wanted) == 0 {
		return c
	}
	things := r.things()
	for _, n := range Flights {
		number, _ := strconv.Atoi(n)
		things = append(things, thing{kind: KindInFlight, name: n, number: int32(number)})
	}
	c.scale = &scale{}
	for _, w := range wanted {
		for _, t := range things {
			if t.kind == w.Kind && Matches(w.Pattern, t.name) {
				c.scale.with(r.program, t, w.Factor)
			}
		}
	}
	return c
}

// Together names what is wanted as one.
func Together(wanted []Wanted) (g Gain) {
	var names []string
	for _, w := range wanted {
		names = append(names, fmt.Sprintf("%s:%s=%g", w.Kind, w.Pattern, w.Factor))
		g.Factor = w.Factor
	}
	g.Kind, g.Name = "together", strings.Join(names, ", ")
	return g
}

// Matches says whether a name is what a pattern stands for.
func Matches(pattern, name string) bool {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(name)
}

// Flights is how many rounds are in flight; 0 of what is no such thing.
func (g *Gain) Flights() string {
	if g.Kind != KindInFlight {
		return ""
	}
	return g.Name
}

// InWords is "1.50 times as fast (1.40 to 1.60), by replay".
func (s Speedup) InWords() string {
	return fmt.Sprintf("%.2f times as fast (%.2f to %.2f), by replay", s.Estimate, s.Low, s.High)
}
