package memory

import (
	"cmp"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Tenths is the number of ranges into which the committed command buffers of a run are divided to show how many objects
// were alive.
const Tenths = 10

// Objects is how many objects of one class a run created and released, and how many were alive.
type Objects struct {
	Class          string
	Created        int
	Released       int
	ReleasesKnown  bool // if false, the trace has no releases of this class, and Peak and Alive are upper bounds
	Peak           int
	Alive          [Tenths + 1]int // element k: when k tenths of the run's command buffers had been committed
	CommandBuffers int             // committed in all
}

// Growth returns how many more objects were alive at the end of the run than after its first tenth. It returns 0 if the
// number did not grow in each third of the time between, because the growth is then not steady.
func (o *Objects) Growth() int {
	grown := o.Alive[Tenths] - o.Alive[1]
	if !o.ReleasesKnown || grown < policy.FewestUnreleased {
		return 0
	}
	for _, k := range [...]int{1, 4, 7} {
		if float64(o.Alive[k+3]-o.Alive[k]) < policy.GrowthThird*float64(grown) {
			return 0
		}
	}
	return grown
}

// Class returns what an allocating call returns, in words: "buffer" for "newBufferWithLength:options:".
func Class(selector string) string {
	for _, class := range []string{"Buffer", "Texture", "Heap", "Tensor", "AccelerationStructure"} {
		if strings.HasPrefix(selector, "new"+class) || strings.HasPrefix(selector, "newShared"+class) {
			return strings.ToLower(class[:1]) + class[1:]
		}
	}
	return "other object"
}

// ClassOf returns the class of an allocation in words. A resource that uses the memory of another one has a class of
// its own: "texture view" if it was made from a texture or a buffer, "heap buffer" if it was made from a heap.
// Releasing it frees no memory.
func ClassOf(a *analyze.Allocation) string {
	class := Class(a.Selector)
	switch {
	case a.View:
		return class + " view"
	case a.OnHeap:
		return "heap " + class
	}
	return class
}

// The classes whose objects the tracer counts instead of recording each.
const CommandBuffers, Encoders = "command buffer", "encoder"

// population counts the objects of each class over the consecutive ranges of a run.
type population struct {
	classes map[string]*members
	names   map[object]string // the classes of the objects that are alive
	commits int
	counted map[*analyze.Process]analyze.AliveSample
	samples int
}

// members counts the objects of one class. Element i of levels is how many were alive when i·stride command buffers had
// been committed. If levels is full, every second element is removed and stride doubles.
type members struct {
	Objects
	now    int
	stride int
	levels []int
}

// mostLevels limits the memory for one class.
const mostLevels = 2048

// change is one event of a range: an object that was created (by 1) or released (by -1), a commit (no class), or a
// sample.
type change struct {
	at     analyze.Nanos
	class  string
	by     int
	sample *analyze.AliveSample
}

func newPopulation() *population {
	return &population{classes: map[string]*members{}, names: map[object]string{},
		counted: map[*analyze.Process]analyze.AliveSample{}}
}

// add adds the next range of the run. process converts a process of the range to that of the run.
func (p *population) add(t *analyze.Trace, process func(*analyze.Process) *analyze.Process) {
	var changes []change
	created := func(class string, of *analyze.Process, number uint32, at, released analyze.Nanos) {
		changes = append(changes, change{at: at, class: class, by: 1})
		if t.Adds() {
			p.names[object{process(of), number}] = class
		} else if released != 0 {
			changes = append(changes, change{at: released, class: class, by: -1})
		}
	}
	for i := range t.Memory.Allocations {
		if a := &t.Memory.Allocations[i]; a.Thread != nil {
			created(ClassOf(a), a.Thread.Process, a.Object, a.At, a.Released)
		}
	}
	for i := range t.Memory.Lifetimes {
		l := &t.Memory.Lifetimes[i]
		created(l.Class, l.Thread.Process, l.Object, l.At, l.Released)
	}
	for _, f := range t.Memory.Freed {
		if key := (object{process(f.Process), f.Object}); p.names[key] != "" {
			changes = append(changes, change{at: f.At, class: p.names[key], by: -1})
			delete(p.names, key)
		}
	}
	for i := range t.Memory.Counted {
		s := t.Memory.Counted[i]
		s.Process = process(s.Process)
		changes = append(changes, change{at: s.At, sample: &s})
	}
	for b := range t.Buffers() {
		if b.Committed.Begin != 0 && t.Began(b.Committed.Begin) {
			changes = append(changes, change{at: b.Committed.Begin})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	for i := range changes {
		p.apply(&changes[i])
	}
}

func (p *population) apply(c *change) {
	switch {
	case c.sample != nil:
		before := p.counted[c.sample.Process]
		p.counted[c.sample.Process] = *c.sample
		p.samples++
		p.class(CommandBuffers).move(c.sample.CommandBuffers - before.CommandBuffers)
		p.class(Encoders).move(c.sample.Encoders - before.Encoders)
	case c.class == "":
		p.commits++
		for _, m := range p.classes {
			m.fill(p.commits)
		}
	default:
		m := p.class(c.class)
		m.move(c.by)
		if c.by > 0 {
			m.Created++
		} else {
			m.Released++
		}
	}
}

func (p *population) class(name string) *members {
	m := p.classes[name]
	if m == nil {
		m = &members{Objects: Objects{Class: name}, stride: 1, levels: []int{}}
		m.fill(p.commits)
		p.classes[name] = m
	}
	return m
}

func (m *members) move(by int) {
	m.now += by
	m.Peak = max(m.Peak, m.now)
}

// fill appends the present number of objects to levels until levels covers `commits` command buffers.
func (m *members) fill(commits int) {
	for len(m.levels)*m.stride < commits {
		m.levels = append(m.levels, m.now)
		if len(m.levels) == mostLevels {
			for i := range mostLevels / 2 {
				m.levels[i] = m.levels[2*i]
			}
			m.levels, m.stride = m.levels[:mostLevels/2], 2*m.stride
		}
	}
}

// finish returns the classes, the one with the most objects alive at the end first. all is the trace of the whole run.
func (p *population) finish(all *analyze.Trace) []Objects {
	out := []Objects{}
	for _, counted := range []struct {
		class string
		of    func(*analyze.Process) analyze.Alive
	}{{CommandBuffers, func(p *analyze.Process) analyze.Alive { return p.Alive }},
		{Encoders, func(p *analyze.Process) analyze.Alive { return p.Encoder }}} {
		for _, process := range all.Processes {
			if a := counted.of(process); a.Made > 0 {
				m := p.class(counted.class)
				m.Created, m.Released = m.Created+a.Made, m.Released+a.Freed
				m.Peak = max(m.Peak, a.Most)
			}
		}
	}
	for _, m := range p.classes {
		if m.Created == 0 {
			continue
		}
		for k := range m.Alive {
			m.Alive[k] = m.now
			if n := len(m.levels); n > 0 && k < Tenths {
				m.Alive[k] = m.levels[k*(n-1)/Tenths]
			} else if n > 0 {
				m.Alive[k] = m.levels[n-1]
			}
		}
		// a tracer that counts the objects of a class also sees all their releases
		m.ReleasesKnown, m.CommandBuffers = m.Released > 0 || p.samples > 0, p.commits
		out = append(out, m.Objects)
	}
	slices.SortFunc(out, func(a, b Objects) int {
		return cmp.Or(cmp.Compare(b.Alive[Tenths], a.Alive[Tenths]), cmp.Compare(b.Created, a.Created),
			strings.Compare(a.Class, b.Class))
	})
	return out
}
