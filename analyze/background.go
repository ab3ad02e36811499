package analyze

import (
	"cmp"
	"slices"

	"mtrace/collector/wire"
)

// backgroundWork holds what a process compiled in the background. A call with a completion handler returns at once; the
// tracer records when, and on which thread, Metal passes the new object to the handler. resolveBackground joins the
// two: they may be in the records of different threads, which are loaded in any order.
type backgroundWork struct {
	requests []compileRequest
	ready    []compileReady
}

// A compileRequest is a call with a completion handler.
type compileRequest struct {
	Compilation // with the whole time of the call
	receiver    wire.ObjectID
	label       string
	answered    bool
}

// A compileReady is an object that Metal passed to a completion handler.
type compileReady struct {
	Interval // from just before the call that requested the object until the handler begins
	thread   *Thread
	receiver wire.ObjectID
	object   uint32
	failed   bool
}

// inBackground reports whether calls of the rule compile an object that they do not return, because Metal passes it to
// a completion handler. Metal 4's compiler returns a task instead.
func (r *rule) inBackground() bool {
	switch r.effect {
	case wire.EffectBuildsLibrary, wire.EffectBuildsFunction, wire.EffectBuildsPipeline:
		return r.object != wire.KindNone && (r.makes == wire.KindNone || r.makes == wire.KindTask)
	}
	return false
}

// handed stores that Metal passed an object to a completion handler on the current thread.
func (l *objectLoader) handed(r *wire.Record) {
	if l.at.thread == nil {
		l.at.startThread(l.at.unknownThread(), "")
	}
	ready := compileReady{Interval: l.at.process.clock.interval(r.Begin, r.End), thread: l.at.thread.Thread,
		receiver: r.Object, object: uint32(r.Arg), failed: r.Flags&wire.Failed != 0}
	l.at.process.background.ready = append(l.at.process.background.ready, ready)
}

// resolveBackground gives each object that Metal passed to a completion handler the names from the call that requested
// it, and adds these calls to the trace.
func (l *loader) resolveBackground(p *processLoader) {
	b := &p.background
	slices.SortStableFunc(b.requests, func(x, y compileRequest) int { return cmp.Compare(x.Begin, y.Begin) })
	slices.SortStableFunc(b.ready, func(x, y compileReady) int { return cmp.Compare(x.Begin, y.Begin) })
	for i := range b.ready {
		ready := &b.ready[i]
		if request := b.requestOf(ready); request != nil {
			request.answered, request.CreatedObject, request.Failed = true, ready.object, ready.failed
			request.Ready = max(ready.End, request.End)
			p.created(&request.Compilation, request.label)
			p.Process.compiled = append(p.Process.compiled, Call{Interval{request.Begin, ready.End}, ready.thread, nil})
		}
	}
	slices.SortStableFunc(p.Process.compiled, func(x, y Call) int { return cmp.Compare(x.End, y.End) })
	for i := range b.requests {
		l.addCompilation(b.requests[i].Compilation)
	}
}

// findHandlerWaits finds the waits for signals that a completion handler of a background compilation gave. If Metal
// compiled during at least half of such a wait, the wait becomes a compilation of the waiting thread. It is removed
// from the waits for signals, so that its time does not count twice.
func findHandlerWaits(t *Trace) {
	t.CPUWaits.Signals = slices.DeleteFunc(t.CPUWaits.Signals, func(w SignalWait) bool {
		if w.Thread == nil || w.Signaller == nil || w.Signaller == w.Thread || 2*w.compiled() < max(1, w.Length()) {
			return false
		}
		t.Compilations = append(t.Compilations, Compilation{Call: w.Call, Selector: w.Selector, Kind: KindBackground})
		w.Thread.spend(w.Interval)
		return true
	})
	sortUnlessSorted(t.Compilations, func(a, b *Compilation) int { return byBegin(&a.Call, &b.Call) })
}

// compiled returns how long, during the wait, Metal compiled an object that it then passed to a completion handler on
// the thread that ended the wait. It returns the longest time if there are several.
func (w *SignalWait) compiled() (longest Nanos) {
	list := w.Signaller.Process.compiled
	first, _ := slices.BinarySearchFunc(list, w.Begin, func(c Call, at Nanos) int { return cmp.Compare(c.End, at) })
	for _, c := range list[first:] {
		if c.End > w.End {
			break
		}
		if c.Thread == w.Signaller {
			longest = max(longest, c.End-max(c.Begin, w.Begin))
		}
	}
	return longest
}

// requestOf returns the request that an object answers: the first one on the object's receiver, without an answer, that
// began after the tracer wrapped the handler, which it does just before the call. It returns nil if there is none, or
// if that call began after the handler.
func (b *backgroundWork) requestOf(ready *compileReady) *compileRequest {
	first, _ := slices.BinarySearchFunc(b.requests, ready.Begin,
		func(r compileRequest, at Nanos) int { return cmp.Compare(r.Begin, at) })
	for i := first; i < len(b.requests) && b.requests[i].Begin <= ready.End; i++ {
		if r := &b.requests[i]; !r.answered && r.receiver == ready.receiver {
			return r
		}
	}
	return nil
}

// created stores an object that a compilation created. A pipeline state gets the name of its function.
func (p *processLoader) created(c *Compilation, label string) {
	switch c.Kind {
	case "function":
		p.functions.add(c)
	case "pipeline":
		p.functions.pipelines = append(p.functions.pipelines, pipelineMade{c.CreatedObject, c.From})
		if s := p.pipeline(wire.ObjectID(c.CreatedObject)); s != nil {
			s.Kernel, s.Label = c.Name, label
		}
	case "library":
		p.functions.addLibrary(c)
	}
}

// addCompilation adds a compilation to the trace if it lies in the loaded range.
func (l *loader) addCompilation(c Compilation) {
	inside, visible := l.clip(c.Interval)
	if l.adds {
		inside, visible = c.Interval, visible && c.Begin >= l.window.Begin
	}
	if c.Interval = inside; visible {
		l.trace.Compilations = append(l.trace.Compilations, c)
	}
}
