package change

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// A DelayPoint says where in a program a delay is added, for example before each commit.
type DelayPoint uint8

// The places.
const (
	BeforeCommit  DelayPoint = iota // once for each command buffer, before it is committed
	BeforeAcquire                   // once for each command buffer, before it is created
	BeforeCompile                   // before each compilation
	AfterWait                       // after each wait for a command buffer: the thread sleeps longer, without a processor
	InLock                          // each time that a thread holds a lock for which threads wait
	InHandler                       // in the completion handlers of each command buffer
)

// An Added is a delay that is added each time a thread reaches a place. It predicts what `mtrace experiment`
// measures.
type Added struct {
	At      DelayPoint
	By      analyze.Nanos
	Threads []int32 // the threads that are delayed, or whose command buffers are; nil means all
	Sleeps  bool    // delayed threads need no processor: after a wait they never do
	Lock    int32   // InLock: the number of the named lock, from 1 on; 0 means any
}

// of reports whether thread t is among the delayed threads.
func (a *Added) of(t int32) bool { return a.Threads == nil || slices.Contains(a.Threads, t) }

// apply adds the delay to the program wherever it applies.
func (a *Added) apply(p *program.Program) { a.visit(p, true) }

// Times returns how often the delay would be added, per command buffer of the program. It changes nothing.
func (a *Added) Times(p *program.Program) float64 {
	return float64(a.visit(p, false)) / float64(max(1, len(p.Jobs)))
}

// visit counts the points of the program at which the delay applies, and returns the number. If add is true, it also
// adds the delay at each of these points.
func (a *Added) visit(p *program.Program, add bool) (times int) {
	delay := func(to *analyze.Nanos) {
		if times++; add {
			*to += a.By
		}
	}
	// asleep delays step s. If sleeps is true, the thread sleeps in the added time and needs no processor.
	asleep := func(s *program.Step, sleeps bool) {
		if delay(&s.Gap); add && sleeps {
			s.Asleep += a.By
		}
	}
	if a.At == InHandler {
		for i := range p.Jobs {
			if j := &p.Jobs[i]; a.of(j.By) {
				if delay(&j.Complete); add {
					j.Handlers += a.By
				}
			}
		}
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		var held []int32 // locks that the thread holds and whose holding time is delayed
		for i := range th.Steps {
			s := &th.Steps[i]
			switch {
			case a.At == InHandler:
				// a thread that waits for a command buffer continues only after the command buffer's handlers
				if s.Kind == program.Wait || s.Kind == program.WaitOther {
					if add && s.Job >= 0 && a.of(p.Jobs[s.Job].By) && s.Notify != program.NotRecorded {
						s.Handlers += a.By
					}
				}
			case !a.of(int32(t)):
			case a.At == BeforeCommit && s.Kind == program.Commit, a.At == BeforeAcquire && s.Kind == program.Acquire,
				a.At == BeforeCompile && s.Kind == program.Compile:
				asleep(s, a.Sleeps)
			case a.At == AfterWait && (s.Kind == program.Wait || s.Kind == program.WaitOther) && i+1 < len(th.Steps):
				asleep(&th.Steps[i+1], true)
			case a.At == InLock && s.Kind == program.Lock && (a.Lock == 0 || th.Details[i].NamedLock == a.Lock):
				switch {
				case s.Lock == 0: // the wait takes its recorded time, whichever thread holds the lock
					delay(&s.Cost)
				case s.Unlocks:
					held = append(held, s.Lock)
				default:
					if delay(&s.Hold); i+1 < len(th.Steps) && add {
						th.Steps[i+1].Gap += a.By
						if a.Sleeps {
							th.Steps[i+1].Asleep += a.By
						}
					}
				}
			case a.At == InLock && s.Kind == program.Unlock && slices.Contains(held, s.Lock):
				asleep(s, a.Sleeps)
				held = slices.DeleteFunc(held, func(l int32) bool { return l == s.Lock })
			}
		}
	}
	return times
}
