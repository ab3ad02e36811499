package evidence

import (
	"math"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Crowding is how much longer work takes on a GPU because other work runs there at the same time. A GPU that begins
// all that is ready shares itself out: nothing is seen to wait, and everything takes longer.
type Crowding struct {
	// how much longer work takes for each other beside it, as a share of what it takes alone: 0 with room for all, 1 when
	// n at once take n times as long
	Slope  float64
	Beside float64 // share of the time of all command buffers that goes to others that ran beside them

	done *pace
}

// Alone is the share of its time on the GPU that a command buffer would take without others beside it.
func (c Crowding) Alone(gpu analyze.Interval) float64 {
	if c.done == nil || gpu.Length() <= 0 {
		return 1
	}
	return c.done.within(gpu) / float64(gpu.Length())
}

// crowding finds the slope with which command buffers of the same work would all take about as long alone, wherever
// they ran. With labels, only command buffers of the same label are of the same work.
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

// sameWork are command buffers of the same work, and of the same label where labels count, of which some ran beside
// more others than some.
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

// A pace is how fast the work of each command buffer went on at each time, for a slope of Crowding.
type pace struct {
	at   []analyze.Nanos
	done []float64 // up to then, of one that was there all the while, in ns of having the GPU to itself
	ran  []float64 // up to then, the times of all that ran
	run  []int     // from then on, how many
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

// slowed is the pace for a slope.
func (p *pace) slowed(slope float64) *pace {
	q := *p
	q.of, q.done = slope, make([]float64, len(p.at))
	for i := 1; i < len(p.at); i++ {
		q.done[i] = q.done[i-1] + float64(p.at[i]-p.at[i-1])*q.speed(p.run[i-1])
	}
	return &q
}

// speed is how fast each of so many goes on.
func (p *pace) speed(run int) float64 { return 1 / (1 + p.of*float64(max(0, run-1))) }

func (p *pace) upTo(t analyze.Nanos) (done, ran float64) {
	i := sort.Search(len(p.at), func(i int) bool { return p.at[i] > t }) - 1
	if i < 0 {
		return 0, 0
	}
	more := float64(t - p.at[i])
	return p.done[i] + more*p.speed(p.run[i]), p.ran[i] + more*float64(p.run[i])
}

// within is how long what ran all of an interval takes alone.
func (p *pace) within(i analyze.Interval) float64 {
	before, _ := p.upTo(i.Begin)
	after, _ := p.upTo(i.End)
	return after - before
}

// differs says whether some ran beside more others, on average, than some.
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

// variation is by how much command buffers of the same work differ in what they take alone: the sum of the squares of
// the logarithms' distances from their mean.
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
