package table

import (
	"cmp"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/collector/wire"
)

func pid(p *analyze.Process) int64 {
	if p == nil {
		return 0
	}
	return int64(p.ID)
}

func tid(t *analyze.Thread) int64 {
	if t == nil {
		return 0
	}
	return int64(t.ID)
}

// processOf returns the ID of a thread's process; 0 if the thread is not known.
func processOf(t *analyze.Thread) int64 {
	if t == nil {
		return 0
	}
	return pid(t.Process)
}

// A texts states which values of a call's record are numbers of texts in the trace. The table has the text instead of
// the number.
type texts struct{ arg, x0, x1 bool }

var textsOf = func() []texts {
	list := make([]texts, len(wire.Table))
	for i, row := range wire.Table {
		list[i].arg = row.Arg.Role.IsText()
		for _, f := range row.More {
			list[i].x0 = list[i].x0 || f.At == wire.InX0 && f.Role.IsText()
			list[i].x1 = list[i].x1 || f.At == wire.InX1 && f.Role.IsText()
		}
	}
	return list
}()

// Call adds a call; it fits analyze.Options.Visit.
func (w *Writer) Call(c *analyze.VisitedCall) {
	r := w.calls.next()
	*r = callRow{}
	r.PID, r.TID, r.Selector, r.Class, r.Group = processOf(c.Thread), tid(c.Thread), c.Row.Selector, c.Class, c.Group()
	r.Begin, r.End, r.Duration = int64(c.Begin), int64(c.End), int64(c.Length())
	r.Object, r.Arg = int64(c.Record.Object), c.Record.Arg
	r.X0, r.X1, r.X2, r.X3 = c.More.X0, c.More.X1, c.More.X2, uint64(c.More.X3)
	r.Failed, r.Unfinished = c.Record.Flags&wire.Failed != 0, c.Unfinished
	if int(c.ID) < len(textsOf) {
		is := textsOf[c.ID]
		if is.arg {
			r.Arg, r.ArgText = 0, c.Text(r.Arg)
		}
		if is.x0 {
			r.X0, r.X0Text = 0, c.Text(r.X0)
		}
		if is.x1 {
			r.X1, r.X1Text = 0, c.Text(r.X1)
		}
	}
	if !c.Unfinished {
		*w.eventsOf(c.Thread)++
	}
}

// eventsOf returns a pointer to the count of the thread's calls that returned. It caches the last thread's pointer,
// because consecutive calls are mostly made by the same thread.
func (w *Writer) eventsOf(t *analyze.Thread) *int64 {
	if w.caller != t || w.count == nil {
		name := nameOf(t)
		if w.events[name] == nil {
			w.events[name] = new(int64)
		}
		w.caller, w.count = t, w.events[name]
	}
	return w.count
}

func addProcesses(a *filling, add func(processRow)) {
	// every slice (time range of the run) has all processes, each with its processor use over the whole run, so the last
	// slice's processes are enough
	for _, p := range a.writer.last.Trace.Processes {
		add(processRow{int64(p.ID), int64(p.Parent), p.Program, strings.Join(p.Args, " "), int64(p.CPU)})
	}
}

func addThreads(a *filling, add func(threadRow)) {
	known := map[*analyze.Thread]*evidence.ThreadTime{}
	for _, t := range a.times.Threads {
		known[t.Thread] = t
	}
	for _, th := range a.trace.Threads {
		r := threadRow{PID: pid(th.Process), TID: tid(th), Name: th.Name, Begin: int64(th.Active.Begin),
			End: int64(th.Active.End), Events: th.Events, Lost: th.Lost}
		if a.slice == nil { // calls that reach into a range count in several ranges, so they do not add up
			r.Events = *a.writer.eventsOf(th)
		}
		if x := known[th]; x != nil {
			times := x.Time
			// The sums of the rows in the table of waits replace the sums over slices (time ranges of the run). Sums
			// over slices would differ, because a slice does not know all work outside of its time.
			if a.slice == nil {
				for p, n := range a.writer.waited[nameOf(th)] {
					if analyze.Part(p) >= analyze.PartWaitExecuting && analyze.Part(p) <= analyze.PartWaitCrossThread {
						times[analyze.PartOutside] += times[p] - n
						times[p] = n
					}
				}
			}
			for part, column := range [analyze.PartCount]*int64{
				analyze.PartEncode: &r.Encode, analyze.PartCommit: &r.Commit, analyze.PartAcquire: &r.Acquire,
				analyze.PartCompile:  &r.Compile,
				analyze.PartAllocate: &r.Allocate, analyze.PartLock: &r.Lock, analyze.PartDrawable: &r.Drawable,
				analyze.PartWaitExecuting: &r.Executing, analyze.PartWaitQueuedOwn: &r.QueuedOwn,
				analyze.PartWaitQueuedOther: &r.QueuedOther, analyze.PartWaitScheduling: &r.Scheduling,
				analyze.PartWaitNotify:      &r.Notify,
				analyze.PartWaitCrossThread: &r.Foreign, analyze.PartOtherAPI: &r.OtherAPI, analyze.PartOutside: &r.Outside,
			} {
				*column = int64(times[part])
			}
			r.SignalWait, r.HandsOver = int64(x.SignalWaits), x.HandsOver
		} else { // only its waits for signals are known
			r.Outside = int64(th.Active.Length())
			r.SignalWait = int64(a.writer.idle[nameOf(th)])
		}
		cpu := th.CPUIn(th.Active)
		r.CPUKnown, r.CPU, r.Runnable = int64(cpu.Covered), int64(cpu.Ran), int64(max(0, cpu.Waited))
		add(r)
	}
}

func addQueues(a *filling, add func(queueRow)) {
	for _, q := range a.trace.Queues {
		r := queueRow{PID: pid(q.Process), ID: int64(q.ID), Label: q.Label, Capacity: int64(q.Capacity)}
		if q.Device != nil {
			r.Device, r.Software = q.Device.Name, q.Device.Software
		}
		add(r)
	}
}

var statusNames = [...]string{"not enqueued", "enqueued", "committed", "scheduled", "completed", "error"}

// status returns the name of the command buffer's last known status: the one that Metal reported on completion, or
// else the one that follows from the recorded calls.
func status(b *analyze.CommandBuffer) string {
	s := b.Status
	switch {
	case s != analyze.StatusNotEnqueued:
	case b.Scheduled > 0:
		s = analyze.StatusScheduled
	case b.Committed.Known():
		s = analyze.StatusCommitted
	case b.Enqueued.Known():
		s = analyze.StatusEnqueued
	}
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

func addCommandBuffers(a *filling, add func(commandBufferRow)) {
	for _, b := range a.slice.Buffers {
		r := commandBufferRow{
			PID: pid(b.Process), ID: int64(b.ID), Label: b.Label, Status: status(b), ErrorCode: int64(b.ErrorCode),
			Error:     b.Error,
			CreatedBy: tid(b.Created.Thread), CreateBegin: int64(b.Created.Begin), CreateEnd: int64(b.Created.End),
			Enqueued:    int64(b.Enqueued.Begin),
			CommittedBy: tid(b.Committed.Thread), CommitBegin: int64(b.Committed.Begin),
			CommitEnd:   int64(b.Committed.End),
			Scheduled:   int64(b.Scheduled),
			KernelBegin: int64(b.Kernel.Begin), KernelEnd: int64(b.Kernel.End), GPUBegin: int64(b.GPU.Begin),
			GPUEnd: int64(b.GPU.End), GPU: int64(b.Took(a.trace.TimeRange)),
			Completed: int64(b.Completed.Begin), Handlers: int64(b.Handlers), Encoders: int64(len(b.Encoders)),
		}
		if b.Queue != nil {
			r.Queue = int64(b.Queue.ID)
		}
		for i := range b.Encoders {
			r.Dispatches += dispatchesOf(&b.Encoders[i])
		}
		add(r)
	}
}

func addGPUWork(a *filling, add func(gpuWorkRow)) {
	for _, b := range a.slice.Buffers {
		for w := range b.GPUWork() {
			r := gpuWorkRow{PID: pid(b.Process), CommandBuffer: int64(b.ID), Channel: w.Channel, Label: w.Label,
				Begin: int64(w.Begin), End: int64(w.End),
				GPU: int64(w.Intersect(a.trace.TimeRange).Length())}
			if w.Encoder != analyze.NoEncoder {
				r.Encoder = int64(b.Encoders[w.Encoder].ID)
			}
			if d := b.Device(); d != nil {
				r.Device = d.Name
			}
			add(r)
		}
	}
}

func dispatchesOf(e *analyze.Encoder) (n int64) {
	for d := range e.Runs() {
		n += int64(d.Count)
	}
	return n
}

var encoderKinds = [...]string{"compute", "blit", "render", "other"}

func addEncoders(a *filling, add func(encoderRow)) {
	type encoded struct {
		time   analyze.Nanos
		timing string
		named  analyze.Operation
		known  bool
	}
	var of []encoded // indexed by the encoder's position
	var splitter kernels.Splitter
	costs := kernels.CostsOf(a.trace)
	for _, b := range a.slice.Buffers {
		of = append(of[:0], make([]encoded, len(b.Encoders))...)
		at := 0 // shares of one encoder nearly always follow each other, in the order of the encoders
		shares := splitter.Split(b, a.trace.TimeRange, costs)
		for i := range shares {
			s := &shares[i]
			if s.Encoder == nil {
				continue
			}
			for &b.Encoders[at] != s.Encoder {
				at = (at + 1) % len(b.Encoders)
			}
			x := &of[at]
			x.time += s.GPU
			if x.timing != kernels.NotIdentified && s.Source != kernels.Measured {
				x.timing = s.Source
			}
			if !x.known {
				x.named, x.known = s.Operation, true
			} else if x.named != s.Operation {
				x.named = analyze.Operation{}
			}
		}
		for i := range b.Encoders {
			e := &b.Encoders[i]
			timing := ""
			if b.GPU.Known() {
				timing = cmp.Or(of[i].timing, kernels.Fitted)
			}
			if e.GPU.Known() || timing != "" && len(b.Encoders) == 1 {
				timing = kernels.Measured
			}
			add(encoderRow{
				PID: pid(b.Process), ID: int64(e.ID), CommandBuffer: int64(b.ID),
				Kind: encoderKinds[min(int(e.Kind), len(encoderKinds)-1)], Label: e.Label,
				TID: tid(e.Created.Thread), Begin: int64(e.Created.Begin), End: int64(e.Ended.End),
				GPUBegin: int64(e.GPU.Begin),
				GPUEnd:   int64(e.GPU.End),
				GPU:      int64(of[i].time), GPUTiming: timing, Unmeasured: e.Unmeasured, Dispatches: dispatchesOf(e),
				Copies: int64(e.Copies), CopyBytes: e.CopyBytes,
				Operation: of[i].named.Name, OperationFrom: of[i].named.From.String(),
			})
		}
	}
}

func addDispatches(a *filling, add func(dispatchRow)) {
	for _, b := range a.slice.Buffers {
		for i := range b.Encoders {
			for d := range b.Encoders[i].Runs() {
				named := b.Operation(&b.Encoders[i], d)
				r := dispatchRow{PID: pid(b.Process), Encoder: int64(b.Encoders[i].ID), At: int64(d.At),
					Count: int64(d.Count), Threads: d.Threads,
					Operation: named.Name, OperationFrom: named.From.String()}
				if d.Pipeline != nil {
					r.Pipeline, r.Kernel = int64(d.Pipeline.ID), d.Pipeline.Kernel
				}
				add(r)
			}
		}
	}
}

func addWaits(a *filling, add func(waitRow)) {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if !a.slice.Includes(w.End) {
			continue
		}
		r := waitRow{
			PID: processOf(w.Thread), TID: tid(w.Thread), Selector: w.Selector, Begin: int64(w.Begin),
			End:      int64(w.End),
			Duration: int64(w.Length()),
			Event:    int64(w.Event.Event), Value: w.Event.Value, SignaledBy: tid(w.Signaled),
			Interpreter: interpreterLocks[w.Interpreter], Unfinished: w.Unfinished,
		}
		if b := a.trace.WaitsFor(w); b != nil {
			r.CommandBuffer, r.CommittedBy = int64(b.ID), tid(b.Committed.Thread)
		}
		of := a.writer.waited[nameOf(w.Thread)]
		for _, piece := range a.work.Split(w) {
			of[piece.Part] += piece.Nanos
			switch piece.Part {
			case analyze.PartWaitExecuting:
				r.Executing += int64(piece.Nanos)
			case analyze.PartWaitQueuedOwn:
				r.QueuedOwn += int64(piece.Nanos)
			case analyze.PartWaitQueuedOther:
				r.QueuedOther += int64(piece.Nanos)
			case analyze.PartWaitScheduling:
				r.Scheduling += int64(piece.Nanos)
			case analyze.PartWaitNotify:
				r.Notify += int64(piece.Nanos)
			case analyze.PartWaitCrossThread:
				r.Foreign += int64(piece.Nanos)
			}
		}
		a.writer.waited[nameOf(w.Thread)] = of
		add(r)
	}
}

func addLocks(a *filling, add func(lockRow)) {
	for i := range a.trace.CPUWaits.Locks {
		l := &a.trace.CPUWaits.Locks[i]
		if !a.slice.Includes(l.End) {
			continue
		}
		add(lockRow{processOf(l.Thread), tid(l.Thread), l.Selector, int64(l.Begin), int64(l.End), int64(l.Exclusive),
			int64(l.Lock), l.Name, tid(l.Holder), int64(l.HolderWaiting),
			interpreterLocks[l.Interpreter]})
	}
}

var interpreterLocks = [...]string{analyze.InterpreterNotKnown: "", analyze.InterpreterHeld: "held",
	analyze.InterpreterFree: "not held"}

func addSignalWaits(a *filling, add func(signalWaitRow)) {
	for i := range a.trace.CPUWaits.Signals {
		w := &a.trace.CPUWaits.Signals[i]
		if !a.slice.Includes(w.End) {
			continue
		}
		add(signalWaitRow{PID: processOf(w.Thread), TID: tid(w.Thread), Selector: w.Selector, Begin: int64(w.Begin),
			End: int64(w.End), Duration: int64(w.Length()),
			Object: w.Object, Name: w.Name, Signaller: tid(w.Signaller), Signalled: int64(w.Signalled), Gave: w.LastSignalled,
			GivenBack: w.AcquirerReleased, TimedOut: w.TimedOut})
	}
}

func addDeviceMemory(a *filling, add func(memoryRow)) {
	for _, m := range a.trace.Memory.Device {
		if !a.slice.Includes(m.At) {
			continue
		}
		r := memoryRow{PID: pid(m.Process), At: int64(m.At), Bytes: m.Bytes}
		if m.Device != nil {
			r.Device = m.Device.Name
		}
		add(r)
	}
}

func addCompilations(a *filling, add func(compilationRow)) {
	for _, c := range a.trace.Compilations {
		if !a.slice.Includes(c.End) {
			continue
		}
		add(compilationRow{processOf(c.Thread), tid(c.Thread), c.Selector, c.Kind, c.Name, c.SourceSize, int64(c.Begin),
			int64(c.End), int64(c.Length()), c.Failed})
	}
}

func addScopes(a *filling, add func(scopeRow)) {
	for i := range a.trace.Scopes {
		s := &a.trace.Scopes[i]
		if at := s.End; !a.slice.Includes(at) && !s.Unfinished || s.Unfinished && !a.slice.Includes(s.Begin) {
			// a scope without an end belongs to the slice (time range of the run) in which it began
			continue
		}
		add(scopeRow{processOf(s.Thread), tid(s.Thread), s.Name, int64(s.Begin), int64(s.End), s.Mark, s.Unfinished})
	}
}

func addProcessorTimes(a *filling, add func(processorRow)) {
	for _, th := range a.trace.Threads {
		for _, s := range th.CPU {
			waited := int64(s.Waited)
			if s.Waited == analyze.NotKnown {
				waited = -1
			}
			add(processorRow{pid(th.Process), tid(th), int64(s.At), int64(s.Ran), waited})
		}
	}
}
