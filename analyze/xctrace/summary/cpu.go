package summary

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze/xctrace"
)

// CPU counts CPU samples by the function and the thread in which they were taken. It includes samples outside of the
// summary's window (the time of the GPU's work), because a program also uses the CPU before and after its GPU work.
type CPU struct {
	Table        string     `json:"table"`
	Samples      int        `json:"samples"`
	FromNS       Nanos      `json:"from_ns"`
	ToNS         Nanos      `json:"to_ns"`
	TimeNS       *Nanos     `json:"time_ns"` // null where the table has no weights, or cycles
	Cycles       *uint64    `json:"cycles"`  // null where the table has times
	NoStack      int        `json:"without_stack"`
	NoWeight     int        `json:"without_weight"`
	OutsideRange int        `json:"beside_window"` // samples outside of the window of the GPU's work
	Functions    []Function `json:"functions"`     // the functions, those with the most samples first
	Threads      []Sampled  `json:"threads"`
}

// Function has the number of samples that were taken in a function.
type Function struct {
	Name   string `json:"name"`
	Binary string `json:"binary,omitempty"`
	Self   int    `json:"self_samples"`  // samples in which the function was at the top of the stack
	Total  int    `json:"total_samples"` // samples with the function anywhere in the stack; recursion counts once
}

// Sampled has the number of samples of one thread, and the thread's states in them.
type Sampled struct {
	TID     uint64         `json:"tid"`
	PID     uint64         `json:"pid"`
	Name    string         `json:"name"`
	Samples int            `json:"samples"`
	States  map[string]int `json:"states,omitempty"`
}

// noStack takes the place of a function for samples without a stack.
const noStack = "(no stack)"

// cpuOf sums up the CPU samples of the processes that the summary is about; nil if there are none.
func cpuOf(s *scope) *CPU {
	c := &CPU{Table: sampleTableOf(s), FromNS: 1 << 62}
	functions := map[xctrace.Frame]*Function{}
	threads := map[xctrace.ThreadIndex]*Sampled{}
	seen := map[xctrace.Frame]bool{}
	var weight uint64
	cycles := false
	rows := Rows{s}
	rows.Samples(func(x *xctrace.CPUSample) {
		c.Samples++
		c.FromNS, c.ToNS = min(c.FromNS, x.Time), max(c.ToNS, x.Time)
		weight, cycles = weight+x.Weight, x.Cycles
		if x.Weight == 0 {
			c.NoWeight++
		}
		if !s.inside(x.Time) {
			c.OutsideRange++
		}
		t := threads[x.Thread]
		if t == nil {
			known := s.Dictionary.Threads[x.Thread]
			t = &Sampled{TID: known.TID, PID: s.Processes[s.processOf(x)].PID, Name: known.Name,
				States: map[string]int{}}
			threads[x.Thread] = t
		}
		t.Samples++
		if state := s.Text(x.State); state != "" {
			t.States[state]++
		}
		stack := s.Stacks[x.Stack]
		if len(stack) == 0 {
			c.NoStack++
			functionOf(functions, xctrace.Frame{Name: noStack}).Self++
			functionOf(functions, xctrace.Frame{Name: noStack}).Total++
			return
		}
		clear(seen)
		for i, at := range stack {
			frame := s.Frames[at]
			key := xctrace.Frame{Name: frame.Name, Binary: frame.Binary}
			if frame.Name == "" {
				key.Name = fmt.Sprintf("0x%x", frame.Address)
			}
			f := functionOf(functions, key)
			if i == 0 {
				f.Self++
			}
			if !seen[key] {
				f.Total++
				seen[key] = true
			}
		}
	})
	if c.Samples == 0 {
		return nil
	}
	switch {
	case cycles:
		c.Cycles = &weight
	case weight > 0:
		time := Nanos(min(weight, 1<<62))
		c.TimeNS = &time
	}
	for _, f := range functions {
		c.Functions = append(c.Functions, *f)
	}
	slices.SortFunc(c.Functions, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Binary, b.Binary))
	})
	for _, t := range threads {
		c.Threads = append(c.Threads, *t)
	}
	slices.SortFunc(c.Threads, func(a, b Sampled) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples),
			cmp.Compare(a.TID, b.TID))
	})
	return c
}

func functionOf(by map[xctrace.Frame]*Function, key xctrace.Frame) *Function {
	f := by[key]
	if f == nil {
		f = &Function{Name: key.Name, Binary: key.Binary}
		by[key] = f
	}
	return f
}

func (s *Summary) cpuText(p *printer) {
	c := s.CPU
	if c == nil {
		return
	}
	p.section("CPU samples (" + c.Table + ")")
	line := fmt.Sprintf("  %d samples in %d threads, from %s to %s", c.Samples, len(c.Threads), c.FromNS, c.ToNS)
	switch {
	case c.TimeNS != nil:
		line += fmt.Sprintf(", %s of threads' time", *c.TimeNS)
	case c.Cycles != nil:
		line += fmt.Sprintf(", %d cycles", *c.Cycles)
	}
	p.line("%s", line)
	for _, x := range []struct {
		n    int
		what string
	}{{c.NoStack, "have no stack"}, {c.NoWeight, "have no weight: they count as samples, not as time"},
		{c.OutsideRange, "are outside of the window of the GPU's work, but count here"}} {
		if x.n > 0 {
			p.line("  %d of them %s", x.n, x.what)
		}
	}
	p.Flush()
	p.line("  function\tof\tself\tshare\twith callees\tshare")
	for i, f := range c.Functions {
		if i == maxLines {
			p.line("  … and %d more", len(c.Functions)-i)
			break
		}
		p.line("  %s\t%s\t%d\t%s\t%d\t%s", short(f.Name), f.Binary, f.Self, percent(float64(f.Self)/float64(c.Samples)),
			f.Total, percent(float64(f.Total)/float64(c.Samples)))
	}
	p.Flush()
	p.line("  thread\ttid\tpid\tsamples\tshare")
	for i, t := range c.Threads {
		if i == maxLines {
			p.line("  … and %d more", len(c.Threads)-i)
			break
		}
		p.line("  %s\t0x%x\t%d\t%d\t%s", orNone(t.Name), t.TID, t.PID, t.Samples,
			percent(float64(t.Samples)/float64(c.Samples)))
	}
}
