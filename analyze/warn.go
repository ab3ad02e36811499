package analyze

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// LivedOn returns a warning about processes of the program that were still running when the recording ended and had
// not used Metal by then.
func LivedOn(living []tracefile.Living) string {
	const mostNames = 5
	var names []string
	for i, p := range living {
		if i == mostNames {
			names = append(names, "…")
			break
		}
		names = append(names, strings.TrimSpace(fmt.Sprintf("%d %s", p.PID, filepath.Base("/"+p.Program))))
	}
	run, they := "run", "they do"
	if len(living) == 1 {
		run, they = "runs", "it does"
	}
	return fmt.Sprintf("%s of the program still %s (%s); "+
		"what %s from now on is not in this trace (mtrace run --wait-for-children records it)",
		Plural(int64(len(living)), "process"), run, strings.Join(names, ", "), they)
}

// addWarnings adds a warning for everything that went wrong while the trace was recorded.
func addWarnings(l *loader, r *tracefile.Reader) {
	t := l.trace
	cut, how := r.Truncated()
	if cut {
		t.Warnings = append(t.Warnings, "the file is cut: "+how)
	}
	result, _ := r.Result()
	if result.Note != "" && result.Note != how {
		t.Warnings = append(t.Warnings, "the recording ended early: "+result.Note)
	}
	if result.Unreachable != "" {
		t.Warnings = append(t.Warnings, result.Unreachable)
		t.Recording.Lost.AtLeast = true
	}
	if n := len(result.LivedOn); n > 0 {
		t.Recording.Lost.Unused = int64(n)
		t.Warnings = append(t.Warnings, LivedOn(result.LivedOn))
	}
	for _, p := range l.processes {
		who := describeProcess(l, p)
		for _, w := range p.file.Warnings {
			t.Warnings = append(t.Warnings, who+w)
		}
		if last := p.file.Last(); last != nil {
			for _, w := range last.Distrusted {
				t.Warnings = append(t.Warnings, who+w)
			}
		}
		if p.file.WaitsUnseen != "" {
			t.Warnings = append(t.Warnings, who+p.file.WaitsUnseen)
		}
		if p.file.NotTraced != "" {
			t.Warnings = append(t.Warnings, who+p.file.NotTraced)
			t.Recording.Lost.Processes++
		}
		switch {
		case p.file.Unusable != "":
			t.Warnings = append(t.Warnings, who+"all of it is left out: "+p.file.Unusable)
		case p.file.End == nil:
			t.Warnings = append(t.Warnings, who+"the trace stops before the process ended")
		case p.file.End.Note != "":
			t.Warnings = append(t.Warnings, who+p.file.End.Note)
		case p.file.End.Signal != 0:
			t.Warnings = append(t.Warnings, fmt.Sprintf("%sthe process was killed by signal %d", who,
				p.file.End.Signal))
		}
	}
	if n := t.Recording.Lost.Records; n > 0 {
		warning := fmt.Sprintf(
			"%s lost (a call has one or two records): the lost calls are missing in all counts and times",
			Plural(n, "record"))
		if t.Recording.Lost.Ringless > 0 {
			warning += fmt.Sprintf("; "+
				"%d of them because more than %d threads of a process made calls",
				t.Recording.Lost.Ringless, wire.RingCount)
		}
		t.Warnings = append(t.Warnings, warning)
	}
	if n := t.Recording.Lost.Unnamed; n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf(
			"%d objects got no number: calls on them are counted, but the trace does not show which calls share an object", n))
	}
	for b := range t.Buffers() {
		if b.withOptions && b.Completed == (Interval{}) && t.Began(b.Committed.Begin) && t.Includes(b.Committed.Begin) {
			t.Recording.doubts.untimed++
		}
	}
	t.Recording.doubts.stray, t.Recording.doubts.skewed = l.stray, l.skewed
	if !l.adds && l.slice == nil {
		warnOfDoubts(t)
	}
}

func (d *doubts) add(part *doubts) {
	d.untimed, d.stray, d.skewed = d.untimed+part.untimed, d.stray+part.stray, d.skewed+part.skewed
	d.checked, d.early, d.late, d.endedBeforeCommit = d.checked+part.checked, d.early+part.early, d.late+part.late,
		d.endedBeforeCommit+part.endedBeforeCommit
	d.waits, d.before = d.waits+part.waits, d.before+part.before
}

// warnOfDoubts adds a warning for each kind of contradiction that doubts counted, and for calls that did not return.
func warnOfDoubts(t *Trace) {
	t.Recording.Lost.Untimed = t.Recording.doubts.untimed
	if n := t.Recording.Lost.Untimed; n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d Metal 4 command buffers have no GPU times: "+
			"other commits with the same options object were under way, or the trace ends before they completed",
			n))
	}
	if n := t.Recording.doubts.stray; n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d records belong to no call and were ignored", n))
	}
	if n := t.Recording.doubts.skewed; n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf(
			"clock suspect: %d calls overlap the previous call on the same thread; the overlap was cut off", n))
	}
	t.Warnings = append(t.Warnings, UnfinishedWarnings(t, nil)...)
}

// mostUnfinishedNamed is the maximum number of threads for which UnfinishedWarnings returns a line of its own.
const mostUnfinishedNamed = 8

// UnfinishedWarnings returns a line for each thread that had not returned from a Metal call or a wait for a lock. It
// leaves out threads in `known`, which the report shows elsewhere. Threads that wait for a signal are left out too,
// because they usually just wait for work.
func UnfinishedWarnings(t *Trace, known map[*Thread]bool) (lines []string) {
	more := 0
	for i := range t.Unfinished {
		u := &t.Unfinished[i]
		switch {
		case u.Group == wire.GroupSignal || known[u.Thread]:
		case len(lines) == mostUnfinishedNamed:
			more++
		default:
			lines = append(lines, fmt.Sprintf("thread %d was still inside %s when its process ended, for %v",
				u.Thread.ID, u.Selector, time.Duration(u.Length()).Round(time.Microsecond)))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("%d more threads were inside a call when their process ended", more))
	}
	return lines
}

// describeProcess returns the beginning of a warning about a process; empty if the trace has only one process.
func describeProcess(l *loader, p *processLoader) string {
	if len(l.processes) > 1 {
		return fmt.Sprintf("process %d: ", p.ID)
	}
	return ""
}

// clockTolerance is the accepted difference between the CPU's and the GPU's clock, in nanoseconds. Only larger
// differences cause a warning.
const clockTolerance = 1000

// checkClock compares a command buffer's GPU times with its calls and counts contradictions: GPU work that began
// before the commit, or ended after its completion was seen. A contradiction means that the clocks of CPU and GPU do
// not agree.
func (d *doubts) checkClock(b *CommandBuffer) {
	d.checked++
	if b.Committed.Known() && b.GPU.Begin+clockTolerance < b.Committed.Begin {
		d.early++
	}
	if b.Committed.Known() && b.GPU.End+clockTolerance < b.Committed.Begin {
		d.endedBeforeCommit++
	}
	if b.Completed.Known() && b.GPU.End > b.Completed.Begin+clockTolerance {
		d.late++
	}
}

// checkWaits counts waits that returned before the GPU work ended, which means that the clocks of CPU and GPU do not
// agree. Waits that end exactly at the end of the requested range were cut off there and are not checked.
func checkWaits(t *Trace, asked Interval) {
	for i := range t.Waits {
		w := &t.Waits[i]
		if b := t.WaitsFor(w); b != nil && b.GPU.Known() && w.Event == (EventValue{}) && !w.Scheduled &&
			!w.Unfinished &&
			w.End < asked.End && t.Includes(w.End) {
			if t.Recording.doubts.waits++; w.End+clockTolerance < b.GPU.End {
				t.Recording.doubts.before++
			}
		}
	}
}

// warnOfClocks adds a warning for each kind of contradiction between GPU times and calls that checkClock and
// checkWaits counted.
func warnOfClocks(t *Trace) {
	d := &t.Recording.doubts
	if d.early+d.late > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf(
			"clock suspect: of %d command buffers, "+
				"%d began on the GPU before they were committed and %d ended after their completion was seen",
			d.checked, d.early, d.late))
	}
	if d.endedBeforeCommit > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf(
			"clock suspect: %d of %d command buffers ended on the GPU before they were committed: "+
				"their GPU times are on another clock than the calls, which can happen to a process under Rosetta; "+
				"do not trust any GPU time", d.endedBeforeCommit, d.checked))
	}
	if d.before > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("clock suspect: %d of %d waits returned before the GPU had ended",
			d.before, d.waits))
	}
}
