package summary

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze/xctrace"
)

// Filter selects the processes and the time range to summarise. Without PIDs and Process it selects the target of the
// recording or, without a target, all processes.
type Filter struct {
	PIDs     []uint64
	Process  string // name, or a part of it
	All      bool   // all processes, even if there is a target
	From, To Nanos  // To 0: to the end
}

// scope is a recording together with the processes and the time range that a Filter selected.
type scope struct {
	*xctrace.Recording
	from, to           Nanos
	askedFrom, askedTo Nanos
	missingTarget      string          // a warning about a target without rows
	pids               map[uint64]bool // the processes that the summary is about; nil means every process
	why                string
	whole              bool              // the field to is the end of the recording
	seen               map[uint64]string // every process with rows, by pid
}

func newScope(r *xctrace.Recording, f Filter) (*scope, error) {
	if f.To != 0 && f.To <= f.From {
		return nil, fmt.Errorf("the time range ends at %d ns and begins at %d ns: it must end after its begin", f.To, f.From)
	}
	s := &scope{Recording: r, seen: map[uint64]string{}}
	findProcesses(s)
	if err := chooseSubject(s, f); err != nil {
		return nil, err
	}
	s.from, s.to, s.askedFrom = f.From, f.To, f.From
	if err := setWindow(s, f); err != nil {
		return nil, err
	}
	return s, nil
}

// findProcesses collects the processes that have rows. The table of contents, if there is one, has their exact names.
func findProcesses(s *scope) {
	for _, p := range s.Processes[1:] {
		s.seen[p.PID] = p.Name
	}
	if s.Run != nil {
		for _, p := range s.Run.Processes {
			if _, ok := s.seen[p.PID]; ok && p.Name != "" {
				s.seen[p.PID] = p.Name
			}
		}
	}
}

// chooseSubject determines the processes that the summary is about (s.pids) and the reason (s.why).
func chooseSubject(s *scope, f Filter) error {
	switch {
	case len(f.PIDs) > 0 || f.Process != "":
		s.pids = map[uint64]bool{}
		for _, pid := range f.PIDs {
			if _, ok := s.seen[pid]; !ok {
				return fmt.Errorf("no row belongs to a process with pid %d; the processes with rows are %s", pid, listProcesses(s))
			}
			s.pids[pid] = true
		}
		s.why = "asked for"
		if f.Process == "" {
			return nil
		}
		exact := false
		for pid, name := range s.seen {
			if name == f.Process {
				s.pids[pid], exact = true, true
			}
		}
		if exact {
			return nil
		}
		for pid, name := range s.seen {
			if strings.Contains(name, f.Process) {
				s.pids[pid] = true
			}
		}
		if len(s.pids) == 0 {
			return fmt.Errorf(
				"no row belongs to a process named %q; the processes with rows are %s", f.Process, listProcesses(s))
		}
	case f.All:
		s.why = "every process, as requested"
	case s.Run == nil:
		s.why = "every process: without a table of contents the target is not known"
	case s.Run.Target.All:
		s.why = "every process: the recording was of the whole machine"
	case s.Run.Target.PID == 0:
		s.why = "every process: the table of contents names no target"
	default:
		s.pids = map[uint64]bool{s.Run.Target.PID: true}
		s.why = "the target of the recording"
		if _, seen := s.seen[s.Run.Target.PID]; !seen && len(s.seen) > 0 {
			s.missingTarget = fmt.Sprintf("the table of contents names %s (%d) as the target, but no row belongs to it; "+
				"there are %s: it may belong to another recording; --all, --pid or --process select other processes",
				s.Run.Target.Name, s.Run.Target.PID, listProcesses(s))
		}
	}
	return nil
}

// listProcesses names the processes that have rows, for an error message.
func listProcesses(s *scope) string {
	var names []string
	for pid, name := range s.seen {
		names = append(names, fmt.Sprintf("%s (%d)", name, pid))
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// own reports whether the rows of process p are in the summary. A row without a process belongs to no selected
// process.
func (s *scope) own(p xctrace.ProcessIndex) bool {
	if s.pids == nil {
		return true
	}
	return p != 0 && s.pids[s.Processes[p].PID]
}

// clip returns the part of an interval that is inside the window (the summarised time range). `ok` is false if no part
// of it is inside.
func (s *scope) clip(start, duration Nanos) (begin, end Nanos, ok bool) {
	begin, end = max(start, s.from), start+duration
	end = min(end, s.to)
	return begin, end, begin < end || duration == 0 && s.inside(start)
}

// inside reports whether a time is in the window. The end of a requested range is not inside. If the window ends with
// the recording, its end is inside, so that the last row counts.
func (s *scope) inside(at Nanos) bool {
	return at >= s.from && (at < s.to || at == s.to && s.whole)
}

// setWindow sets the window: the requested range. Without a request it extends from the first to the last row about
// Metal of the summary's processes; if there is none, from the first to the last of all their rows.
func setWindow(s *scope, f Filter) error {
	s.askedTo = 1 << 62
	if f.To != 0 {
		s.askedTo = f.To
	}
	metal, rows, end := extent{first: 1 << 62}, extent{first: 1 << 62}, Nanos(0)
	eachMetalRow(s, func(p xctrace.ProcessIndex, begin, until Nanos) {
		end = max(end, until)
		if s.own(p) {
			metal.see(begin, until)
		}
	})
	eachOtherRow(s, func(p xctrace.ProcessIndex, begin, until Nanos) {
		end = max(end, until)
		if p == 0 || s.own(p) { // a row of the machine or of the subject
			rows.see(begin, until)
		}
	})
	if s.Run != nil {
		end = max(end, Nanos(s.Run.Duration))
	}
	if f.From > 0 && f.From >= end {
		return fmt.Errorf("the time range begins at %s, but the recording ends at %s", f.From, end)
	}
	if metal.last == 0 {
		metal = rows
	}
	if metal.last == 0 {
		metal.first = 0
		if s.Run != nil {
			metal.last = Nanos(s.Run.Duration)
		}
	}
	if f.From == 0 {
		s.from = metal.first
	}
	if f.To == 0 {
		s.to, s.whole = metal.last, true
	}
	if s.to <= s.from {
		s.to = s.from + 1
	}
	return nil
}

// extent is the time range that contains all intervals passed to the method see.
type extent struct{ first, last Nanos }

func (e *extent) see(begin, end Nanos) { e.first, e.last = min(e.first, begin), max(e.last, end) }

// eachMetalRow calls see with the process and the time of each row about the use of Metal.
func eachMetalRow(s *scope, see func(p xctrace.ProcessIndex, begin, end Nanos)) {
	for i := range s.GPU.Intervals {
		g := &s.GPU.Intervals[i]
		begin := g.Start
		if g.HasLatency && len(s.Commands.Submissions) == 0 {
			begin = max(0, begin-g.StartLatency) // the time of the commit
		}
		see(g.Process, begin, g.Start+g.Duration)
	}
	for i := range s.Commands.Submissions {
		b := &s.Commands.Submissions[i]
		see(b.Process, b.Start, b.Start+b.Duration)
	}
	for i := range s.Commands.Encoders {
		e := &s.Commands.Encoders[i]
		see(e.Process, e.Start, e.Start+e.Duration)
	}
}

// eachOtherRow calls see with the process and the time of each other row. Process 0 stands for the machine.
func eachOtherRow(s *scope, see func(p xctrace.ProcessIndex, begin, end Nanos)) {
	for i := range s.CPU.Samples {
		x := &s.CPU.Samples[i]
		see(s.processOf(x), x.Time, x.Time+1)
	}
	for i := range s.GPU.Shaders {
		x := &s.GPU.Shaders[i]
		see(x.Process, x.Start, x.Start+x.Duration)
	}
	for i := range s.Commands.Events {
		x := &s.Commands.Events[i]
		see(x.Process, x.Start, x.Start+x.Duration)
	}
	for i := range s.Commands.Driver {
		x := &s.Commands.Driver[i]
		see(x.Process, x.Start, x.Start+x.Duration)
	}
	for i := range s.GPU.Performance {
		see(0, s.GPU.Performance[i].Start, s.GPU.Performance[i].Start+s.GPU.Performance[i].Duration)
	}
	for i := range s.GPU.States {
		see(0, s.GPU.States[i].Start, s.GPU.States[i].Start+s.GPU.States[i].Duration)
	}
	for i := range s.Commands.Completions {
		see(0, s.Commands.Completions[i].Time, s.Commands.Completions[i].Time)
	}
	for i := range s.Commands.Compilations {
		x := &s.Commands.Compilations[i]
		see(x.Process, x.Start, x.Start+x.Duration)
	}
	for i := range s.Memory.Sizes {
		see(s.Memory.Sizes[i].Process, s.Memory.Sizes[i].Start, s.Memory.Sizes[i].Start+s.Memory.Sizes[i].Duration)
	}
	for i := range s.Memory.Resources {
		see(s.Memory.Resources[i].Process, s.Memory.Resources[i].Time, s.Memory.Resources[i].Time)
	}
	for i := range s.CPU.Signposts {
		x := &s.CPU.Signposts[i]
		see(x.Process, x.Start, x.Start+x.Duration)
	}
	for i := range s.CPU.Marks {
		see(s.CPU.Marks[i].Process, s.CPU.Marks[i].Time, s.CPU.Marks[i].Time)
	}
	for _, o := range s.Others {
		for i := range o.Others {
			if x := &o.Others[i]; x.Timed {
				see(x.Process, x.Start, x.Start+x.Duration)
			}
		}
	}
}

// processOf returns the process of a CPU sample, which may be known only by the thread.
func (s *scope) processOf(x *xctrace.CPUSample) xctrace.ProcessIndex {
	if x.Process != 0 {
		return x.Process
	}
	return s.Dictionary.Threads[x.Thread].Process
}

// asked reports whether a time is in the range that the user requested, even if it is outside the window of GPU work.
func (s *scope) asked(at Nanos) bool { return at >= s.askedFrom && at < s.askedTo }

func (s *scope) length() Nanos { return s.to - s.from }

// seconds returns the length of the window (the summarised time range) in seconds.
func (s *scope) seconds() float64 { return float64(s.length()) / 1e9 }
