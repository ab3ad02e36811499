package serial

import "mtrace/analyze"

// cores are the processors of a machine in a replay. Threads that want one share them evenly: when there are more of them than
// processors, each goes on at its share of the speed. That is processor sharing (L. Kleinrock, Time-shared Systems: A Theoretical
// Treatment, 1967), what a fair scheduler comes to; over a whole burst of work it delays as much as time slices would.
type cores struct {
	count   int           // 0: nobody ever waits for one
	served  float64       // processor time that a thread that ran all the while would have had
	at      analyze.Nanos // as of then
	running binaryHeap[burst]
}

// A burst is work that wants a processor, and what comes after it.
type burst struct {
	until float64 // done when cores.served is that
	began analyze.Nanos
	work  analyze.Nanos
	then  replayEvent
}

func (b burst) rank() (float64, int) { return b.until, b.then.seq }

func (c *cores) speed() float64 {
	return min(1, float64(c.count)/float64(len(c.running)))
}

func (c *cores) pass(now analyze.Nanos) {
	if len(c.running) > 0 {
		c.served += float64(now-c.at) * c.speed()
	}
	c.at = now
}

// waking is the part of a short burst's processor time that goes into waking a processor that sleeps: the interrupt to it, the timer
// that is set and cancelled. A burst that finds all processors awake does without. For command buffers of softmetal the
// processor time of each falls from 131 to 90 µs between a processor that is used for a fifth and one that is used for half, and
// from 76 to 46 µs between a tenth and all (a virtual machine with two).
const waking = 0.5

func (c *cores) begin(now, work analyze.Nanos, then replayEvent) {
	c.pass(now)
	if len(c.running) >= c.count {
		work -= analyze.Nanos(waking * float64(work))
	}
	c.running.push(burst{c.served + float64(work), now, work, then})
}

// next is when the first of the bursts will be done; false when there is none.
func (c *cores) next() (analyze.Nanos, bool) {
	if len(c.running) == 0 {
		return 0, false
	}
	return c.at + analyze.Nanos(max(0, c.running[0].until-c.served)/c.speed()+0.5), true
}

func (c *cores) end(now analyze.Nanos) burst {
	c.pass(now)
	return c.running.pop()
}

// A binaryHeap gives its first element first.
type binaryHeap[T ranked] []T

// A ranked thing comes before those of a higher rank; the second number tells equal ones apart.
type ranked interface{ rank() (float64, int) }

func before[T ranked](a, b T) bool {
	x, i := a.rank()
	y, k := b.rank()
	return x < y || x == y && i < k
}

func (h *binaryHeap[T]) push(x T) {
	*h = append(*h, x)
	a := *h
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(a[i], a[up]) {
			return
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
}

func (h *binaryHeap[T]) pop() T {
	a := *h
	first, n := a[0], len(a)-1
	a[0] = a[n]
	*h = a[:n]
	a = a[:n]
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < n && before(a[down], a[least]) {
				least = down
			}
		}
		if least == i {
			return first
		}
		a[i], a[least] = a[least], a[i]
		i = least
	}
}
