package analyze

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// Load reads the trace file at path. The memory it needs grows with the number of command buffers, waits and
// compilations, but not with the number of calls. A truncated file is read as far as possible; Source.Truncated and
// Trace.Warnings then report that. Load returns an error only if the file is no trace.
func Load(path string, opts Options) (*Trace, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Load(opts)
}

// Load reads the trace, or the range of it that opts selects. Several goroutines may call it at the same time. If
// command buffers in the range lack their creator or GPU time, their records may lie outside of what was read. Load
// then reads again, with more time around the range.
func (f *File) Load(opts Options) (*Trace, error) {
	opts = f.Asked(opts)
	around := f.margin.Load()
	t, read, err := f.load(opts, around)
	// Reading again would make new Thread values, different from those that Visit has already passed to the caller.
	// Only slices reuse their Thread values, so only they may be read again after visits.
	again := opts.Visit == nil || opts.slice != nil
	opts.Visit = nil
	for err == nil && again && around < mostAround && f.uselessWidenings.Load() < mostVain {
		was := read.incompleteBuffers(t)
		if was == 0 {
			break
		}
		if t, read, err = f.load(opts, 8*around); err != nil {
			break
		}
		if read.incompleteBuffers(t) >= was { // the missing records are not in the trace
			f.uselessWidenings.Add(1)
			break
		}
		around *= 8
		f.margin.Store(around)
	}
	return t, err
}

// load reads the trace, or a range of it and some time around the range: `around` 64ths of the range's length on each
// side. It also returns which blocks were read.
func (f *File) load(opts Options, around int64) (*Trace, *part, error) {
	l := f.newLoader(opts)
	part := f.partOf(l, Nanos(around))
	if !part.whole {
		l.roles = f.roles
	}
	streams, others, err := f.selected(l)
	if err == nil {
		err = l.readStreams(part, streams)
	}
	if err == nil {
		err = addElsewhere(l, part, others)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", f.path, err)
	}
	finishing := finishBuffers(l.trace, l.buffers)
	describeSource(l, f.reader)
	l.trace.Source.Short = shortfallOf(l, f.reader)
	l.trace.Source.Truncated = l.trace.Source.Short != nil
	addRecorded(l, f.reader)
	addWarnings(l, f.reader)
	for _, st := range l.stats {
		l.trace.Calls = append(l.trace.Calls, st)
	}
	gatherThreads(l)
	nameUnfinished(l)
	findLibraries(l.trace, opts.SourceRoots)
	passWrappers(l.trace)
	endSharedScopes(l.trace)
	nameKeepers(l.trace)
	finishTrace(l.trace, finishing, true, l.window)
	nameOperations(l.trace)
	warnOfBrokenStacks(l.trace)
	nameScopes(l.trace)
	if len(opts.PIDs) > 0 && len(l.trace.Processes) == 0 {
		return nil, nil, fmt.Errorf("reading %s: the trace has no process %v; its processes are: %s", f.path,
			opts.PIDs, listPIDs(l))
	}
	return l.trace, part, nil
}

// newLoader returns a loader of the requested range that has read nothing yet.
func (f *File) newLoader(opts Options) *loader {
	l := &loader{
		trace: &Trace{Source: Source{Kind: "mtrace", Path: f.path},
			Range: Range{RequestObjects: opts.RequestObjects}},
		stats:   map[statKey]*CallStat{},
		devices: map[Device]*Device{},
		onCall:  opts.Visit,
		only:    opts.PIDs,
		adds:    opts.Adds,
		slice:   opts.slice,
	}
	for i, file := range f.reader.Processes() {
		p := newProcessLoader(file, i)
		if l.slice != nil {
			p.Process = l.slice.process(p.Process)
		}
		l.processes = append(l.processes, p)
	}
	l.setWindow(f.reader.Streams(), opts)
	if opts.Adds {
		l.trace.Range.requested = l.window
	}
	if l.slice != nil {
		l.trace.Range.counted = l.slice.core
	}
	return l
}

// selected returns the indices of the streams (one for each ring buffer) to load, and of the streams of processes that
// the user did not select.
func (f *File) selected(l *loader) (streams, others []int, err error) {
	for i, st := range f.reader.Streams() {
		if int(st.Process) >= len(l.processes) {
			return nil, nil, fmt.Errorf("the file is damaged: it has records of process number %d but lists %d processes",
				st.Process, len(l.processes))
		}
		if l.wanted(l.processes[st.Process].ID) {
			streams = append(streams, i)
		} else {
			others = append(others, i)
		}
	}
	return streams, others, nil
}

// readStreams reads the streams of the selected processes, and moves what they contain into the trace.
func (l *loader) readStreams(part *part, streams []int) error {
	ahead := part.readAhead(streams)
	for _, i := range streams {
		st := part.reader.Streams()[i]
		p := l.processes[st.Process]
		l.trace.Recording.Lost.Records += int64(st.Missing)
		s := newStreamLoader(l, p, st.Ring)
		if err := part.read(i, s, ahead); err != nil {
			return err
		}
		s.finish()
		l.stray += s.stray
		s.scopes.endAll(p.Ended)
		(&unfinishedLoader{at: s.at, calls: &s.calls}).load(p.file.Last(), st.Last)
	}
	for _, p := range l.processes {
		if l.wanted(p.ID) && p.file.Unusable == "" {
			l.finishProcess(p)
		}
	}
	return nil
}

// addElsewhere stores the GPU work of processes that the user did not select (streams), if it ran on a device of the
// selected processes. Command buffers may queue behind that work, and without it reports would blame the driver for
// the delay.
func addElsewhere(l *loader, part *part, streams []int) error {
	other := &loader{trace: &Trace{}, stats: map[statKey]*CallStat{}, devices: map[Device]*Device{}, window: l.window}
	seen := map[*processLoader]bool{}
	ahead := part.readAhead(streams)
	for _, i := range streams {
		st := part.reader.Streams()[i]
		s := newStreamLoader(other, l.processes[st.Process], st.Ring)
		if err := part.read(i, s, ahead); err != nil {
			return err
		}
		s.finish()
		seen[s.at.process] = true
	}
	for _, p := range l.processes {
		if !seen[p] {
			continue
		}
		p.buffers.each(func(b *CommandBuffer) {
			var d *Device
			if b.Queue != nil {
				d = b.Queue.Device
			}
			if d == nil {
				d = other.device(p, 0)
			}
			if ran, visible := l.clip(b.GPU); d != nil && visible && b.GPU.Known() && l.devices[*d] != nil {
				l.trace.Elsewhere = append(l.trace.Elsewhere, DeviceWork{l.devices[*d], ran})
			}
		})
	}
	return nil
}

// finishProcess moves everything that was collected for a process into the trace: threads, queues, command buffers,
// stacks, and what recording them cost and lost.
func (l *loader) finishProcess(p *processLoader) {
	t := l.trace
	t.Processes = append(t.Processes, p.Process)
	p.processorTimes()
	for _, th := range p.threads {
		l.finishThread(th)
	}
	l.resolveBackground(p)
	p.queues.all(func(q *Queue) {
		if q.Device == nil {
			q.Device = l.device(p, 0)
		}
		t.Queues = append(t.Queues, q)
	})
	p.pipelines.all(func(s *Pipeline) { t.Pipelines = append(t.Pipelines, s) })
	p.resolveIndirect()
	p.nameVariants()
	for _, e := range p.further {
		e.buffer.Encoders = append(e.buffer.Encoders, e.one[0])
	}
	addQueueEvents(l, p)
	l.buffers = slices.Grow(l.buffers, p.buffers.count())
	p.buffers.each(func(b *CommandBuffer) {
		if l.keepBuffer(b) {
			l.buffers = append(l.buffers, b)
		}
	})
	for id := range p.file.Devices {
		l.device(p, id)
	}
	t.Stacks = append(t.Stacks, p.stacks.all...)
	t.Recording.Stacks.Unnamed += p.stacks.unnamed
	addOverhead(l, p)
	addLosses(l, p)
	p.markExited()
	addCoverage(l, p)
	p.encoders, p.queues, p.pipelines = objectTable[openEncoder]{}, objectTable[Queue]{}, objectTable[Pipeline]{}
}

// usualCost is the usual cost of recording one call, in picoseconds, by kind of clock. It is used for traces in
// which the tracer did not measure the cost. The values were measured by BenchmarkCall of interpose on an AMD EPYC.
var usualCost = map[wire.ClockKind]int64{wire.ClockTSC: 16_000, wire.ClockMach: 16_000, wire.ClockNanoseconds: 44_000}

// addOverhead adds the time that recording the process's calls took to Recording.Overhead: the number of calls, times
// the cost of one call. The process may have measured that cost; otherwise the usual cost applies.
func addOverhead(l *loader, p *processLoader) {
	events := int64(0)
	for _, th := range p.threads {
		events += th.Events
	}
	if events == 0 {
		return
	}
	r := &l.trace.Recording.Overhead
	cost := p.file.Cost
	r.Measured = cost > 0 && (r.Measured || r.Took == 0)
	if cost == 0 {
		cost = cmp.Or(usualCost[p.file.Clock], usualCost[wire.ClockNanoseconds])
	}
	r.Took += Nanos(float64(events) * float64(cost) / 1000)
}

// keepBuffer reports whether the command buffer belongs into the trace: any time between its first and last known
// event is in the requested range, or no event is known.
func (l *loader) keepBuffer(b *CommandBuffer) bool {
	if l.window == allTime {
		return true
	}
	life := Interval{1<<63 - 1, -1 << 63}
	for _, i := range []Interval{b.Created.Interval, b.Committed.Interval, b.GPU, b.Completed} {
		if i.Known() {
			life.Begin, life.End = min(life.Begin, i.Begin), max(life.End, i.End)
		}
	}
	if life.Begin > life.End {
		return true // nothing is known about it, except that it was used
	}
	return life.End >= l.window.Begin && life.Begin <= l.window.End
}

// processorTimeOf returns the processor time that a process used in the requested range, from samples. Without
// samples it returns the process's total (`all`) multiplied by the range's share of the run; the total itself would
// make every short range look busy.
func processorTimeOf(l *loader, p *processLoader, all Nanos) Nanos {
	window := l.window
	if l.slice != nil {
		window = l.slice.whole
	}
	if window == allTime {
		return all
	}
	part := Interval{max(window.Begin, l.trace.Run.Origin), min(window.End, l.trace.Run.Origin+l.trace.Run.Length)}
	if cpu := p.CPUIn(part); cpu.Covered*2 > part.Length() {
		return Nanos(float64(cpu.Ran) * float64(part.Length()) / float64(cpu.Covered))
	}
	return Nanos(float64(all) * float64(part.Length()) / float64(max(1, l.trace.Run.Length)))
}

func addLosses(l *loader, p *processLoader) {
	l.trace.Recording.Lost.AtLeast = l.trace.Recording.Lost.AtLeast || p.file.End == nil
	e := p.file.Last()
	if e == nil {
		return
	}
	p.CPU = processorTimeOf(l, p, Nanos(max(0, min(e.CPU, int64(longestTime)))))
	lost := &l.trace.Recording.Lost
	lost.Records += int64(e.Lost())
	lost.Ringless += int64(e.Unringed)
	lost.AtLeast = lost.AtLeast || len(e.Distrusted) > 0
	if e.Running {
		lost.Running++
	} else if e.Note != "" && p.file.Clock != 0 { // the process used Metal, and its recording stopped before it ended
		lost.AtLeast = true
	}
	lost.Unnamed += int64(e.Unnumbered)
	lost.Nested += int64(e.Nested)
	lost.Children += int64(e.Forks)
	lost.Rejected += int64(e.Rejected)
	for _, r := range e.Rings {
		lost.Facts += int64(r.FactsDropped)
	}
	dropped := e.DroppedByThread()
	for _, t := range l.trace.Threads {
		if t.Process == p.Process {
			t.Lost = int64(dropped[uint64(t.ID)])
		}
	}
}

// describeSource says where the trace comes from.
func describeSource(l *loader, r *tracefile.Reader) {
	s, info := &l.trace.Source, r.Info()
	s.Host, s.OS, s.Args = info.Host, strings.TrimSpace(info.OS+" "+info.Arch), info.Command
	s.Started, s.Processors, s.Selected = time.Unix(0, info.Started), info.Processors, info.Selected
	for _, p := range r.Processes() {
		if p.End != nil {
			s.LeftOut += int64(p.End.LeftOut)
		}
		if p.WaitsUnseen != "" && p.Clock != 0 { // a process without a clock made no Metal calls
			s.WaitsUnseen++
		}
	}
	if first := l.main(); first != nil {
		s.Program = first.Program
		if len(s.Args) == 0 {
			s.Args = first.Args
		}
		if s.Host == "" {
			s.Host = first.file.Host
		}
	} else if len(s.Args) > 0 {
		s.Program = filepath.Base(s.Args[0])
	}
	if result, ended := r.Result(); ended {
		// if the time of day was set back during the run, the difference is too small
		s.Wall = max(Nanos(result.Finished-info.Started), l.trace.Run.Length)
	}
	names := []string{}
	numberDevices(l.trace.Devices)
	for _, d := range l.trace.Devices {
		s.SoftwareMetal = s.SoftwareMetal || d.Software
		if !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	s.Device = strings.Join(names, ", ")
}

// numberDevices makes device names unique: if several devices of a host have the same name, all but the first get a
// number.
func numberDevices(devices []*Device) {
	slices.SortStableFunc(devices, func(a, b *Device) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Registry, b.Registry))
	})
	for i, same := 1, 1; i < len(devices); i++ {
		if same++; devices[i].Host != devices[i-same+1].Host || devices[i].Name != devices[i-same+1].Name {
			same = 1
			continue
		}
		devices[i].Name += fmt.Sprintf(" #%d", same)
	}
}

// main returns the process that the trace is mainly about: the first process that used Metal, because the first
// process of all is often only a shell script that starts the program. If none used Metal, it returns the first
// process; nil when there is none.
func (l *loader) main() *processLoader {
	for _, p := range l.processes {
		for _, t := range l.trace.Threads {
			if t.Process == p.Process {
				return p
			}
		}
	}
	if len(l.processes) == 0 {
		return nil
	}
	return l.processes[0]
}

func listPIDs(l *loader) string {
	var ids []string
	for _, p := range l.processes {
		ids = append(ids, fmt.Sprint(p.ID))
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}
