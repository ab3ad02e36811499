package collector

import (
	"slices"
	"time"

	"mtrace/collector/wire"
)

// The processor time of threads, and their waits for a processor, distinguish computing threads from sleeping ones. If
// the system lets one process read another's times, the collector reads them. That does not disturb the program:
// opening a file inside it would take a descriptor number that the program expects to get.

// The sampling intervals. While no thread ran or waited, the interval is doubled up to the longest. Sampling one thread
// costs 5 µs (BenchmarkThreadTimes); the minimum interval per thread limits the cost to 1% of a processor.
const (
	threadTimesPause        = 50 * time.Millisecond
	longestThreadTimesPause = 400 * time.Millisecond
	threadTimesPauseForEach = 500 * time.Microsecond
)

// A threadClock reads the processor time of a thread; alive is false when the thread is gone.
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

// A sampledThread has the last sample of a thread. Of a series of equal samples only the first and the last are
// delivered; held reports that this one was not delivered yet.
type sampledThread struct {
	last wire.ThreadTime
	held bool
}

// look samples the given threads if a sample is due, and new threads at once, and returns the samples to deliver. The
// next call reuses the slice.
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

// sample reads all threads, removes those that are gone, and reports whether any of them ran or waited for a processor.
// The sample of the whole machine does not count, because other programs always run.
func (s *threadSampler) sample(threads []uint64) (changed bool) {
	kept := s.threads[:0]
	for _, t := range s.threads {
		sample, alive := s.clock.read(t.last.Thread)
		switch {
		case alive && sample.At == t.last.At: // it was sampled for another process
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

// finish takes the last sample of all threads.
func (s *threadSampler) finish() []wire.ThreadTime {
	s.found = s.found[:0]
	s.sample(nil)
	s.clock.close()
	return s.found
}

// handThreadTimes writes processor times of threads to the trace.
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
