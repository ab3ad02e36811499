package record

import (
	"sync"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/interpose/inject/handshake"
)

// A witness notes from which processes the library connected, and which of them used Metal.
type witness struct {
	collector.Observer // ignores everything else
	mutex              sync.Mutex
	seen               map[tracefile.ProcessIndex]*handshake.Process
	vanished           []handshake.Process // processes that became another program (exec) before a Metal call
}

func newWitness() *witness {
	return &witness{Observer: collector.Nobody{}, seen: map[tracefile.ProcessIndex]*handshake.Process{}}
}

// Process implements collector.Observer.
func (w *witness) Process(p tracefile.ProcessIndex, h wire.Hello) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.seen[p] = &handshake.Process{PID: h.PID, Parent: h.PPID, Program: h.Program, Hello: true}
}

// Vanished implements collector.Observer.
func (w *witness) Vanished(h wire.Hello) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.vanished = append(w.vanished, handshake.Process{PID: h.PID, Parent: h.PPID, Program: h.Program, Hello: true})
}

// Clock implements collector.Observer. A process sends its clock when it makes its first Metal call, so the process
// uses Metal.
func (w *witness) Clock(p tracefile.ProcessIndex, _ wire.ClockKind, _, _ uint32) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.seen[p].Metal = true
}

// Facts implements collector.Observer. A process whose Metal calls were not recorded reports at its end that it used
// Metal.
func (w *witness) Facts(p tracefile.ProcessIndex, facts []wire.Fact) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, f := range facts {
		switch {
		case f.Kind == wire.FactWarning && f.Key == wire.UnseenDevice:
			w.seen[p].UnseenDevice = true
		case f.Kind == wire.FactWarning && f.Key == wire.NotTraced:
			w.seen[p].NotTraced = f.Text
		}
	}
}

func (w *witness) processes() (all []handshake.Process) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, p := range w.seen {
		all = append(all, *p)
	}
	return append(all, w.vanished...)
}

// metal reports whether a Metal call of any process was recorded.
func (w *witness) metal() bool {
	_, ok := w.first()
	return ok
}

// first returns the process that connected first among those with Metal calls; false if there is none.
func (w *witness) first() (first tracefile.ProcessIndex, ok bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for index, p := range w.seen {
		if p.Metal && (!ok || index < first) {
			first, ok = index, true
		}
	}
	return first, ok
}
