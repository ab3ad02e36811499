package collector

import (
	"slices"
	"time"

	"mtrace/collector/wire"
)

// A thread's running time, and its time of waiting for a processor, distinguish computing threads from sleeping ones.
// On systems where a process may read the times of another (Linux), the collector reads them. Reading them inside the
// traced program would disturb it: an opened file takes a descriptor number that the program expects to get.

// The intervals between samples of the threads' times. While no thread runs or waits for a processor, the interval
// doubles up to longestThreadTimesPause. Sampling one thread costs 5 µs (BenchmarkThreadTimes). The interval is at
// least threadTimesPauseForEach times the number of threads, which keeps the cost under 1 % of a processor.
const (
	threadTimesPause        = 50 * time.Millisecond
	longestThreadTimesPause = 400 * time.Millisecond
	threadTimesPauseForEach = 500 * time.Microsecond
)

// A threadClock reads how long a thread has run. read returns false when the thread has ended.
type threadClock interface {
	read(thread uint64) (wire.ThreadTime, bool)
	close()
}

// A threadSampler samples how long each thread of one process ran and waited for a processor.
type threadSampler struct {
	clock   threadClock
	threads []sampledThread
	next    time.Time
	pause   time.Duration
	found   []wire.ThreadTime
}

// A sampledThread has the last sample of a thread. A sample that equals the previous one is not delivered at once,
// but held (`held` is true). It is delivered before the next changed sample, so that the trace shows until when the
// thread slept.
type sampledThread struct {
	last wire.ThreadTime
	held bool
}

// sampleIfDue samples the given threads if a sample is due; threads that it sees for the first time are sampled at
// once. It returns the samples to write. The next call overwrites the returned slice.
func (s *threadSampler) sampleIfDue(now time.Time, threads []uint64) []wire.ThreadTime {
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

// sample reads the times of all known threads and forgets threads that have ended. It reports whether any thread of
// the process ran or waited for a processor. The sample of the whole machine does not count, because other programs
// always run.
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

// finish takes a last sample of each thread when the process has ended, returns the samples that were not delivered
// yet, and closes the clock.
func (s *threadSampler) finish() []wire.ThreadTime {
	s.found = s.found[:0]
	s.sample(nil)
	s.clock.close()
	return s.found
}

// handThreadTimes writes samples of threads' times to the trace, or gives them to the window filter, which may drop
// them.
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
