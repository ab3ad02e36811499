package tracesim

import "container/heap"

// A clock runs scripts in virtual time: one goroutine at a time, in the order of their instants, so that a run is the
// same each time whatever the machine does.
type clock struct {
	now   int64
	queue events
	seq   int64
}

type event struct {
	at, seq int64
	run     func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// at runs f at an instant.
func (c *clock) at(t int64, f func()) {
	c.seq++
	heap.Push(&c.queue, event{max(t, c.now), c.seq, f})
}

// run runs until nothing is left to do.
func (c *clock) run() {
	for c.queue.Len() > 0 {
		e := heap.Pop(&c.queue).(event)
		c.now = e.at
		e.run()
	}
}

// A routine is a script that runs in virtual time.
type routine struct {
	clock  *clock
	resume chan struct{}
	yield  chan struct{}
}

// start runs the script from an instant on.
func (c *clock) start(at int64, script func(*routine)) *routine {
	r := &routine{clock: c, resume: make(chan struct{}), yield: make(chan struct{})}
	go func() {
		<-r.resume
		script(r)
		r.yield <- struct{}{}
	}()
	c.at(at, r.step)
	return r
}

// step lets the script run until it sleeps, blocks or ends.
func (r *routine) step() {
	r.resume <- struct{}{}
	<-r.yield
}

// sleep lets time pass.
func (r *routine) sleep(d int64) {
	r.clock.at(r.clock.now+d, r.step)
	r.block()
}

// block stops the script until somebody wakes it.
func (r *routine) block() {
	r.yield <- struct{}{}
	<-r.resume
}

// wake lets a blocked script continue after a delay.
func (r *routine) wake(after int64) { r.clock.at(r.clock.now+after, r.step) }
