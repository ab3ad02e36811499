package collector

import (
	"slices"
	"time"

	"mtrace/collector/wire"
)

// How much processor time threads use, and how long they wait for a processor, tells threads that compute from threads
// that sleep. Where the system lets one process see that of another, the collector looks: the program is not touched,
// and opening a file inside it would take a descriptor that the program expects to get.

// The pace of looking at the threads' times. While none of them ran or waited, it is doubled up to the longest. A look
// at one thread costs 5 µs (BenchmarkThreadTimes); the pause for each keeps many threads from taking more than 1% of a
// processor.
const (
	threadTimesPause        = 50 * time.Millisecond
	longestThreadTimesPause = 400 * time.Millisecond
	threadTimesPauseForEach = 500 * time.Microsecond
)

// A threadClock reads the processor time of a thread; false when the thread is gone.
type threadClock interface {
	read(thread uint64) (wire.ThreadTime, bool)
	close()
}

// A threadSampler samples the threads of one process.
type threadSampler struct {
	clock   threadClock
	threads []sampledThread
	next    time.Time
	pause   time.Duration
	found   []wire.ThreadTime
}

// A sampledThread is what was last read of a thread. Of samples between which nothing changed only the first and the
// last are handed on; held says that this one was not yet.
type sampledThread struct {
	last wire.ThreadTime
	held bool
}

// look samples the given threads when it is time to, or at once those that are new, and returns what is to be handed
// on. The slice is used again by the next look.
func (s *threadSampler) look(now time.Time, threads []uint64) []wire.ThreadTime {
	s.found = s.found[:0]
	for _, id := range threads {
		if slices.ContainsFunc(s.threads, func(t sampledThread) bool { return t.last.Thread == id }) {
			continue
		}
		if sample, alive := s.clock.read(id); alive {
			s.threads = append(s.threads, sampledThread{last: sample})
			s.found = append(s.found, sample)
			if s.pause != threadTimesPause {
				s.pause, s.next = threadTimesPause, now.Add(threadTimesPause)
			}
		}
	}
	if len(s.threads) == 0 || now.Before(s.next) {
		return s.found
	}
	changed := s.sample(threads)
	if s.pause = min(2*s.pause, longestThreadTimesPause); changed {
		s.pause = threadTimesPause
	}
	s.next = now.Add(max(s.pause, time.Duration(len(s.threads))*threadTimesPauseForEach))
	return s.found
}

// sample reads all threads, forgets those that are gone, and says whether any of them ran or waited for a processor.
// Other programs always do.
func (s *threadSampler) sample(threads []uint64) (changed bool) {
	kept := s.threads[:0]
	for _, t := range s.threads {
		sample, alive := s.clock.read(t.last.Thread)
		switch {
		case alive && sample.At == t.last.At: // it was read for another process
		case alive && sample.Ran == t.last.Ran && sample.Waited == t.last.Waited:
			t = sampledThread{sample, true}
		case alive:
			changed = changed || t.last.Thread != wire.WholeMachine
			s.release(t)
			s.found = append(s.found, sample)
			t = sampledThread{last: sample}
		}
		if alive && slices.Contains(threads, t.last.Thread) {
			kept = append(kept, t)
		} else {
			s.release(t)
		}
	}
	s.threads = kept
	return changed
}

func (s *threadSampler) release(t sampledThread) {
	if t.held {
		s.found = append(s.found, t.last)
	}
}

// finish samples all threads for the last time.
func (s *threadSampler) finish() []wire.ThreadTime {
	s.found = s.found[:0]
	s.sample(nil)
	s.clock.close()
	return s.found
}

// handThreadTimes hands on what is known of threads' processor times.
func (t *processTrace) handThreadTimes(times []wire.ThreadTime) {
	if len(times) == 0 {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.add()
	if t.window != nil {
		t.window.keepTimes(times)
		return
	}
	t.collector.written(t.collector.writer.ThreadTimes(t.index, times))
}
