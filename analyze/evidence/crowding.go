package evidence

import (
	"math"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Crowding describes how much slower a command buffer becomes while others run on the same GPU. Some GPUs begin all
// pending work at once and share their execution units: then no work waits to begin, and all work takes longer.
type Crowding struct {
	// additional time per concurrent command buffer, as a share of the time alone: 0 if concurrent ones slow nothing
	// down, 1 if each of n concurrent ones takes n times as long
	Slope           float64
	ConcurrencyLoss float64 // share of all command buffers' GPU time that is due to concurrent command buffers

	done *pace
}

// Alone returns which share (0 to 1) of its time `gpu` a command buffer would take if it ran alone on the GPU; 1 if
// no slowdown was found.
func (c Crowding) Alone(gpu analyze.Interval) float64 {
	if c.done == nil || gpu.Length() <= 0 {
		return 1
	}
	return c.done.within(gpu) / float64(gpu.Length())
}

// crowding estimates the slope of the slowdown by concurrent work. With the right slope, command buffers with the
// same work have about the same computed time alone. It tries slopes from 0 to 1 and returns the zero value if none
// explains most of the variation. If labels is set, command buffers with different labels count as different work.
func crowding(d *Device, labels bool) (c Crowding) {
	sample := d.running
	if len(sample) > policy.MostCalls {
		sample = sample[(len(sample)-policy.MostCalls)/2:][:policy.MostCalls]
	}
	ran := newPace(sample)
	sorts := sameWork(sample, ran, labels)
	if len(sorts) == 0 {
		return Crowding{}
	}
	var least, none float64
	for step := 0; step <= policy.CrowdingSteps; step++ {
		slope := float64(step) / policy.CrowdingSteps
		done := ran.slowed(slope)
		differ := 0.0
		for _, sort := range sorts {
			differ += done.variation(sort)
		}
		if step == 0 {
			least, none = differ, differ
		}
		if differ < least {
			least, c.Slope = differ, slope
		}
	}
	if c.Slope < policy.WorthNaming.Value || !policy.AtLeast(policy.Majority, none-least, none) {
		return Crowding{}
	}
	c.done = newPace(d.running).slowed(c.Slope)
	var all, alone float64
	for _, r := range d.running {
		all += float64(r.Length())
		alone += c.done.within(r.Interval)
	}
	c.ConcurrencyLoss = 1 - alone/all
	return c
}

// sameWork groups the times of command buffers that do the same work (and have the same label, if labels is set). It
// leaves out groups whose members all ran beside the same number of others, because these cannot show a slowdown.
func sameWork(list []running, ran *pace, labels bool) (sorts [][]analyze.Interval) {
	type sameness struct {
		work  uint64
		label string
	}
	var by Ordered[sameness, []analyze.Interval]
	for _, r := range list {
		work, known := r.buffer.Work()
		if !known || r.Length() <= 0 || r.Interval != r.buffer.GPU {
			continue
		}
		of := sameness{work: work}
		if labels {
			of.label = r.buffer.Label
		}
		same := by.Of(of)
		*same = append(*same, r.Interval)
	}
	for _, same := range by.All {
		if len(*same) >= policy.FewestSamples.Count() && ran.differs(*same) {
			sorts = append(sorts, *same)
		}
	}
	return sorts
}

// A pace tells how fast command buffers progressed at each time, for an assumed Crowding.Slope. Its slices are
// parallel: element i is for the time at[i].
type pace struct {
	at []analyze.Nanos
	// how much work a command buffer that runs all the time has completed at at[i], measured in the ns that this work
	// takes if it runs alone
	done []float64
	ran  []float64 // sum of the times that command buffers ran before at[i]
	run  []int     // number of command buffers that run from at[i] to at[i+1]
	of   float64   // the slope
}

func newPace(list []running) *pace {
	p, ran := &pace{}, 0.0
	for i, open := range sweep(counterOf(intervals(list))) {
		p.at, p.ran, p.run = append(p.at, i.Begin), append(p.ran, ran), append(p.run, open[0])
		ran += float64(i.Length()) * float64(open[0])
	}
	return p.slowed(0)
}

// slowed returns a copy of the pace for the assumed slope.
func (p *pace) slowed(slope float64) *pace {
	q := *p
	q.of, q.done = slope, make([]float64, len(p.at))
	for i := 1; i < len(p.at); i++ {
		q.done[i] = q.done[i-1] + float64(p.at[i]-p.at[i-1])*q.speed(p.run[i-1])
	}
	return &q
}

// speed returns the speed of each command buffer while `run` command buffers run, relative to running alone (1).
func (p *pace) speed(run int) float64 { return 1 / (1 + p.of*float64(max(0, run-1))) }

func (p *pace) upTo(t analyze.Nanos) (done, ran float64) {
	i := sort.Search(len(p.at), func(i int) bool { return p.at[i] > t }) - 1
	if i < 0 {
		return 0, 0
	}
	more := float64(t - p.at[i])
	return p.done[i] + more*p.speed(p.run[i]), p.ran[i] + more*float64(p.run[i])
}

// within returns how many ns work would take alone if it ran throughout the interval `i`.
func (p *pace) within(i analyze.Interval) float64 {
	before, _ := p.upTo(i.Begin)
	after, _ := p.upTo(i.End)
	return after - before
}

// differs reports whether some intervals of the list had at least policy.Majority more concurrent command buffers on
// average than others. If not, the list cannot show how concurrency slows work down.
func (p *pace) differs(list []analyze.Interval) bool {
	beside := make([]float64, len(list))
	for k, i := range list {
		_, before := p.upTo(i.Begin)
		_, after := p.upTo(i.End)
		beside[k] = (after - before) / float64(i.Length())
	}
	slices.Sort(beside)
	few := policy.FewestOccurrences.Count()
	return beside[len(beside)-few]-beside[few-1] >= policy.Majority.Value
}

// variation returns how much the intervals' work differs in the time that it would take alone: the sum of the squared
// deviations of the logarithms from their mean. The right slope makes it smallest.
func (p *pace) variation(list []analyze.Interval) (sum float64) {
	logs, mean := make([]float64, len(list)), 0.0
	for k, i := range list {
		logs[k] = math.Log(max(1, p.within(i)))
		mean += logs[k] / float64(len(list))
	}
	for _, l := range logs {
		sum += (l - mean) * (l - mean)
	}
	return sum
}
