package insight

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A division is one way to divide a thread's command buffers into the steps of a loop. Each step begins with a commit.
type division struct {
	begins  []analyze.Nanos // the commits that begin the steps, in ascending order
	between string          // where steps begin and end, as "from one commit to the next"
	kinds   int             // kinds of command buffers that occur as often as there are steps; only if a kind begins steps
}

// A commitLog holds the times of one thread's commits and waits, from which its work is divided into steps.
type commitLog struct {
	commits []analyze.Nanos            // in ascending order
	kinds   map[uint64][]analyze.Nanos // the commits of each kind of command buffer, by the hash of the kind
	names   map[uint64]string          // the kinds' names, as "kernel attend"
	order   []uint64                   // the kinds, by their first command buffer
	waits   []analyze.Nanos            // the ends of the thread's waits
}

// commitLogs returns the commits and waits of each thread that commits command buffers.
func commitLogs(t *analyze.Trace) map[*analyze.Thread]*commitLog {
	logs := map[*analyze.Thread]*commitLog{}
	for b := range t.Buffers() {
		thread := b.Committed.Thread
		if thread == nil || !b.Committed.Known() {
			continue
		}
		log := logs[thread]
		if log == nil {
			log = &commitLog{kinds: map[uint64][]analyze.Nanos{}, names: map[uint64]string{}}
			logs[thread] = log
		}
		kind := b.Kind()
		if log.kinds[kind] == nil {
			log.order, log.names[kind] = append(log.order, kind), kernelsOf(b)
		}
		log.commits, log.kinds[kind] = append(log.commits, b.Committed.Begin), append(log.kinds[kind], b.Committed.Begin)
	}
	wait := func(thread *analyze.Thread, i analyze.Interval) {
		if log := logs[thread]; log != nil && i.Known() {
			log.waits = append(log.waits, i.End)
		}
	}
	for w := range analyze.Each(t.Waits) {
		if !w.Scheduled && !w.Earlier {
			wait(w.Thread, w.Interval)
		}
	}
	for w := range analyze.Each(t.CPUWaits.Signals) {
		if !w.Earlier {
			wait(w.Thread, w.Interval)
		}
	}
	for c := range analyze.Each(t.CPUWaits.Drawables) {
		wait(c.Thread, c.Interval)
	}
	for _, log := range logs {
		slices.Sort(log.commits)
		slices.Sort(log.waits)
		for _, commits := range log.kinds {
			slices.Sort(commits)
		}
	}
	return logs
}

// divisions returns the ways to divide the thread's work into steps, the most plausible first. If several kinds of
// command buffers occur equally often, each step has one of each. Otherwise a step probably ends with a wait.
func (log *commitLog) divisions() (list []division) {
	byKind := log.byKind()
	several := sort.Search(len(byKind), func(i int) bool { return byKind[i].kinds < 2 })
	list = append(list, byKind[:several]...)
	list = append(list, log.byWaits())
	list = append(list, byKind[several:]...)
	list = append(list, division{begins: log.commits, between: "from one commit to the next"})
	return list
}

// byKind returns divisions whose steps begin with one kind of command buffer. If several kinds occur equally often,
// they give the same number of steps, and only one division is returned for them. Divisions with the most such kinds
// come first, because a loop usually runs each kind once per step.
func (log *commitLog) byKind() (list []division) {
	for _, kind := range log.order {
		begins := log.kinds[kind]
		same := func(d division) bool { return math.Abs(float64(len(d.begins)-len(begins))) <= 1 }
		if len(begins) <= policy.TrendParts*policy.TrendSteps || len(begins) == len(log.commits) {
			continue
		}
		if at := slices.IndexFunc(list, same); at >= 0 {
			list[at].kinds++
			continue
		}
		list = append(list, division{begins, "from one commit of " + log.names[kind] + " to the next", 1})
	}
	slices.SortStableFunc(list, func(a, b division) int {
		return cmp.Or(cmp.Compare(b.kinds, a.kinds), cmp.Compare(len(b.begins), len(a.begins)))
	})
	return list[:min(len(list), policy.TrendDivisions)]
}

// byWaits returns the division whose steps end with the thread's waits: a step begins with the first commit after one.
func (log *commitLog) byWaits() division {
	d := division{between: "from one wait to the next"}
	at := 0
	for i, commit := range log.commits {
		waited := at < len(log.waits) && log.waits[at] <= commit
		for at < len(log.waits) && log.waits[at] <= commit {
			at++
		}
		if i == 0 || waited {
			d.begins = append(d.begins, commit)
		}
	}
	if len(d.begins) == len(log.commits) { // the thread waits after every commit
		return division{}
	}
	return d
}

// kernelsOf names a command buffer's work by its kernels, as "kernel attend" or "kernels norm, attend".
func kernelsOf(b *analyze.CommandBuffer) string {
	var names []string
	for i := range b.Encoders {
		for d := range b.Encoders[i].Runs() {
			if d.Pipeline == nil {
				continue
			}
			if name := cmp.Or(d.Pipeline.Kernel, d.Pipeline.Label); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch more := len(names) - policy.NamedSites; {
	case len(names) == 0:
		return "command buffers"
	case len(names) == 1:
		return "kernel " + names[0]
	case more > 0:
		return fmt.Sprintf("kernels %s and %d more", strings.Join(names[:policy.NamedSites], ", "), more)
	}
	return "kernels " + strings.Join(names, ", ")
}
