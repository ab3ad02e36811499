package live

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Picture is what the live table shows at one moment: rates since the previous picture, and what each thread is
// doing.
type Picture struct {
	Elapsed  time.Duration // since the recording began
	Programs []string      // IDs of the running programs that use Metal
	Busy     float64       // the GPU's share of the time, 0 to 1
	Buffers  float64       // command buffers that completed, a second
	Calls    float64       // of Metal, a second
	InFlight int           // command buffers that were committed and have not completed
	Lost     uint64        // records, of all the recording
	Failed   error         // why the trace is cut
	Quiet    time.Duration // time without progress, if it is long and a thread is stuck; otherwise 0
	Threads  []Thread
}

// A Thread is a row of the live table: a running thread, its current call and its rates.
type Thread struct {
	Process tracefile.ProcessIndex
	ID      uint64
	Name    string
	State   State
	Call    string        // its current call; empty for none
	For     time.Duration // since that call began
	On      string        // the thread that it waits for, or recently waited for most; empty if unknown
	Commits float64       // command buffers a second
	Calls   float64       // of Metal, a second
	Waited  float64       // share of the time that it waited, 0 to 1, in waits that have ended
}

// A State is what a thread does at the moment.
type State string

// States, as the table shows them. Those in which the thread waits must begin with "waits:", see State.Waits.
const (
	Works          State = "works"    // outside of Metal
	Silent         State = "no calls" // not in a recorded call, and its own code cannot be observed
	InMetal        State = "in Metal"
	Compiles       State = "compiles"
	AwaitsGPU      State = "waits: GPU"
	AwaitsRoom     State = "waits: queue" // until the queue has a free command buffer
	AwaitsLock     State = "waits: lock"
	AwaitsOther    State = "waits: signal"
	AwaitsDrawable State = "waits: drawable"
	AwaitsChild    State = "waits: child"
)

// stuck reports whether the thread has waited so long for the GPU, for a queue or for a lock that it may never
// return.
func (t Thread) stuck() bool {
	switch t.State {
	case AwaitsGPU, AwaitsRoom, AwaitsLock:
		return t.For >= time.Duration(policy.QuietBeforeHang)
	}
	return false
}

// NoProgress returns the warning that the program seems to hang; empty if it does not.
func (p *Picture) NoProgress() string {
	if p.Quiet == 0 {
		return ""
	}
	return fmt.Sprintf("NO PROGRESS for %v: send SIGQUIT to mtrace to see where the program is stuck",
		p.Quiet.Truncate(time.Second))
}

// Waits reports whether a thread in this state is blocked.
func (s State) Waits() bool { return len(s) > 6 && s[:6] == "waits:" }

func stateOf(row wire.Row) State {
	switch row.Group {
	case wire.GroupWait:
		return AwaitsGPU
	case wire.GroupAcquire:
		return AwaitsRoom
	case wire.GroupLock:
		return AwaitsLock
	case wire.GroupDrawable:
		return AwaitsDrawable
	case wire.GroupCompile:
		return Compiles
	case wire.GroupSignal:
		if row.Effect == wire.EffectAwaitsProcess {
			return AwaitsChild
		}
		return AwaitsOther
	}
	return InMetal
}

// Picture returns the rates since its previous call, and the threads' states, and starts the counters anew.
func (w *Watcher) Picture(now time.Time) Picture {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	seconds := max(now.Sub(w.since).Seconds(), 1e-3)
	picture := Picture{
		Elapsed: now.Sub(w.began), Busy: min(1, busy(w.gpu).Seconds()/seconds), Buffers: float64(w.completed) / seconds,
		InFlight: max(0, w.inFlight), Failed: w.failed,
	}
	for index, q := range w.processes {
		picture.Lost += q.lost
		if q.ended {
			continue
		}
		if len(q.rings) > 0 {
			picture.Programs = append(picture.Programs,
				fmt.Sprintf("%s %d", analyze.Printable(filepath.Base(q.Hello.Program)),
					q.Hello.PID))
		}
		for _, t := range q.rings {
			picture.Calls += float64(t.calls) / seconds
			if t.seen {
				picture.Threads = append(picture.Threads, q.picture(index, t, seconds))
			}
			t.calls, t.commits = 0, 0
			clear(t.waited)
		}
	}
	if quiet := now.Sub(w.progress); quiet >= time.Duration(policy.QuietBeforeHang) &&
		slices.ContainsFunc(picture.Threads, Thread.stuck) {
		picture.Quiet = quiet
	}
	slices.Sort(picture.Programs)
	w.gpu, w.completed, w.since = w.gpu[:0], 0, now
	return picture
}

func (q *process) picture(index tracefile.ProcessIndex, t *thread, seconds float64) Thread {
	row := t.inside.Call.Row()
	all, most := t.waits()
	picture := Thread{
		Process: index, ID: t.id, Name: q.name(t.id), State: Works,
		Commits: float64(t.commits) / seconds, Calls: float64(t.calls) / seconds,
		Waited: min(1, float64(all)/1e9/seconds),
	}
	on := most.thread
	blocked := t.inside.Blocked
	switch polling := t.inside.Polling; {
	case t.inside.Call == wire.CallNone && polling.Call != wire.CallNone && analyze.StillPolls(
		analyze.Nanos(q.Nanos(polling.Begin)), analyze.Nanos(q.Nanos(polling.Last)), analyze.Nanos(q.Nanos(t.at)),
		polling.Questions):
		picture.State = AwaitsGPU
		picture.Call, picture.For = polling.Call.Row().Selector,
			time.Duration(max(0, q.Nanos(t.at)-q.Nanos(polling.Begin)))
		on = q.committers.of(polling.Object)
	case blocked.Call != wire.CallNone:
		row := blocked.Call.Row()
		picture.State = stateOf(row)
		picture.Call, picture.For = row.Selector, time.Duration(max(0, q.Nanos(t.at)-q.Nanos(blocked.Begin)))
		on = blocked.Holder
	case t.inside.Call != wire.CallNone:
		picture.State = stateOf(row)
		picture.Call, picture.For = row.Selector, time.Duration(max(0, q.Nanos(t.at)-q.Nanos(t.inside.Begin)))
		on = q.committers.of(t.inside.Object)
	case picture.Waited >= 0.5: // a wait for a lock or a signal is visible only after it has ended
		picture.State = most.what
	case t.calls == 0:
		picture.State = Silent
	}
	switch {
	case on == 0 || !picture.State.Waits():
	case on == t.id:
		picture.On = "its own work"
	default:
		picture.On = q.name(on)
	}
	return picture
}

// waits returns the total time, in nanoseconds, that the thread waited since the last snapshot of the live table,
// and what it waited for longest.
func (t *thread) waits() (all int64, most awaited) {
	for _, s := range slices.SortedFunc(maps.Keys(t.waited), func(x, y awaited) int {
		return cmp.Or(cmp.Compare(x.what, y.what), cmp.Compare(x.thread, y.thread))
	}) {
		if all += t.waited[s]; t.waited[s] > t.waited[most] {
			most = s
		}
	}
	return all, most
}

func (q *process) name(id uint64) string {
	for _, t := range q.rings {
		if name := q.texts[t.name]; t.id == id && name != "" {
			return fmt.Sprintf("%s %d", analyze.Printable(name), id)
		}
	}
	return fmt.Sprintf("thread %d", id)
}

// busy returns the total time covered by the intervals; overlapping time counts once.
func busy(intervals []analyze.Interval) time.Duration {
	slices.SortFunc(intervals, func(a, b analyze.Interval) int { return cmp.Compare(a.Begin, b.Begin) })
	var sum, end analyze.Nanos
	for _, i := range intervals {
		if i.End > max(end, i.Begin) {
			sum += i.End - max(end, i.Begin)
			end = i.End
		}
	}
	return time.Duration(sum)
}
