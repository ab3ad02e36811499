package summary

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze/xctrace"
)

// Filter says whose work and what part of the time is summarised. Without PIDs
// and Process it is the recording's target, and without a target everybody.
type Filter struct {
	PIDs     []uint64
	Process  string // name, or a part of it
	All      bool   // every process, even when there is a target
	From, To Nanos  // To 0: to the end
}

// scope is a recording seen through a filter.
type scope struct {
	*xctrace.Recording
	from, to Nanos
	pids     map[uint64]bool // of the subject; nil: every process
	why      string
	whole    bool              // to is the end of the recording
	seen     map[uint64]string // every process with rows, by pid
}

func newScope(r *xctrace.Recording, f Filter) (*scope, error) {
	if f.To != 0 && f.To <= f.From {
		return nil, fmt.Errorf("the time range ends at %d ns, before it begins at %d ns", f.To, f.From)
	}
	s := &scope{Recording: r, seen: map[uint64]string{}}
	s.findProcesses()
	if err := s.choose(f); err != nil {
		return nil, err
	}
	s.from, s.to = f.From, f.To
	s.setWindow(f)
	return s, nil
}

// findProcesses lists the processes that have rows, with the exact names of the
// table of contents where there is one.
func (s *scope) findProcesses() {
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

func (s *scope) choose(f Filter) error {
	switch {
	case len(f.PIDs) > 0 || f.Process != "":
		s.pids = map[uint64]bool{}
		for _, pid := range f.PIDs {
			if _, ok := s.seen[pid]; !ok {
				return fmt.Errorf("no process with pid %d has a row: there are %s", pid, s.list())
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
			return fmt.Errorf("no process named %q has a row: there are %s", f.Process, s.list())
		}
	case f.All:
		s.why = "every process, as asked for"
	case s.Run == nil:
		s.why = "every process: without a table of contents the target is not known"
	case s.Run.Target.All:
		s.why = "every process: the recording was of the whole machine"
	case s.Run.Target.PID == 0:
		s.why = "every process: the table of contents names no target"
	default:
		s.pids = map[uint64]bool{s.Run.Target.PID: true}
		s.why = "the target of the recording"
	}
	return nil
}

func (s *scope) list() string {
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

// own says whether rows of a process belong to the subject. A row of no process
// never belongs to a chosen one.
func (s *scope) own(p xctrace.ProcessIndex) bool {
	if s.pids == nil {
		return true
	}
	return p != 0 && s.pids[s.Processes[p].PID]
}

// clip cuts an interval to the time range; ok is false outside of it.
func (s *scope) clip(start, duration Nanos) (begin, end Nanos, ok bool) {
	begin, end = max(start, s.from), start+duration
	end = min(end, s.to)
	return begin, end, begin < end || duration == 0 && s.inside(start)
}

// inside says whether an instant is in the window. The end of a range that was
// asked for is outside; the end of the recording is inside.
func (s *scope) inside(at Nanos) bool {
	return at >= s.from && (at < s.to || at == s.to && s.whole)
}

// setWindow makes the window: the range asked for, and where none was, from the
// subject's first row to its last.
func (s *scope) setWindow(f Filter) {
	first, last := Nanos(1<<62), Nanos(0)
	see := func(begin, end Nanos) {
		first, last = min(first, begin), max(last, end)
	}
	for i := range s.GPU {
		if g := &s.GPU[i]; s.own(g.Process) {
			begin := g.Start
			if g.HasLatency && len(s.Submissions) == 0 {
				begin = max(0, begin-g.StartLatency) // its commit
			}
			see(begin, g.Start+g.Duration)
		}
	}
	for i := range s.Submissions {
		if b := &s.Submissions[i]; s.own(b.Process) {
			see(b.Start, b.Start+b.Duration)
		}
	}
	for i := range s.Encoders {
		if e := &s.Encoders[i]; s.own(e.Process) {
			see(e.Start, e.Start+e.Duration)
		}
	}
	if last == 0 {
		first = 0
		if s.Run != nil {
			last = Nanos(s.Run.Duration)
		}
	}
	if f.From == 0 {
		s.from = first
	}
	if f.To == 0 {
		s.to, s.whole = last, true
	}
	if s.to <= s.from {
		s.to = s.from + 1
	}
}

func (s *scope) length() Nanos { return s.to - s.from }

// seconds of the window.
func (s *scope) seconds() float64 { return float64(s.length()) / 1e9 }
