package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// A drawn is a program whose kernels' true costs are known: dispatches of kernels in command buffers, whose GPU time
// is the sum of their costs.
type drawn struct {
	trace  *analyze.Trace
	random *rand.Rand
	costs  map[string]float64 // ns of one dispatch of 1,000 threads
	disturbance
	truth map[string]float64
	at    analyze.Nanos
	pipes map[string]*analyze.Pipeline
}

// A disturbance makes a command buffer's time differ from the sum of its kernels' costs.
type disturbance struct {
	name     string
	noise    float64 // of each dispatch, in parts of its cost
	drift    float64 // by how much the GPU is faster at the end than at the beginning
	overhead float64 // ns of each command buffer, which belong to no kernel; its spread is as large
}

func newDrawn(seed uint64, kernels int, by disturbance) *drawn {
	d := &drawn{trace: &analyze.Trace{TimeRange: analyze.Interval{End: 1 << 60}}, disturbance: by,
		random: rand.New(rand.NewPCG(seed, 1)), costs: map[string]float64{}, truth: map[string]float64{}, at: 1000,
		pipes: map[string]*analyze.Pipeline{}}
	for i := range kernels {
		name := fmt.Sprintf("kernel%02d", i)
		d.costs[name] = 2_000 * math.Exp(5*d.random.Float64())
		d.pipes[name] = pipeline(name)
	}
	return d
}

// A batch is dispatches of a kernel one after another.
type batch struct {
	kernel  int
	count   int
	threads uint64 // of each
}

// commit adds a command buffer with an encoder for these dispatches.
func (d *drawn) commit(list ...batch) {
	took, speed := 0.0, 1+d.drift*float64(len(d.trace.CommandBuffers))/300
	e := analyze.Encoder{}
	for _, b := range list {
		name := fmt.Sprintf("kernel%02d", b.kernel)
		for range b.count {
			cost := d.costs[name] * float64(b.threads) / 1000 / speed * max(0.1, 1+d.noise*d.random.NormFloat64())
			took += cost
			d.truth[name] += cost
		}
		of := analyze.Dispatch{Pipeline: d.pipes[name], Count: b.count, Threads: uint64(b.count) * b.threads}
		e.Dispatches = append(e.Dispatches, of)
	}
	length := analyze.Nanos(took + d.overhead*d.random.ExpFloat64())
	gpu := analyze.Interval{Begin: d.at, End: d.at + length}
	d.trace.Add(analyze.CommandBuffer{GPU: gpu, Encoders: []analyze.Encoder{e}})
	d.at += length + 5000
}

// judgement counts how the kernels' rows compare with the truth.
type judgement struct{ kernels, right, ranked, wrongOrder int }

func (j *judgement) judge(t *testing.T, name string, list []*Kernel, truth map[string]float64) {
	for _, k := range list {
		want := truth[k.Name]
		j.kernels++
		near := math.Abs(float64(k.GPU)-want) <= 0.1*want
		holds := float64(k.Low) <= want && want <= float64(k.High)
		if near && k.Source != NotIdentified || holds {
			j.right++
		} else {
			t.Logf("%s: %s is %d (%d to %d, %s), in truth %.0f", name, k.Name, k.GPU, k.Low, k.High, k.Source, want)
		}
		if k.Rank == 0 {
			continue
		}
		j.ranked++
		for _, o := range list {
			if o.Rank > k.Rank && truth[o.Name] > want {
				j.wrongOrder++
				t.Errorf("%s: %s (rank %d) before %s (rank %d), in truth %.0f and %.0f", name, k.Name, k.Rank,
					o.Name, o.Rank, want, truth[o.Name])
			}
		}
	}
}

// drawnPrograms put kernels into command buffers as frameworks do.
var drawnPrograms = []struct {
	name   string
	ranked float64 // share of its kernels that the run identifies
	draw   func(d *drawn)
}{
	{"alike", 0, func(d *drawn) { // each command buffer is one token of a model: all equal
		for range 200 {
			d.commit(batch{0, 4, 1000}, batch{1, 2, 1000}, batch{2, 2, 4000}, batch{3, 1, 500})
		}
	}},
	{"ggml", 0.15, func(d *drawn) { // a prompt, and then the layers of each token over two command buffers
		for range 20 {
			d.commit(batch{0, 2, 64_000}, batch{1, 2, 32_000}, batch{4, 1, 64_000}, batch{5, d.random.IntN(3), 1000})
		}
		for range 150 {
			layers := []batch{{0, 1, 1000}, {1, 2, 1000}, {2, 1, 4000}, {3, 3, 500}, {4, 1, 1000}, {5, 1, 1000}}
			var all []batch
			for range 8 {
				all = append(all, layers...)
			}
			cut := 10 + d.random.IntN(28)
			d.commit(all[:cut]...)
			d.commit(all[cut:]...)
		}
	}},
	{"mlx", 0.6, func(d *drawn) { // so many operations in a command buffer, whatever they are
		kinds := len(d.costs)
		for range 300 {
			var all []batch
			for range 5 + d.random.IntN(20) {
				all = append(all, batch{d.random.IntN(kinds), 1, []uint64{500, 1000, 8000}[d.random.IntN(3)]})
			}
			d.commit(all...)
		}
	}},
	{"candle", 0.95, func(d *drawn) { // short command buffers, now and then of one kernel only
		for range 400 {
			var all []batch
			for range 1 + d.random.IntN(3) {
				all = append(all, batch{d.random.IntN(len(d.costs)), 1 + d.random.IntN(2), 1000})
			}
			d.commit(all...)
		}
	}},
	{"pairs", 0.2, func(d *drawn) { // two kernels that never come without each other, others that do
		for range 200 {
			d.commit(batch{0, 1, 1000}, batch{1, 1, 1000}, batch{2, d.random.IntN(3), 1000}, batch{3, d.random.IntN(3), 1000})
		}
	}},
	{"few", 0, func(d *drawn) { // too few command buffers to know anything
		for range 6 {
			d.commit(batch{0, 1 + d.random.IntN(3), 1000}, batch{1, 1 + d.random.IntN(3), 1000},
				batch{2, 1 + d.random.IntN(3), 1000})
		}
	}},
	{"growing", 0, func(d *drawn) { // attention over a context that grows
		for token := range 300 {
			d.commit(batch{0, 4, 1000}, batch{1, 4, uint64(500 + 20*token)}, batch{2, 1, 1000})
			if token%7 == 0 {
				d.commit(batch{2, 1, 1000}, batch{3, 1, 1000})
			}
		}
	}},
	{"tests", 0, func(d *drawn) { // a suite of tests, which runs each kernel by itself, most of them once
		for i := range d.costs {
			d.costs[i] /= 4
		}
		for i := range len(d.costs) {
			for range 1 + i*i {
				d.commit(batch{i, 1, 1000})
			}
		}
	}},
	{"once alone", 0, func(d *drawn) { // one command buffer separates two kernels, and it is the first, which is slow
		d.costs["kernel00"] *= 4
		d.commit(batch{0, 1, 1000})
		d.costs["kernel00"] /= 4
		for range 200 {
			d.commit(batch{0, 1, 1000}, batch{1, 1, 1000})
		}
	}},
}

// TestFitHoldsTheTruth: for programs with known kernel costs, nine tenths of the kernels have a time within a tenth of
// the truth or a range that contains it, and no ranked kernel is in the wrong place.
func TestFitHoldsTheTruth(t *testing.T) {
	for _, by := range []disturbance{{"exact", 0, 0, 0}, {"noise", 0.03, 0, 0}, {"much noise", 0.2, 0, 0},
		{"drift", 0.05, 0.3, 0},
		{"overhead", 0.05, 0, 500}, {"fixed cost", 0.05, 0, 5000}} {
		var all judgement
		for _, p := range drawnPrograms {
			var of judgement
			for seed := range uint64(10) {
				d := newDrawn(seed, 6, by)
				p.draw(d)
				name := fmt.Sprintf("%s, %s, seed %d", p.name, by.name, seed)
				list := Summarize(d.trace)
				of.judge(t, name, list, d.truth)
				sum, want := analyze.Nanos(0), analyze.Nanos(0)
				for _, k := range list {
					sum += k.GPU
				}
				for b := range d.trace.Buffers() {
					want += b.GPU.Length()
				}
				if sum != want {
					t.Errorf("%s: the kernels' times add up to %d, the command buffers' to %d", name, sum, want)
				}
			}
			t.Logf("%-10s %-10s %3d of %3d right, %3d ranked", p.name, by.name, of.right, of.kernels, of.ranked)
			if of.ranked < int(p.ranked*float64(of.kernels)) {
				t.Errorf("%s, %s: %d of %d kernels are ranked", p.name, by.name, of.ranked, of.kernels)
			}
			all.kernels, all.right, all.ranked = all.kernels+of.kernels, all.right+of.right, all.ranked+of.ranked
		}
		t.Logf("%s: %d of %d right, %d ranked", by.name, all.right, all.kernels, all.ranked)
		if float64(all.right) < 0.9*float64(all.kernels) {
			t.Errorf("%s: %d of %d kernels are right", by.name, all.right, all.kernels)
		}
	}
}
