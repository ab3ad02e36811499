package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

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
	if x == nil || x.Index < policy.NearlyAll.Value || x.QValue > policy.FalseDiscovery.Value || f.backlog > policy.WorthNaming.Value && !f.hasRoom {
		return nil
	}
	union := a.waitsUnion()
	spans := union.Spans()
	if len(spans) == 0 {
		return nil
	}
	t := &takingTurns{exclusion: x, coverage: share(union.Total(), spans[len(spans)-1].End-spans[0].Begin)}
	if t.coverage < policy.Broad.Value {
		return nil
	}
	for _, th := range f.threads {
		if s := a.spans[th.Thread]; s != nil && th.CommandBuffers > 0 {
			t.lost += min(union.Within(th.Thread.Working)-s.waits.Total()-s.foreign.Total(), th.WorkTime[analyze.PartOutside])
		}
	}
	if f.share(t.lost) < policy.Little.Value {
		return nil
	}
	return t
}

// waitsUnion is when any thread waited for the GPU.
func (a *Analysis) waitsUnion() *Busy {
	var all []analyze.Interval
	for i := range a.Trace.Waits {
		if w := &a.Trace.Waits[i]; w.Length() >= policy.ShortestWait.Nanos() {
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
	if policy.MoreThan(policy.Most, f.processors.computed+max(0, f.processors.waited), r.Lost) {
		r.unseen = r.Lost
		r.say("they run on a processor then, as when they spin; what of it is work of their own is not in the trace, so nothing is predicted")
	}
}
