package replay

import "mtrace/analyze"

// A server works on several things at the same time, and the slower on each the more they are: a processor, which is shared out, or a GPU that begins
// all that is ready. Each thing's rank is what served is when it is done.
type server[T any] struct {
	slope   float64       // how much longer a thing takes for each other beside it, as a share of what it takes alone; 1 is shared evenly
	served  float64       // what a thing that was there all the while would have had done of it, in ns of having all to itself
	at      analyze.Nanos // as of then
	running binaryHeap[T]
}

// stretch is how many times as long as alone things take with n of them.
func (s *server[T]) stretch(n int) float64 { return 1 + s.slope*float64(n-1) }

func (s *server[T]) pass(now analyze.Nanos) {
	if n := len(s.running); n > 0 {
		s.served += float64(now-s.at) / s.stretch(n)
	}
	s.at = now
}

// begin begins a thing that takes so long alone. The number tells those apart that are done at the same time.
func (s *server[T]) begin(now, alone analyze.Nanos, number int, of T) {
	s.pass(now)
	s.running.push(ranked[T]{s.served + float64(alone), number, of})
}

// first is when the first thing is done, if nothing else begins; false when there is none.
func (s *server[T]) first() (at analyze.Nanos, any bool) {
	n := len(s.running)
	if n == 0 {
		return 0, false
	}
	return s.at + analyze.Nanos(max(0, s.running[0].rank-s.served)*s.stretch(n)+0.5), true
}

// firstDone is the server whose first thing is the first of all to be done, and when; false when nothing runs.
func firstDone[T any](servers []server[T]) (k int, at analyze.Nanos, any bool) {
	for i := range servers {
		if t, runs := servers[i].first(); runs && (!any || t < at) {
			k, at, any = i, t, true
		}
	}
	return k, at, any
}

// end ends the first thing.
func (s *server[T]) end(now analyze.Nanos) T {
	s.pass(now)
	return s.running.pop()
}

// cores are the processors of a machine in a replay. Each is shared evenly by the bursts that are on it: processor sharing
// (L. Kleinrock, Time-shared Systems: A Theoretical Treatment, 1967), what a fair scheduler comes to; over a whole burst of work it delays
// as much as time slices would. A burst goes to the processor with the fewest, or, as schedulers keep a thread where its memory is, or
// where who woke it runs, to any.
type cores struct {
	scattered float64 // share of the bursts that go to any
	each      []server[burst]
	drawn     uint64
}

// A burst is work that wants a processor, and what comes after it. Its rank is what served is when it is done.
type burst struct {
	began analyze.Nanos
	work  analyze.Nanos
	then  replayEvent
}

func newCores(count int, scattered float64) cores {
	c := cores{scattered: scattered, each: make([]server[burst], count)}
	for i := range c.each {
		c.each[i].slope = 1
	}
	return c
}

// none says that nobody waits for a processor.
func (c *cores) none() bool { return len(c.each) == 0 }

func (c *cores) begin(now, work analyze.Nanos, then replayEvent) {
	k := 0
	if c.draw() < c.scattered {
		k = int(c.draw() * float64(len(c.each)))
	} else {
		for i := range c.each {
			if len(c.each[i].running) < len(c.each[k].running) {
				k = i
			}
		}
	}
	c.each[k].begin(now, work, then.seq, burst{now, work, then})
}

// crowded says whether bursts wait for every processor.
func (c *cores) crowded() bool {
	for i := range c.each {
		if len(c.each[i].running) < 2 {
			return false
		}
	}
	return true
}

// draw gives numbers from 0 to 1, the same in every replay: splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func (c *cores) draw() float64 {
	c.drawn += 0x9e3779b97f4a7c15
	z := c.drawn
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return float64((z^(z>>31))>>11) / (1 << 53)
}
