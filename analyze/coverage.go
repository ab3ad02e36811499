package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mtrace/collector/wire"
)

// A Coverage is how much of a process's use of Metal the tracer saw, by what it counted beside its records. It is of
// the whole process, whatever the range that was asked for.
type Coverage struct {
	Process     *Process
	Classes     []string         // whose methods were hooked, in the order in which they came by
	Unhooked    []UnhookedClass  // that came by without hooks
	Nested      map[string]int64 // inner calls left out on purpose, by family
	Commits     Audit            // command buffers that their queue took
	Completions Audit            // command buffers whose completion was announced to their queue
	SelfCheck   []CheckedCall    // nil when none was made
}

// An UnhookedClass is a class whose objects the tracer met and of whose methods it records none, or not all.
type UnhookedClass struct {
	Name, Family string
	Methods      int // how many methods are not recorded; 0 is all
}

// An Audit compares what passed a point of Metal's own with what the hooks above it saw of that. Nothing made means
// that nothing passed, or that this Metal has no such point.
type Audit struct{ Made, Seen int64 }

// Share is the part that was seen; false when nothing was made.
func (a Audit) Share() (share float64, known bool) {
	if a.Made == 0 {
		return 0, false
	}
	return float64(a.Seen) / float64(a.Made), true
}

// A CheckedCall is a call that the self-check made, and how often it was seen.
type CheckedCall struct {
	Selector   string
	Made, Seen int
}

// CommitAudit sums the audits of commits over all processes.
func CommitAudit(t *Trace) (sum Audit) {
	for _, c := range t.Recording.Coverage {
		sum.Made, sum.Seen = sum.Made+c.Commits.Made, sum.Seen+c.Commits.Seen
	}
	return sum
}

// addCoverage keeps what a process counted beside its records.
func addCoverage(l *loader, p *processLoader) {
	f := p.file
	if len(f.Classes) == 0 && len(f.Unhooked) == 0 {
		return // it did not use Metal
	}
	c := Coverage{Process: p.Process, Nested: map[string]int64{}}
	for _, i := range slices.Sorted(maps.Keys(f.Classes)) {
		if name := f.Classes[i].Name; !slices.Contains(c.Classes, name) {
			c.Classes = append(c.Classes, name)
		}
	}
	for _, u := range f.Unhooked {
		c.Unhooked = append(c.Unhooked, UnhookedClass{u.Name, u.Family.String(), u.Methods})
	}
	if e := f.End; e != nil {
		for family, n := range e.NestedBy {
			c.Nested[family] = int64(n)
		}
		c.Commits = Audit{int64(e.Commits.Reached), int64(e.Commits.Seen())}
		c.Completions = Audit{int64(e.Completions.Reached), int64(e.Completions.Seen())}
	}
	for _, call := range slices.Sorted(maps.Keys(f.Canary)) {
		c.SelfCheck = append(c.SelfCheck, CheckedCall{call.String(), f.Canary[call], p.canary[call]})
	}
	l.trace.Recording.Coverage = append(l.trace.Recording.Coverage, c)
	l.trace.Warnings = append(l.trace.Warnings, c.warnings(describeProcess(l, p))...)
}

// warnings are lines for the reader of a report, each beginning with who; none when all was seen.
func (c *Coverage) warnings(who string) (lines []string) {
	if missed := c.Commits.Made - c.Commits.Seen; missed > 0 {
		lines = append(lines, fmt.Sprintf("%s%d of %d commits seen: %d command buffers were committed past the hooks, by "+
			"a method looked up before it was hooked or "+
			"in a class that was not seen; "+
			"what they did is missing below", who, c.Commits.Seen, c.Commits.Made, missed))
	}
	if missed := c.Completions.Made - c.Completions.Seen; missed > c.Commits.Made-c.Commits.Seen {
		lines = append(lines, fmt.Sprintf("%s%d of %d completions seen: GPU times of the others are missing below", who,
			c.Completions.Seen, c.Completions.Made))
	}
	var whole []string
	for _, u := range c.Unhooked {
		if u.Methods == 0 {
			whole = append(whole, u.Name)
		}
	}
	if len(whole) > 0 {
		lines = append(lines, fmt.Sprintf("%sobjects of these classes came by and are not hooked: %s", who,
			strings.Join(whole, ", ")))
	}
	if made, seen, wrong := c.checked(); len(wrong) > 0 {
		lines = append(lines, fmt.Sprintf("%sTHE SELF-CHECK FAILED: %d of %d calls seen (%s): do not trust what is said "+
			"below; please report this with the output of "+
			"mtrace doctor --json",
			who, seen, made, strings.Join(wrong, ", ")))
	}
	return lines
}

// checked sums the self-check and states what was not seen exactly as often as it was made.
func (c *Coverage) checked() (made, seen int, wrong []string) {
	for _, k := range c.SelfCheck {
		made, seen = made+k.Made, seen+min(k.Seen, k.Made)
		if k.Made != k.Seen {
			wrong = append(wrong, fmt.Sprintf("%s %d of %d", k.Selector, k.Seen, k.Made))
		}
	}
	return made, seen, wrong
}

// SelfChecked is how many calls the self-check made and how many of them were seen, each once; made is 0 when there was
// none.
func (c *Coverage) SelfChecked() (made, seen int) {
	made, seen, _ = c.checked()
	return made, seen
}

// canarySeen notes a call of the self-check.
func (p *processLoader) canarySeen(r *wire.Record) {
	if p.canary == nil {
		p.canary = map[wire.Call]int{}
	}
	p.canary[wire.Call(min(r.Arg, 1<<16-1))]++
}
