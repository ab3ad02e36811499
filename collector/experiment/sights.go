package experiment

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// Sights observes a recording before the experiment injects its first delay. It learns for which locks threads
// wait, how long calls take, and the names of threads: the user names targets by these.
type Sights struct {
	collector.Nobody
	mutex sync.Mutex
	of    map[tracefile.ProcessIndex]*sight
}

type sight struct {
	texts   map[wire.StringID]string
	threads map[uint64]string        // names that threads got after their first call, by the system's thread id
	began   map[uint64]wire.StringID // names at the first call, by the system's thread id; 0 when not known
	locks   map[uint64]*seenLock
	pending map[uint16]wire.Record // by ring: a wait for a lock or a thread's start whose More record has not come
	calls   map[wire.Call]*seenCalls
	over    bool // calls and locks are no longer counted
}

type seenLock struct {
	name   wire.StringID
	object wire.ObjectID
	waited wire.Ticks
}

type seenCalls struct {
	count int64
	took  wire.Ticks
}

// NewSights returns an Observer without observations.
func NewSights() *Sights { return &Sights{of: map[tracefile.ProcessIndex]*sight{}} }

func (s *Sights) get(p tracefile.ProcessIndex) *sight {
	if s.of[p] == nil {
		s.of[p] = &sight{texts: map[wire.StringID]string{}, threads: map[uint64]string{},
			began: map[uint64]wire.StringID{}, locks: map[uint64]*seenLock{},
			pending: map[uint16]wire.Record{}, calls: map[wire.Call]*seenCalls{}}
	}
	return s.of[p]
}

// Facts stores the names of threads, and the texts to which ids of names refer. It implements collector.Observer.
func (s *Sights) Facts(p tracefile.ProcessIndex, facts []wire.Fact) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seen := s.get(p)
	for _, f := range facts {
		switch f.Kind {
		case wire.FactString:
			seen.texts[wire.StringID(f.Key)] = f.Text
		case wire.FactThreadName:
			seen.threads[f.Key] = f.Text
		}
	}
}

// Records counts calls and waits for locks, with their durations. It implements collector.Observer.
func (s *Sights) Records(p tracefile.ProcessIndex, ring uint16, records []wire.Record) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seen := s.get(p)
	for i := range records {
		r := &records[i]
		switch {
		case r.Call == wire.CallThreadStart:
			seen.began[r.Arg] = 0
			seen.pending[ring] = *r
		case r.Call == wire.CallMore:
			of, pending := seen.pending[ring]
			switch {
			case !pending:
			case of.Call == wire.CallThreadStart:
				seen.began[of.Arg] = wire.StringID(r.More().X0)
			default:
				seen.addLock(of, r.More())
			}
			delete(seen.pending, ring)
		case seen.over:
		case r.Call.Row().Family == wire.FamilyLock:
			seen.pending[ring] = *r
		default:
			c := seen.calls[r.Call]
			if c == nil {
				c = &seenCalls{}
				seen.calls[r.Call] = c
			}
			c.count++
			c.took += r.End - r.Begin
		}
	}
}

func (s *sight) addLock(wait wire.Record, more wire.More) {
	l := s.locks[more.X1]
	if l == nil {
		l = &seenLock{}
		s.locks[more.X1] = l
	}
	l.name, l.object, l.waited = wire.StringID(more.X0), wait.Object, l.waited+wait.End-wait.Begin
}

// finish ends the counting for a process, because from now on delays change the durations of its calls.
func (s *Sights) finish(p tracefile.ProcessIndex) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.get(p).over = true
}

// A lock is a lock for which threads of the process waited.
type lock struct {
	address uint64
	object  wire.ObjectID
	name    string
	waited  wire.Ticks
}

// interpreterLock is part of the name of CPython's global interpreter lock (GIL). An experiment cannot delay its
// release, because no single function releases it.
const interpreterLock = "_PyRuntime"

// locks returns the locks for which threads waited, those with the longest waits first. CPython's GIL is left out,
// because an experiment cannot delay its release.
func (s *Sights) locks(p tracefile.ProcessIndex) (all []lock) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seen := s.get(p)
	for address, l := range seen.locks {
		if name := seen.texts[l.name]; !strings.Contains(name, interpreterLock) {
			all = append(all, lock{address, l.object, name, l.waited})
		}
	}
	slices.SortFunc(all, func(a, b lock) int {
		return cmp.Or(cmp.Compare(b.waited, a.waited), cmp.Compare(a.address, b.address))
	})
	return all
}

// threads returns the names of the process's threads by the system's thread ids; the name is empty if there is none.
func (s *Sights) threads(p tracefile.ProcessIndex) map[uint64]string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seen, names := s.get(p), map[uint64]string{}
	for id, name := range seen.began {
		names[id] = seen.texts[name]
	}
	for id, name := range seen.threads {
		if name != "" {
			names[id] = name
		}
	}
	return names
}

// took returns the mean duration of these calls in ticks. It returns false if no such call was observed.
func (s *Sights) took(p tracefile.ProcessIndex, calls []wire.Call) (float64, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var count int64
	var ticks wire.Ticks
	for _, c := range calls {
		if seen := s.get(p).calls[c]; seen != nil {
			count, ticks = count+seen.count, ticks+seen.took
		}
	}
	return float64(ticks) / float64(max(count, 1)), count > 0
}
