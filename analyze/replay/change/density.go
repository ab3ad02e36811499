package change

import (
	"math"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A processor that was idle for long sleeps deeply, and a hand-off that must wake it is slow. A program without its
// bottleneck submits more often, so its processors sleep less deeply. If hand-offs arrive at random, the share of
// processors that have slept for a time t is exp(-rate·t). With k times as many hand-offs per second, the share is
// the kth power of the recorded share.

// A Density is the ratio of hand-offs per second in a changed program to those in the recorded one, with the resulting
// duration of hand-offs. The zero Density, or nil, means no change.
type Density struct {
	Times      float64
	Relief     float64 // share by which threads wait less for processors than in the unchanged program
	latencies  handOffs
	notifies   handOffs
	turnaround analyze.Nanos // the mean turnaround; set only if Times is over 0
	sooner     analyze.Nanos // how much earlier a sleeping thread runs after a timer or another thread wakes it
}

// handOffs has the durations of one kind of hand-off, such as from a thread to the GPU. The list `took` has the
// recorded durations in ascending order; the list `then` has, at the same index, the duration in the changed program.
// Empty lists mean no change.
type handOffs struct{ took, then []analyze.Nanos }

// NewDensity returns the durations of hand-offs (from a thread to the GPU, or back) in a run that has `times` as many
// hand-offs per second as the recorded run. More frequent hand-offs are faster, because processors sleep less deeply.
func NewDensity(p *program.Program, times float64) *Density {
	h := &p.HandOffs
	d := &Density{Times: times, latencies: among(h.Latencies, times), notifies: among(h.Notifies, times)}
	if n := p.Processors.Count; n > 0 {
		quicker := program.Mean(h.Latencies) - program.Mean(d.latencies.then)
		d.sooner = program.Scaled(quicker, max(0, 1-times*p.Processors.Used/float64(n)))
	}
	then := program.Mean(among(h.Turnarounds, times).then)
	d.turnaround = program.Scaled(program.Mean(h.Turnarounds), h.Hindered) + program.Scaled(then, 1-h.Hindered)
	return d
}

// among returns the durations of hand-offs in a run that has `times` as many hand-offs per second as the recorded run.
// The share of hand-offs longer than a given duration is raised to the power `times`, so long ones become rare. `took`
// must be sorted.
func among(took []analyze.Nanos, times float64) handOffs {
	if times <= 1 {
		return handOffs{took, took}
	}
	n := float64(len(took))
	then := make([]analyze.Nanos, len(took))
	for i := 0; i < len(then); {
		sum, alike := analyze.Nanos(0), i
		for ; alike < len(then) && took[alike] == took[i]; alike++ {
			slower := (n - float64(alike) - 0.5) / n
			sum += took[min(alike, int(n*(1-math.Pow(slower, 1/times))))]
		}
		for mean := sum / analyze.Nanos(alike-i); i < alike; i++ {
			then[i] = mean
		}
	}
	return handOffs{took, then}
}

// at returns how long a hand-off of recorded duration n takes in the changed program. The list need not contain `n`: at
// subtracts what the nearest hand-off that is not longer than `n` saves.
func (h *handOffs) at(n analyze.Nanos) analyze.Nanos {
	if i := sort.Search(len(h.took), func(i int) bool { return h.took[i] > n }); i > 0 {
		return n - (h.took[i-1] - h.then[i-1])
	}
	return n
}

func (d *Density) none() bool { return d == nil || d.Times == 0 && d.Relief == 0 }

// apply shortens the program's hand-offs, and the time until a sleeping thread runs after it was woken.
func (d *Density) apply(p *program.Program) {
	h := &p.HandOffs
	for i := range p.Jobs {
		j := &p.Jobs[i]
		j.Latency = d.relieved(h, d.unhindered(h, j.Latency, h.UsualLatency, &d.latencies), h.FreeLatency)
	}
	notify := func(n *analyze.Nanos) {
		*n = d.relieved(h, d.unhindered(h, *n, h.UsualNotify, &d.notifies), h.FreeNotify)
	}
	notify(&p.Newest.Notify)
	eachStep(p, func(th *program.Thread, s *program.Step, _ *program.Detail) {
		// a thread that sleeps in the gap is woken once, so the gap shrinks by the time that a quicker wake-up saves
		if asleep := program.Scaled(s.Gap, 1-th.Busy); asleep >= policy.LongestWakeup.Nanos() {
			s.Gap -= min(asleep, d.sooner)
		}
		switch s.Kind {
		case program.Commit:
			s.Cost = d.relieved(h, s.Cost, h.FreeCommit)
		case program.Wait, program.WaitOther:
			if s.Notify != program.NotRecorded {
				notify(&s.Notify)
			}
		}
	})
	if d.Times > 0 {
		h.Turnaround = d.turnaround
	}
}

// unhindered returns how long the recorded hand-off n takes in the changed program. Two effects shorten it: the
// processor that it wakes sleeps less deeply, and it waits less for a processor (by the share Relief). `usual` is the
// duration of an undisturbed hand-off; only the time beyond that counts as waiting.
func (d *Density) unhindered(h *program.HandOffs, n, usual analyze.Nanos, all *handOffs) analyze.Nanos {
	n = all.at(n)
	return n - program.Scaled(max(0, n-usual), h.Hindered*d.Relief)
}

// relieved returns how long a hand-off takes if it waits less for a processor, by the share Relief. `free` is its
// duration with a free processor. relieved shortens only the waiting that the simulated machine does not reproduce
// (Unexplained): in the machine a short burst shares a processor; in a real system it waits until long bursts have used
// up their time slices.
func (d *Density) relieved(h *program.HandOffs, n, free analyze.Nanos) analyze.Nanos {
	return n - program.Scaled(max(0, n-free), h.Unexplained*d.Relief)
}

// With returns a copy of the density in which threads wait less for processors, by the share Relief; d may be nil.
func (d *Density) With(relief float64) *Density {
	e := Density{}
	if d != nil {
		e = *d
	}
	e.Relief = relief
	return &e
}
