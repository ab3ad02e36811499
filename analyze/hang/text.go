package hang

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Line is a line of text. If it is wrapped, Then is the indentation of the further lines.
type Line struct{ Text, Then string }

// Title returns the heading of the hang report with the time without progress, or "" if nothing hangs.
func (d *Document) Title() string {
	if len(d.Hangs) == 0 {
		return ""
	}
	return "no progress for " + analyze.Nanos(d.Hangs[0].ForNS).String()
}

// Lines returns the hang report as text without its title, process by process.
func (d *Document) Lines() (lines []Line) {
	for _, h := range d.Hangs {
		if len(d.Hangs) > 1 {
			lines = append(lines, Line{fmt.Sprintf("Process %d (%s), no progress for %v:", h.PID,
				filepath.Base(h.Program), analyze.Nanos(h.ForNS)), ""})
		}
		lines = append(lines, h.lines()...)
	}
	return lines
}

func (h *HungProcess) lines() (lines []Line) {
	if h.Last != "" {
		lines = append(lines, Line{fmt.Sprintf("Last progress: %s at %v.", h.Last, analyze.Nanos(h.SinceNS)), "  "})
	}
	if h.Failed > 0 {
		lines = append(lines, Line{fmt.Sprintf("%s of %s FAILED before: their results are invalid.",
			analyze.FormatCount(h.Failed), analyze.Plural(h.Completed, "completed command buffer")), "  "})
	}
	// `told` has the steps that were printed with the chain of waits of an earlier thread, and `passed` the threads in
	// these chains. Neither is printed again.
	told, passed := map[ChainStep]bool{}, map[string]bool{}
	var idle []string
	for i, t := range h.Threads {
		switch {
		case t.Kind == Idle:
			idle = append(idle, t.name())
		case i < policy.MostStuck && !passed[t.name()]:
			lines = append(lines, t.lines(told)...)
		}
		for _, c := range t.Chain {
			passed[c.What] = true
		}
	}
	if n := len(h.Threads) - len(idle) - policy.MostStuck; n > 0 {
		lines = append(lines, Line{fmt.Sprintf("%s more inside calls that have not returned", analyze.Plural(n,
			"thread")), "  "})
	}
	if n := len(idle); n > 0 {
		more := ""
		if n > policy.MostStuck/2 {
			idle, more = idle[:policy.MostStuck/2], ", …"
		}
		lines = append(lines, Line{fmt.Sprintf("%s for a signal or for work: %s%s", analyze.Plural(n,
			"thread")+" "+isWaiting(n), strings.Join(idle, ", "), more), "  "})
	}
	if h.Why != "" {
		lines = append(lines, Line{h.Why, ""})
	}
	for _, t := range h.Threads {
		if len(t.Stack) > 0 && t.Kind.hangs() {
			lines = append(lines, Line{fmt.Sprintf("Stack of %s: %s", t.name(),
				strings.Join(t.Stack[:min(len(t.Stack), policy.MostStuck)], " <- ")), "  "})
		}
	}
	for _, q := range h.Queues {
		lines = append(lines, Line{q.line(), "  "})
	}
	return lines
}

func (t *StuckThread) name() string {
	return thread(&analyze.Thread{ID: analyze.ThreadID(t.TID), Name: t.Name})
}

// does tells what the thread is doing, as "in waitUntilCompleted for 2.30 s".
func (t *StuckThread) does() string {
	if t.Polls > 0 {
		return fmt.Sprintf("polls %s for %v, %s", t.Call, analyze.Nanos(t.ForNS), analyze.Plural(t.Polls,
			"time"))
	}
	return fmt.Sprintf("in %s for %v", t.Call, analyze.Nanos(t.ForNS))
}

// lines returns the lines about a thread and its chain of waits. `told` has the steps that were printed for earlier
// threads: when only such steps follow, the lines end with "as above".
func (t *StuckThread) lines(told map[ChainStep]bool) []Line {
	lines := []Line{{t.name() + " " + t.does(), "  "}}
	widest := 0
	for _, c := range t.Chain {
		widest = max(widest, min(len([]rune(c.What)), 30))
	}
	fresh := slices.ContainsFunc(t.Chain, func(c ChainStep) bool { return !told[c] })
	for _, c := range t.Chain {
		if told[c] && !fresh {
			lines = append(lines, Line{"  " + c.What + ", as above", "    "})
			break
		}
		told[c] = true
		lines = append(lines, Line{fmt.Sprintf("  %-*s  %s", widest, c.What, c.Text), strings.Repeat(" ", widest+4)})
	}
	return lines
}

func (q *HungQueue) line() string {
	text := capital(q.Name) + ": "
	if q.Completed == 0 {
		text += "no command buffer has completed"
	} else {
		text += fmt.Sprintf("command buffer %d was the last to complete, at %v", q.Completed,
			analyze.Nanos(q.CompletedNS))
		if q.Started != 0 && q.Started != q.Completed {
			text += fmt.Sprintf("; command buffer %d was the last that is known to have started", q.Started)
		}
	}
	return text + fmt.Sprintf("; %d committed and not completed, %d created and not committed", q.Outstanding,
		q.Uncommitted)
}

// Line explains in one sentence why the process does not hang although it made no progress at the end.
func (p *Waiting) Line() string {
	if p.Likely != "" {
		return fmt.Sprintf("no progress for the last %v, probably a hang: %s Record with --stacks python to be sure",
			analyze.Nanos(p.ForNS), p.Likely)
	}
	text := fmt.Sprintf("no progress for the last %v, which is no hang: ", analyze.Nanos(p.ForNS))
	if len(p.Threads) == 0 {
		return text + "no thread was inside a recorded call; the program slept, waited for input, or was finished"
	}
	var calls []string
	for _, t := range p.Threads {
		if !slices.Contains(calls, t.Call) {
			calls = append(calls, t.Call)
		}
	}
	verb := "were"
	if len(p.Threads) == 1 {
		verb = "was"
	}
	text += fmt.Sprintf("%s %s in %s, as idle threads are; no command buffer was in flight",
		analyze.Plural(len(p.Threads), "thread"), verb,
		strings.Join(calls, ", "))
	for _, t := range p.Threads {
		if t.input && p.Forked > 0 {
			return text + fmt.Sprintf("; %s may wait for a forked child, which may hang: %s", t.name(), untraced(p.Forked))
		}
	}
	return text
}
