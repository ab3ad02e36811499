package compile

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// Waited is the time that a thread waited for child processes that compiled, in calls of one kind.
type Waited struct {
	Thread   *analyze.Thread
	How      string // analyze.ChildWait.How
	Program  string // program of the children, if known
	Count    int
	Total    analyze.Nanos
	Compiled analyze.Nanos // the part of Total while at least one of them compiled
	// The part of Total in waits during which the children mostly compiled. It counts as the thread's own compilation.
	Counted analyze.Nanos
}

// A Compiler is a process that compiled.
type Compiler struct {
	Process *analyze.Process
	Count   int // number of libraries and pipeline states
	Total   analyze.Nanos
}

// waited sums the waits for compiling child processes by thread, waiting call and child program.
func (u *Use) waited(t *analyze.Trace) {
	type key struct {
		thread       *analyze.Thread
		how, program string
	}
	by := map[key]*Waited{}
	for i := range t.CPUWaits.Children {
		c := &t.CPUWaits.Children[i]
		k := key{c.Thread, c.How, c.Program}
		w := by[k]
		if w == nil {
			w = &Waited{Thread: c.Thread, How: c.How, Program: c.Program}
			by[k] = w
			u.Waited = append(u.Waited, w)
		}
		w.Count++
		w.Total += c.Length()
		w.Compiled += c.Compiled
		if c.Mostly {
			w.Counted += c.Length()
		}
	}
	slices.SortStableFunc(u.Waited, func(a, b *Waited) int { return cmp.Compare(b.Total, a.Total) })
}

// compilers sums up what each process compiled.
func (u *Use) compilers(t *analyze.Trace) {
	by := map[*analyze.Process]*Compiler{}
	for i := range t.Compilations {
		c := &t.Compilations[i]
		p := process(c)
		if p == nil || c.Waits() {
			continue
		}
		if by[p] == nil {
			by[p] = &Compiler{Process: p}
			u.Compilers = append(u.Compilers, by[p])
		}
		if c.Kind != "function" {
			by[p].Count++
		}
		by[p].Total += c.Length()
	}
	slices.SortStableFunc(u.Compilers, func(a, b *Compiler) int { return cmp.Compare(b.Total, a.Total) })
}
