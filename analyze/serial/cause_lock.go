package serial

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mtrace/analyze"
)

// lockContention: threads wait for a lock that another holds. The lock is in the trace, or it is hidden inside a call and shows
// in how the calls hold each other up.
func lockContention(a *Analysis, f *facts) Finding {
	r := Finding{Cause: LockContention, Confidence: 0.9, Advice: "shorten what is done under the lock, or give each thread its own"}
	seen := lockFinding(r, a, f, func(l *analyze.LockWait) bool { return !l.OfInterpreter() })
	hidden := hiddenLock(r, a, f)
	switch {
	case hidden.Holds && seen.Lost*2 < hidden.Lost: // a short wait for some lock does not say that there is no other
		if seen.Holds {
			hidden.say("of the locks that are in the trace: %s", seen.Evidence[0])
		}
		if hidden.turns {
			f.turnsLost = hidden.Lost
		} else if hidden.inCommit {
			f.lockInCommit = hidden.Lost
		}
		return hidden
	case !seen.Holds && len(a.Trace.Locks) == 0:
		return hidden
	}
	return seen
}

// hiddenLock finds a lock that is not in the trace by how it shapes what is: calls that hold each other up, threads that take turns.
func hiddenLock(r Finding, a *Analysis, f *facts) Finding {
	tested := ""
	for i := range a.Interference {
		t := &a.Interference[i]
		if t.OneAtATime() {
			r.Holds, r.Confidence = true, 0.75
			r.Lost, r.inCommit = t.Lost, t.What == "commit"
			r.say("%s takes %s when no other thread is inside, and the longer the more threads are inside: rank correlation %.2f, p = %.3f, %d calls",
				t.What, t.Solo, t.Rho, t.PValue, t.Calls)
			switch {
			case t.HandOff:
				r.say("calls end one after the other with a regular time between, as when each hands a lock to the next")
			case t.OneServer > 0:
				r.say("calls are served one at a time: behind each other they take %.2f of the time of a call alone", t.OneServer)
			default:
				r.say("calls are served one at a time: %s of their duration goes with the number of threads inside", percent(min(1, t.Effect)))
			}
			r.say("which lock it is, is not in the trace; it costs %s, %s of the threads' time", r.Lost, percent(f.share(r.Lost)))
			return r
		}
		tested += fmt.Sprintf("; %s takes no longer when other threads are inside (rank correlation %.2f)", t.What, t.Rho)
		if t.Interferes() {
			tested += ", or not in the way that one lock would make it"
		}
	}
	// An interpreter's threads take turns for its own lock, unless that is in the trace: then it is another.
	if turns := a.turns(f); turns != nil && !a.turnsAreInterpreters(f) {
		r.Confidence = 0.6
		turns.tell(&r, f)
		r.say("what they keep meanwhile is not in the trace: a lock, a serial queue, or one task that is handed from thread to thread")
		a.mayBeTheNext(f, &r)
		return r
	}
	return r.not("no wait for a lock is in the trace%s", tested)
}

// showsInterpreterLock says whether waits for an interpreter's lock are in the trace, so that it would show if it cost much.
func (a *Analysis) showsInterpreterLock() bool {
	return slices.ContainsFunc(a.Trace.Locks, func(l analyze.LockWait) bool { return l.OfInterpreter() })
}

// takingTurns is what shows that threads wait for the GPU one after the other.
type takingTurns struct {
	exclusion *Exclusion
	coverage  float64 // share of the time in which one of them waits
	lost      analyze.Nanos
}

// turns finds that threads never wait for the GPU at the same time although one of them always does, and the GPU has room: then
// each goes on when the one before has done waiting, as when it keeps a lock meanwhile. Threads that merely miss each other
// leave gaps. It is nil when that is not so.
func (a *Analysis) turns(f *facts) *takingTurns {
	var x *Exclusion
	for i := range a.Exclusion {
		if a.Exclusion[i].What == "waits" {
			x = &a.Exclusion[i]
		}
	}
	if x == nil || x.Index < 0.9 || x.QValue > falseDiscovery || f.backlog > 0.1 {
		return nil
	}
	union := a.waitsUnion()
	spans := union.Spans()
	if len(spans) == 0 {
		return nil
	}
	t := &takingTurns{exclusion: x, coverage: share(union.Total(), spans[len(spans)-1].End-spans[0].Begin)}
	if t.coverage < 0.75 {
		return nil
	}
	for _, th := range f.threads {
		if s := a.spans[th.Thread]; s != nil && th.CommandBuffers > 0 {
			t.lost += min(union.Within(th.Thread.Working)-s.waits.Total()-s.foreign.Total(), th.WorkTime[analyze.PartOutside])
		}
	}
	if f.share(t.lost) < leastTurns {
		return nil
	}
	return t
}

// leastTurns is the share of the threads' time that they must be outside of Metal, while another waits for the GPU, to be said to
// take turns for a lock that is not in the trace. Threads that wait for a lock that is in the trace take turns too.
const leastTurns = 0.05

// waitsUnion is when any thread waited for the GPU.
func (a *Analysis) waitsUnion() *Busy {
	var all []analyze.Interval
	for i := range a.Trace.Waits {
		if w := &a.Trace.Waits[i]; w.Length() >= shortestWait {
			all = append(all, w.Interval)
		}
	}
	return NewBusy(all)
}

func (t *takingTurns) tell(r *Finding, f *facts) {
	r.Holds, r.turns, r.Lost = true, true, max(0, t.lost)
	r.say("%d threads never wait for the GPU at the same time (mutual exclusion %.2f, p = %.3f), though in %s of the time one of them does and nothing is queued for it",
		t.exclusion.Threads, t.exclusion.Index, t.exclusion.PValue, percent(t.coverage))
	r.say("meanwhile the others are outside of Metal, for %s, %s of the threads' time", r.Lost, percent(f.share(r.Lost)))
	if (f.processors.computed+max(0, f.processors.waited))*2 > r.Lost {
		r.unseen = r.Lost
		r.say("they run on a processor then, as when they spin; what of it is work of their own is not in the trace, so nothing is predicted")
	}
}

// isInterpreter says whether a process is a language interpreter that runs one thread at a time.
func isInterpreter(p *analyze.Process) bool {
	name := strings.ToLower(path.Base(p.Program))
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ruby")
}

func threadName(t *analyze.Thread) string {
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return fmt.Sprintf("%s %d", t.Name, t.ID)
}

// lockFinding sums the waits for locks of one sort.
func lockFinding(r Finding, a *Analysis, f *facts, sort func(*analyze.LockWait) bool) Finding {
	type use struct {
		name    string
		waits   int
		time    analyze.Nanos
		holders map[*analyze.Thread]analyze.Nanos
	}
	takesPart := map[*analyze.Thread]bool{} // waits of the framework's own threads cost the program nothing by themselves
	aside := analyze.Nanos(0)
	for _, t := range f.threads {
		takesPart[t.Thread] = true
	}
	by := map[lockKey]*use{}
	var uses []*use
	for i := range a.Trace.Locks {
		l := &a.Trace.Locks[i]
		if !sort(l) || !takesPart[l.Thread] {
			continue
		}
		k := keyOf(l)
		u := by[k]
		if u == nil {
			u = &use{name: "the lock " + l.Name, holders: map[*analyze.Thread]analyze.Nanos{}}
			if l.Name == "" {
				u.name = fmt.Sprintf("the lock at %#x (%s)", l.Lock, l.Selector)
			}
			by[k] = u
			uses = append(uses, u)
		}
		u.waits++
		u.time += l.Own
		if l.Holder != nil {
			u.holders[l.Holder] += l.Own
		}
		r.Lost += l.Own
		if !f.submits[l.Thread] {
			aside += l.Own
		}
	}
	r.aside = aside*10 >= r.Lost*9
	if r.Lost == 0 {
		return r.not("no thread waited for such a lock")
	}
	slices.SortStableFunc(uses, func(x, y *use) int { return compare(y.time, x.time) })
	r.Holds = true
	for _, u := range uses[:min(3, len(uses))] {
		var holders []*analyze.Thread
		for h := range u.holders {
			holders = append(holders, h)
		}
		slices.SortFunc(holders, func(x, y *analyze.Thread) int {
			if c := compare(u.holders[y], u.holders[x]); c != 0 {
				return c
			}
			return compare(uint64(x.ID), uint64(y.ID))
		})
		held := "by whom it was held is not known"
		if len(holders) > 0 {
			held = "held by"
			for i, h := range holders[:min(4, len(holders))] {
				if i > 0 {
					held += ","
				}
				held += fmt.Sprintf(" %s (%s)", threadName(h), percent(share(u.holders[h], u.time)))
			}
		}
		r.say("%s: %d waits, %s, %s", u.name, u.waits, u.time, held)
	}
	r.say("that is %s of the threads' time", percent(f.share(r.Lost)))
	a.mayBeTheNext(f, &r)
	return r
}

// mayBeTheNext says that the GPU, which the lock lets one thread use at a time, may have no room for more.
func (a *Analysis) mayBeTheNext(f *facts, r *Finding) {
	if f.busy >= 0.8 && a.GPU.Overlap < 1.05 && f.share(r.Lost) >= enoughShare {
		r.Confidence = min(r.Confidence, 0.8)
		r.say("the GPU was busy for %s of the time, with one command buffer at a time: whether it can run more at once without the lock is not seen", percent(f.busy))
	}
}
