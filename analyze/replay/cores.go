package replay

import "mtrace/analyze"

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
