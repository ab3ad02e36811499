package hang

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// thread returns a thread's name for the report.
func thread(t *analyze.Thread) string {
	switch {
	case t == nil:
		return "an unknown thread"
	case t.Name != "":
		return fmt.Sprintf("thread %d %q", t.ID, t.Name)
	}
	return fmt.Sprintf("thread %d", t.ID)
}

// buffer returns a command buffer's name for the report.
func buffer(b *analyze.CommandBuffer) string {
	if b.Label != "" {
		return fmt.Sprintf("command buffer %d %q", b.ID, b.Label)
	}
	return fmt.Sprintf("command buffer %d", b.ID)
}

// queue returns a queue's name for the report.
func queue(q *analyze.Queue) string {
	switch {
	case q == nil:
		return "an unknown queue"
	case q.Label != "":
		return fmt.Sprintf("queue %q", q.Label)
	}
	return fmt.Sprintf("queue %d", q.ID)
}

// times returns "once" or "24 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return analyze.FormatCount(n) + " times"
}

func eventName(id uint32) string { return fmt.Sprintf("shared event %d", id) }

// lock returns the name of the lock, condition variable or semaphore that the call u waits for.
func lock(u *analyze.UnfinishedCall) string {
	switch {
	case u.OfPython:
		return "the GIL"
	case u.Name != "":
		return fmt.Sprintf("%s (%#x)", u.Name, u.Address)
	}
	return fmt.Sprintf("%#x", u.Address)
}

// at formats a time, relative to the begin of the run.
func (s *surveyed) at(n analyze.Nanos) string { return (n - s.trace.Run.Origin).String() }

// kernels names the first kernels of a command buffer, or returns "" if none is known.
func kernels(b *analyze.CommandBuffer) string {
	var names []string
	for i := range b.Encoders {
		for _, d := range b.Encoders[i].Dispatches {
			if d.Pipeline != nil && d.Pipeline.Kernel != "" && !strings.Contains(strings.Join(names, " "),
				d.Pipeline.Kernel) {
				names = append(names, d.Pipeline.Kernel)
			}
		}
	}
	if len(names) > policy.ShownNames {
		names = append(names[:policy.ShownNames], "…")
	}
	return strings.Join(names, ", ")
}

// madeBy names the thread that created a command buffer, and the line of code if stacks were recorded.
func madeBy(b *analyze.CommandBuffer) string {
	text := thread(b.Created.Thread)
	if site := b.Created.Stack.Site(); site != nil {
		text += ", " + site.String()
	}
	return text
}

// untraced tells how many children of a process are not traced.
func untraced(forked int) string {
	return fmt.Sprintf("%s by fork without exec %s not traced", analyze.Plural(forked, "child process"), are(forked))
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
