package hang

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// names lists who gave the earlier signals.
func (g *signallers) names() string {
	var names []string
	if g.handlers > 0 {
		names = append(names, "completion handlers")
	}
	threads := sortedThreads(g.threads)
	for i, t := range threads {
		if i == policy.ShownNames {
			names = append(names, analyze.Plural(len(threads)-i, "other thread"))
			break
		}
		names = append(names, thread(t))
	}
	return strings.Join(names, " and ")
}

// isRoot reports whether the wait does not only follow from waits of other threads.
func (g *signallers) isRoot() bool {
	for t := range g.threads {
		if t.Exited {
			return true
		}
	}
	return g.handlers > 0
}

// noSignal explains why the wait u gets no signal any more; `g` has who gave the earlier ones.
func (w *walk) noSignal(u *analyze.UnfinishedCall, g *signallers) string {
	why := fmt.Sprintf("Nothing seems able to signal the %s any more: so far only %s did.",
		wire.SignalObject(u.Selector), g.names())
	exited, waiting := 0, 0
	for t := range g.threads {
		if t.Exited {
			exited++
		} else if t != u.Thread {
			waiting++
		}
	}
	switch {
	case exited > 0 && exited == len(g.threads) && g.handlers == 0:
		why += " " + capital(thoseThreadsHave(exited)) + " ended, perhaps by an error or an exception."
	case exited > 0:
		why += fmt.Sprintf(" Of these, %s ended, perhaps by an error or an exception.",
			analyze.Plural(exited, "thread"))
	}
	if waiting > 0 {
		why += fmt.Sprintf(" %s of these %s for a signal that does not come either.", analyze.Plural(waiting, "thread"),
			isWaiting(waiting))
	}
	if g.handlers > 0 {
		why += " " + w.noHandler()
	}
	return why
}

// isWaiting returns the verb after the number n of threads.
func isWaiting(n int) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}

// thoseThreadsHave returns the begin of a sentence about n threads that were just named.
func thoseThreadsHave(n int) string {
	if n == 1 {
		return "that thread has"
	}
	return "those threads have"
}

// noHandler explains why no completion handler will run.
func (w *walk) noHandler() string {
	completed, failed := w.counts()
	text := fmt.Sprintf("All %s have completed, so no handler will run: probably one of them returned without signalling",
		analyze.Plural(completed, "command buffer"))
	if completed == 1 {
		text = "The only command buffer has completed, so no handler will run: probably it returned without signalling"
	}
	if failed > 0 {
		text += fmt.Sprintf(", for instance because its command buffer failed (%s of %s did)",
			analyze.FormatCount(failed), analyze.FormatCount(completed))
	}
	return text + "."
}

// counts returns how many command buffers of the process have completed, and how many of these failed.
func (s *surveyed) counts() (completed, failed int) {
	for _, list := range s.buffers {
		for _, b := range list {
			if b.Completed.Known() {
				completed++
			}
			if b.Failed() {
				failed++
			}
		}
	}
	return completed, failed
}

// blocked describes a wait for input, for a time or for another thread's end. Input may come from a child process
// that is not traced.
func (w *walk) blocked(u *analyze.UnfinishedCall) string {
	switch {
	case u.Effect == wire.EffectSleeps:
		return "waits for a time"
	case u.Effect == wire.EffectJoins:
		return "waits for the end of another thread"
	case w.process.Forked > 0:
		return "waits for input, perhaps from a child process (" + untraced(w.process.Forked) + ")"
	}
	return "waits for input"
}

// sortedThreads returns the threads in the order of their IDs.
func sortedThreads(threads map[*analyze.Thread]int) (list []*analyze.Thread) {
	for t := range threads {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *analyze.Thread) int { return int(a.ID) - int(b.ID) })
	return list
}
