package cause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A lockUse sums up the waits for all locks that have the same title.
type lockUse struct {
	title   string
	locks   map[evidence.LockKey]bool
	waits   int
	time    analyze.Nanos
	holders map[*analyze.Thread]analyze.Nanos // for how long others waited for each thread to release the lock
}

// lockFinding completes r with the cost, evidence and summary of waits for the locks that `sort` selects. It leaves
// out waits for a lock between two needless waits for other threads' GPU work, because the cause device-wide-sync
// counts them.
func lockFinding(r Finding, ev *evidence.Evidence, sort func(*analyze.LockWait) bool) Finding {
	var by evidence.Ordered[string, lockUse]
	var waits []*analyze.LockWait
	titles := lockTitles(ev.ThreadWaits.Locks)
	var use *lockUse // of the wait before, which most waits share
	var last evidence.LockKey
	var title string
	aside, hanging := analyze.Nanos(0), analyze.Nanos(0)
	for l := range analyze.Each(ev.ThreadWaits.Locks) {
		if !sort(l) || !ev.Submitters.Participants[l.Thread] {
			// if only Metal's own threads wait for the lock, the program loses nothing
			continue
		}
		own := l.Exclusive - ev.Syncs.Hangs(l)
		if hanging += l.Exclusive - own; own == 0 {
			continue
		}
		if k := evidence.KeyOf(l); use == nil || k != last {
			last, title = k, titles[k]
			use = by.Of(title)
			use.lock(title, k)
		}
		use.add(l, own)
		waits = append(waits, l)
		r.Lost += own
		if ev.Submitters.IsMinor(l.Thread) {
			aside += own
		}
	}
	if r.Cause == LockContention {
		r.standAside(ev, aside)
	}
	if r.Lost == 0 {
		if hanging > 0 {
			return r.reject(
				"threads waited for a lock (%s of their time) only between waits for other threads' command buffers",
				percent(ev.Submitters.Share(hanging)))
		}
		if r.Cause == InterpreterLock {
			return r.reject("no thread that uses the GPU waited for the GIL")
		}
		return r.reject("no thread that uses the GPU waited for a lock")
	}
	uses := by.All
	slices.SortStableFunc(uses, func(x, y *lockUse) int { return cmp.Compare(y.time, x.time) })
	r.Present = true
	for _, u := range uses[:min(policy.MostLocks, len(uses))] {
		r.explain("%s%s: %s, %s, %s", u.title, u.several(), analyze.Plural(u.waits, "wait"), u.time, u.heldBy())
	}
	r.explain("all waits for locks take %s of the threads' time", percent(ev.Submitters.Share(r.Lost)))
	if ev.Submitters.Share(hanging) >= policy.NegligibleShare.Value {
		r.explain("waits for a lock between waits for other threads' command buffers, "+
			"%s of their time, are counted as device-wide-sync instead", percent(ev.Submitters.Share(hanging)))
	}
	if r.Cause == InterpreterLock {
		r.summarize("Threads wait %s of their time for the GIL, the global interpreter lock, "+
			"which lets one of them run at a time.",
			percent(ev.Submitters.Share(r.Lost)))
	} else {
		r.summarize("Threads wait for a lock for %s of their time, most of it for %s.", percent(ev.Submitters.Share(r.Lost)),
			uses[0].title)
	}
	r.nameHolder(ev, waits)
	r.sites = waitSites(waits)
	return r
}

// nameHolder adds to the finding the lines of code in which locks' holders were while others waited. It adds nothing
// if no stacks were recorded.
func (f *Finding) nameHolder(ev *evidence.Evidence, waits []*analyze.LockWait) {
	places := evidence.HolderPlaces(ev.Trace, waits)
	for i, p := range places[:min(policy.MostSites, len(places))] {
		if evidence.Share(p.Time, f.Lost) < policy.WorthNaming.Value {
			continue
		}
		callers := []string{}
		for _, frame := range p.Chain[1:] {
			callers = append(callers, frame.String())
		}
		if i == 0 {
			f.HolderSite, f.HolderCallers, f.HolderCall = p.Chain[0].String(), callers, &p.Longest
		}
		from := ""
		if len(callers) > 0 {
			from = ", called from " + strings.Join(callers, " from ")
		}
		f.explain("for %s of the waiting time its holder was in %s (%s)%s",
			percent(min(1, evidence.Share(p.Time, f.Lost))), p.Chain[0], p.Selector, from)
	}
}

// lockTitles returns how sentences name each lock. A threading.Lock has no name in Python, so it is named after the
// line in which threads waited longest for it.
func lockTitles(waits []analyze.LockWait) map[evidence.LockKey]string {
	titles, lines := map[evidence.LockKey]string{}, map[evidence.LockKey]map[string]analyze.Nanos{}
	var last evidence.LockKey
	for l := range analyze.Each(waits) {
		k := evidence.KeyOf(l)
		// most waits are for the lock of the wait before, which has its title
		if len(titles) > 0 && k == last && !l.OfPython() {
			continue
		}
		last = k
		switch {
		case l.OfInterpreter():
			titles[k] = "the GIL"
		case l.OfPython():
			titles[k] = "a threading.Lock of Python"
			if f := l.Stack.Site(); f != nil {
				if lines[k] == nil {
					lines[k] = map[string]analyze.Nanos{}
				}
				lines[k][f.String()] += l.Exclusive
			}
		case l.Name == "":
			titles[k] = fmt.Sprintf("the lock at %#x (%s)", l.Lock, l.Selector)
		default:
			titles[k] = "the lock " + l.Name
		}
	}
	for k, by := range lines {
		line := slices.MaxFunc(slices.Sorted(maps.Keys(by)), func(x, y string) int { return cmp.Compare(by[x], by[y]) })
		titles[k] = "the threading.Lock acquired at " + line
	}
	return titles
}

// waitSites returns the lines of code in which threads waited for locks, the line with the longest waiting time
// first.
func waitSites(waits []*analyze.LockWait) []analyze.CallSite {
	stats := map[string]*analyze.CallStat{}
	t := &analyze.Trace{}
	for _, l := range waits {
		if l.Stack == nil {
			continue
		}
		if stats[l.Selector] == nil {
			stats[l.Selector] = &analyze.CallStat{Selector: l.Selector}
			t.Calls = append(t.Calls, stats[l.Selector])
		}
		s := stats[l.Selector]
		s.From = append(s.From, analyze.CallsFrom{Thread: l.Thread, Stack: l.Stack, Count: 1, Exclusive: l.Exclusive})
	}
	return analyze.CallSites(t, func(*analyze.CallStat) bool { return true })
}

// several returns the number of locks that have the title, as text in parentheses; "" if there is only one.
func (u *lockUse) several() string {
	if len(u.locks) < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d of that name)", len(u.locks))
}

// lock adds a lock that has the title.
func (u *lockUse) lock(title string, k evidence.LockKey) {
	if u.locks == nil {
		u.title, u.locks, u.holders = title, map[evidence.LockKey]bool{}, map[*analyze.Thread]analyze.Nanos{}
	}
	u.locks[k] = true
}

func (u *lockUse) add(l *analyze.LockWait, own analyze.Nanos) {
	u.waits++
	u.time += own
	if l.Holder != nil {
		u.holders[l.Holder] += own
	}
}

// heldBy names the threads that held the lock while others waited: "held by A 1 (60%), B 2 (40%)". If the trace shows
// the holder for less than half of that time, it says so first, because the shares then do not show who holds the lock.
func (u *lockUse) heldBy() string {
	known := analyze.Nanos(0)
	for _, n := range u.holders {
		known += n
	}
	switch {
	case len(u.holders) == 0:
		return "the holder is not known"
	case !policy.AtLeast(policy.Majority, known, u.time):
		return "the holder is known for only a part of that time: " + sharesOf(u.holders, u.time)
	}
	return "held by " + sharesOf(u.holders, u.time)
}
