package evidence

import (
	"math"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Crowding describes how much slower work on a GPU becomes when other work runs at the same time. Some GPUs begin all
// pending work at once and share their execution units: then nothing waits to begin, and everything takes longer.
type Crowding struct {
	// the additional time per concurrent command buffer, as a share of the time alone: 0 if there is room for all, 1 if
	// n at once take n times as long
	Slope  float64
	Beside float64 // share of all command buffers' GPU time that is due to concurrent command buffers

	done *pace
}

// Alone returns the share of its GPU time that a command buffer would take with no other one running.
func (c Crowding) Alone(gpu analyze.Interval) float64 {
	if c.done == nil || gpu.Length() <= 0 {
		return 1
	}
	return c.done.within(gpu) / float64(gpu.Length())
}

// crowding finds the slope for which command buffers with the same work would all take about the same time alone,
// whenever they ran. If labels is set, command buffers with different labels count as different work.
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
	if c.Slope < policy.WorthNaming.Value || !policy.AtLeast(policy.Most, none-least, none) {
		return Crowding{}
	}
	c.done = newPace(d.running).slowed(c.Slope)
	var all, alone float64
	for _, r := range d.running {
		all += float64(r.Length())
		alone += c.done.within(r.Interval)
	}
	c.Beside = 1 - alone/all
	return c
}

// sameWork groups command buffers of the same work, and of the same label if labels count. It returns groups whose
// members ran beside different numbers of others.
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
		if len(*same) >= policy.Sample.Count() && ran.differs(*same) {
			sorts = append(sorts, *same)
		}
	}
	return sorts
}

// A pace has, for an assumed slope of Crowding, the speed of command buffers at each time.
type pace struct {
	at []analyze.Nanos
	// up to then, the progress of a command buffer that was running all the time, in ns of exclusive use of the GPU
	done []float64
	ran  []float64 // up to then, the sum of the times of all running command buffers
	run  []int     // number of command buffers that run from then on
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

// slowed returns the pace for an assumed slope.
func (p *pace) slowed(slope float64) *pace {
	q := *p
	q.of, q.done = slope, make([]float64, len(p.at))
	for i := 1; i < len(p.at); i++ {
		q.done[i] = q.done[i-1] + float64(p.at[i]-p.at[i-1])*q.speed(p.run[i-1])
	}
	return &q
}

// speed is the speed of each command buffer when run of them run, relative to running alone.
func (p *pace) speed(run int) float64 { return 1 / (1 + p.of*float64(max(0, run-1))) }

func (p *pace) upTo(t analyze.Nanos) (done, ran float64) {
	i := sort.Search(len(p.at), func(i int) bool { return p.at[i] > t }) - 1
	if i < 0 {
		return 0, 0
	}
	more := float64(t - p.at[i])
	return p.done[i] + more*p.speed(p.run[i]), p.ran[i] + more*float64(p.run[i])
}

// within returns how long work that ran throughout the interval would take alone.
func (p *pace) within(i analyze.Interval) float64 {
	before, _ := p.upTo(i.Begin)
	after, _ := p.upTo(i.End)
	return after - before
}

// differs reports whether the intervals differ in the average number of concurrent command buffers.
func (p *pace) differs(list []analyze.Interval) bool {
	beside := make([]float64, len(list))
	for k, i := range list {
		_, before := p.upTo(i.Begin)
		_, after := p.upTo(i.End)
		beside[k] = (after - before) / float64(i.Length())
	}
	slices.Sort(beside)
	few := policy.Pattern.Count()
	return beside[len(beside)-few]-beside[few-1] >= policy.Most.Value
}

// variation returns how much command buffers of the same work differ in the time that they would take alone: the sum of
// squared deviations of the logarithms from their mean.
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
