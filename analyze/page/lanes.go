package page

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/report"
)

// Limits of a document.
const (
	mostLanes  = 160
	mostDrawn  = 100_000 // blocks and cells of all finest levels together
	mostNames  = 4000
	longName   = 120 // letters
	coarser    = 3   // a level's cells are 2^coarser times as long as the cells of the previous level
	leastLevel = 500 // a level with so few elements needs no coarser one
)

// A drawing is a lane that will be added to the document, with the track that has its blocks.
type drawing struct {
	Lane
	of *track
	on *thread  // the thread of a thread's lane
	at *gpuLane // the lane of a GPU
}

// Document returns the document. It reduces the detail until the document is small enough for a browser. The Builder
// must not be used afterwards, because its tracks were changed.
func (b *Builder) Document() *Document {
	for drawn := mostDrawn; ; drawn /= 2 {
		if d := b.document(drawn); drawn < 1000 || d.size() < mostBytes {
			return d
		}
	}
}

// document returns a document with no more blocks and cells than `drawn`, in all lanes together.
func (b *Builder) document(drawn int) *Document {
	d := &Document{Schema: Schema, BeginNS: int64(b.begin - b.origin), EndNS: int64(b.end - b.origin),
		Kinds: partKinds(), Names: []string{""}, Frames: []string{}, Stacks: [][]int{{}}, Lanes: []Lane{},
		Flames: []Flame{},
		Flows:  []Flow{}, Marks: []Mark{}, MarksLeft: b.marks.left, QueuesLeft: max(0, len(b.queueOrder)-mostSeries),
		Series: b.series(), FlowsOf: b.flows.every,
		Histograms: []Histogram{b.start.histogram("commit to GPU start"), b.gpu.histogram("on the GPU"),
			b.notify.histogram("GPU end to the wait’s return")}}
	list := b.drawings()
	if len(list) > mostLanes {
		d.LanesLeft = len(list) - mostLanes
		list = busiest(list)
	}
	sizes := make([]int, len(list))
	for i := range list {
		sizes[i] = list[i].of.size()
	}
	most := share(sizes, drawn)
	places := map[*thread]int{}
	for i := range list {
		if list[i].on != nil {
			places[list[i].on] = i
		}
	}
	x := encoder{document: d, names: map[string]int64{"": 0}, origin: b.origin, laneOf: map[int]int64{},
		flowOf: map[*flow]int64{}, stacks: &b.stacks, stackOf: map[stackNumber]int64{}, frames: map[string]int{}}
	for t, place := range places {
		x.laneOf[t.number] = int64(place)
	}
	for i := range list {
		list[i].of.fit(most)
	}
	b.arrows(d, &x, list, places)
	for i := range list {
		d.Lanes = append(d.Lanes, x.lane(&list[i]))
	}
	return d
}

// share divides a budget of blocks and cells among lanes of the given sizes. It returns the largest limit per lane
// for which all lanes, cut to that limit, together have no more than `all`.
func share(sizes []int, all int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, n := range sizes {
		if rest := len(sizes) - i; n > all/rest {
			return all / rest
		}
		all -= n
	}
	return 1 << 40
}

// drawings returns the lanes that are not empty, from top to bottom: first the GPUs, then the threads. The lanes with a
// thread's scopes are directly above the thread's own lane.
func (b *Builder) drawings() (list []drawing) {
	slices.SortStableFunc(b.gpuOrder, func(x, y *gpu) int {
		return cmp.Or(cmp.Compare(x.device.Host, y.device.Host), cmp.Compare(x.device.Name, y.device.Name),
			cmp.Compare(x.channel, y.channel))
	})
	for _, g := range b.gpuOrder {
		for i, l := range g.lanes {
			name := cmp.Or(g.device.Name, "GPU")
			if g.channel != "" {
				name += ", " + g.channel
			}
			key := name
			if len(g.lanes) > 1 { // concurrent work is in several lanes
				name += fmt.Sprintf(" (%d of %d)", i+1, len(g.lanes))
			}
			hidden := int64(0)
			if i == len(g.lanes)-1 {
				hidden = g.hidden
			}
			list = append(list, drawing{Lane: Lane{Key: fmt.Sprintf("gpu %s %d %s %d", g.device.Host,
				g.device.Registry, key, i), Shows: LaneGPU, Name: name, Hidden: hidden}, of: &l.track, at: l})
		}
	}
	processes := map[*analyze.Process]bool{}
	for _, t := range b.order {
		processes[t.Process] = true
	}
	order := slices.Clone(b.order)
	slices.SortStableFunc(order, func(x, y *thread) int {
		return cmp.Or(cmp.Compare(pid(x), pid(y)), cmp.Compare(idle(x), idle(y)), cmp.Compare(x.ID, y.ID))
	})
	for _, t := range order {
		key := fmt.Sprintf("%d %d", pid(t), t.ID)
		at := Lane{TID: uint64(t.ID), PID: pid(t), Name: threadName(t.Thread),
			Begin: int64(max(t.active.Begin, b.begin) - b.origin), End: int64(min(t.active.End, b.end) - b.origin)}
		if len(processes) > 1 {
			at.Name += fmt.Sprintf(" of %s %d", t.Process.Program, pid(t))
		}
		for i, l := range t.scopes {
			on := at
			on.Key, on.Shows, on.Name = fmt.Sprintf("scopes %s %d", key, i), LaneScopes, "scopes of "+at.Name
			list = append(list, drawing{Lane: on, of: &l.track})
		}
		t.flat.finish(func(x block) { t.calls.add(x, b.room()) })
		if t.waits.size() > 0 {
			t.calls.with(&t.waits)
			t.waits = track{}
		}
		if t.calls.size() > 0 {
			at.Key, at.Shows, at.Color, at.Idle = "thread "+key, LaneThread, int(colorOf(t)), onlyWaits(t)
			list = append(list, drawing{Lane: at, of: &t.calls, on: t})
		}
	}
	return list
}

// idle returns a rank by which threads are sorted: 0 if it submits GPU work or waits for it, 2 if it only waited for
// signals, else 1. Higher ranks are drawn further below.
func idle(t *thread) int {
	switch {
	case t.works:
		return 0
	case t.OnlyIdle:
		return 2
	}
	return 1
}

// onlyWaits reports whether the thread only waited for signals and, for at most a twentieth of its time, for locks.
// Threads of frameworks do that; the page folds them.
func onlyWaits(t *thread) bool {
	for kind, time := range t.calls.time {
		moment := uint8(kind) == uint8(analyze.PartLock) && 20*time < t.active.Length()
		if time > 0 && uint8(kind) != kindSignal && !moment {
			return false
		}
	}
	return !t.works
}

func pid(t *thread) int {
	if t.Process == nil {
		return 0
	}
	return t.Process.ID
}

// busiest returns the mostLanes lanes to draw, in their order: all GPUs, and the lanes with the most blocks.
func busiest(list []drawing) []drawing {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	weight := func(d *drawing) int64 {
		if d.at != nil {
			return 1<<63 - 1
		}
		return d.of.count
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(weight(&list[y]), weight(&list[x])) })
	kept := make([]drawing, 0, mostLanes)
	for _, i := range slices.Sorted(slices.Values(order[:mostLanes])) {
		kept = append(kept, list[i])
	}
	return kept
}

// arrows adds flows (the arrows of command buffers) and marks to the document. They refer to lanes by index, so the
// list of lanes must not change afterwards.
func (b *Builder) arrows(d *Document, x *encoder, list []drawing, places map[*thread]int) {
	gpus := map[*gpuLane]int{}
	for i := range list {
		if list[i].at != nil {
			gpus[list[i].at] = i
		}
	}
	place := func(t *thread) int {
		if p, known := places[t]; known && t != nil {
			return p
		}
		return -1
	}
	for _, f := range b.flows.list {
		gpu, known := gpus[f.on]
		if !known {
			continue
		}
		x.flowOf[f] = int64(len(d.Flows))
		d.Flows = append(d.Flows, Flow{Label: x.name(f.label), Queue: x.name(f.queue), CreatedNS: x.instant(f.created),
			From: place(f.from), CommitNS: x.instant(f.commit), ScheduledNS: x.instant(f.scheduled), GPU: gpu,
			BeginNS: x.instant(f.gpu.Begin), EndNS: x.instant(f.gpu.End), CompletedNS: x.instant(f.completed),
			To: place(f.to), WaitNS: x.instant(f.wait.Begin), WakeNS: x.instant(f.wait.End)})
	}
	for _, m := range b.marks.list {
		d.Marks = append(d.Marks, Mark{place(m.on), int64(m.at - b.origin), short(m.name), m.failed})
	}
	slices.SortStableFunc(d.Marks, func(x, y Mark) int { return cmp.Compare(x.AtNS, y.AtNS) })
}

// series returns the levels over time.
func (b *Builder) series() []Series {
	list := []Series{}
	add := func(s *steps, name, group, unit string) {
		if len(s.bins) > 0 {
			list = append(list, Series{name, group, unit, int64(analyze.Nanos(s.from)*s.bin - b.origin), int64(s.bin),
				s.means()})
		}
	}
	for _, key := range b.deviceOrder[:min(len(b.deviceOrder), mostSeries)] {
		d, name := b.devices[key], cmp.Or(key.Name, "GPU")
		add(&d.busy, name+" busy", "busy", "share")
		add(&d.flight, "in flight on "+name, "flight", "command buffers")
	}
	for _, q := range b.queueOrder[:min(len(b.queueOrder), mostSeries)] {
		add(b.queues[q], short(q.title()), "queue", "command buffers")
	}
	for _, p := range b.memoryOrder[:min(len(b.memoryOrder), mostSeries)] {
		name := "allocated"
		if len(b.memoryOrder) > 1 && p != nil {
			name += fmt.Sprintf(" by %s %d", p.Program, p.ID)
		}
		add(b.memory[p], name, "memory", "bytes")
	}
	return list
}

// mostSeries is the maximum number of series in each group, such as queues.
const mostSeries = 12

// partKinds returns the kinds of threads' blocks.
func partKinds() (list []Kind) {
	for _, p := range report.PartColors() {
		list = append(list, Kind(p))
	}
	list[kindSignal] = Kind{"signal", "outside of Metal, blocked: for a signal, for input, in a sleep",
		report.SignalColor}
	return list
}

// short cuts a name to the maximum length in a document.
func short(name string) string {
	if runes := []rune(name); len(runes) > longName {
		return string(runes[:longName-1]) + "…"
	}
	return name
}
