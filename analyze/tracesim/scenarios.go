package tracesim

import "fmt"

// A Scenario is a program whose cause is known.
type Scenario struct {
	Name   string
	Causes []string // the verdict must be one of these
	Build  func(seed uint64) *Sim
	Cured  func(seed uint64) *Sim // the same without the cause; nil when there is none to remove
	// what removing the cause brings can only be bounded: what was blocked is not in the trace
	Vague bool
}

const (
	us = 1_000
	ms = 1_000_000
)

// Longer is how many times as many rounds the threads of loops make: for tests of what is only done with long runs.
var Longer = 1

// loop makes threads that each repeat a body, one command buffer each time.
type loop struct {
	engines, threads, rounds int
	gpu                      int64
	queues                   int // 0: one for each thread
	capacity                 int
	outside                  int64
	every                    func(t *Thread, thread, round int, b *Buffer) // before the commit
	after                    func(t *Thread, thread, round int, b *Buffer) // instead of waiting for b
	before                   func(t *Thread, thread, round int)
	costs                    func(*Sim)
}

func (l loop) build(seed uint64) *Sim {
	s := NewSim(l.engines, seed)
	if l.costs != nil {
		l.costs(s)
	}
	n := l.queues
	if n == 0 {
		n = l.threads
	}
	queues := make([]*Queue, n)
	for i := range queues {
		queues[i] = s.NewQueue("", l.capacity)
	}
	for i := range l.threads {
		s.Thread(func(t *Thread) {
			t.Work(int64(i) * 50 * us)
			for round := range Longer * l.rounds {
				if l.before != nil {
					l.before(t, i, round)
				}
				if l.outside > 0 {
					t.Work(l.outside)
				}
				b := t.CommandBuffer(queues[i%n])
				t.Encode(b, "step", l.gpu)
				if l.every != nil {
					l.every(t, i, round, b)
				}
				t.Commit(b)
				if l.after != nil {
					l.after(t, i, round, b)
				} else {
					t.Wait(b)
				}
			}
		})
	}
	return s
}

// deviceWide waits for what all threads have in flight.
func deviceWide(threads int) func(t *Thread, thread, round int, b *Buffer) {
	last := make([]*Buffer, threads)
	return func(t *Thread, thread, _ int, b *Buffer) {
		last[thread] = b
		t.Wait(b)
		for i := range last {
			if o := last[(thread+i)%threads]; o != nil && o != b && !o.complete {
				t.Wait(o)
			}
		}
	}
}

// shared lets work take longer beside other work on the GPU.
func shared(slope float64) func(*Sim) { return func(s *Sim) { s.Shared = slope } }

// sleeps lets a thread sleep as long as chance wants before each round.
func sleeps(most float64) func(*Thread, int, int) {
	return func(t *Thread, _, _ int) { t.Sleep(int64(t.Random() * most)) }
}

// sorts makes the work of each round one of five sorts.
func sorts(t *Thread, thread, round int, b *Buffer) {
	if sort := (thread + round) % 5; sort > 0 {
		t.Encode(b, fmt.Sprint("more of sort ", sort), int64(sort)*200*us)
	}
}

// uneven makes the work of each round as long as chance wants.
func uneven(t *Thread, _, _ int, b *Buffer) { t.Encode(b, "more", int64(t.Random()*600*us)) }

// Scenarios are all labelled programs.
var Scenarios = []Scenario{
	{Name: "independent threads", Causes: []string{"gpu-bound"}, Build: loop{engines: 8, threads: 4, rounds: 100,
		gpu: 500 * us}.build},
	{Name: "one thread, half busy", Causes: []string{"gpu-bound"}, Build: loop{engines: 1, threads: 1, rounds: 100,
		gpu: 500 * us, outside: 300 * us}.build},
	{Name: "anti-phase periodic threads", Causes: []string{"none"}, Build: func(seed uint64) *Sim {
		s := NewSim(4, seed)
		s.Jitter = 0.001
		for i := range 2 {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				start := t.Now() + int64(i)*ms
				for round := range int64(100) {
					if rest := start + 2*round*ms - t.Now(); rest > 0 {
						t.Sleep(rest)
					}
					b := t.CommandBuffer(q)
					t.Encode(b, "step", 900*us)
					t.Commit(b)
					t.Wait(b)
				}
			})
		}
		return s
	}},
	{Name: "correlated bursts", Causes: []string{"gpu-bound"}, Build: func(seed uint64) *Sim {
		s := NewSim(8, seed)
		for range 4 {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				start := t.Now()
				for round := range int64(25) {
					if rest := start + 4*round*ms - t.Now(); rest > 0 {
						t.sleep(rest)
					}
					for range 4 {
						b := t.CommandBuffer(q)
						t.Encode(b, "step", 600*us)
						t.Commit(b)
						t.Wait(b)
					}
				}
			})
		}
		return s
	}},
	{Name: "device-wide sync", Causes: []string{"device-wide-sync"},
		Build: func(seed uint64) *Sim {
			return loop{engines: 8, threads: 8, rounds: 60, gpu: 200 * us, outside: 100 * us, every: uneven,
				after: deviceWide(8)}.build(seed)
		},
		Cured: loop{engines: 8, threads: 8, rounds: 60, gpu: 200 * us, outside: 100 * us, every: uneven}.build},
	{Name: "device-wide sync, uneven work", Causes: []string{"device-wide-sync"},
		Build: func(seed uint64) *Sim {
			l := loop{engines: 4, threads: 4, rounds: 80, gpu: 100 * us, after: deviceWide(4)}
			l.every = func(t *Thread, thread, _ int, b *Buffer) { t.Encode(b, "more", int64(thread)*200*us) }
			return l.build(seed)
		}},
	{Name: "GPU saturated", Causes: []string{"gpu-saturated"}, Build: loop{engines: 1, threads: 8, rounds: 40,
		gpu: 2 * ms}.build,
		Cured: loop{engines: 8, threads: 8, rounds: 40, gpu: 2 * ms}.build},
	{Name: "GPU that begins all and is full", Causes: []string{"gpu-saturated"}, Build: loop{engines: 16, threads: 6,
		rounds: 80, gpu: 1 * ms, before: sleeps(3 * ms), costs: shared(1)}.build,
		Cured: loop{engines: 16, threads: 6, rounds: 80, gpu: 1 * ms, before: sleeps(3 * ms)}.build},
	{Name: "device-wide sync on a GPU that is shared out", Causes: []string{"device-wide-sync"},
		Build: func(seed uint64) *Sim {
			return loop{engines: 8, threads: 4, rounds: 80, gpu: 200 * us, outside: 700 * us, every: sorts, after: deviceWide(4),
				costs: shared(0.7)}.build(seed)
		}, Cured: loop{engines: 8, threads: 4, rounds: 80, gpu: 200 * us, outside: 700 * us, every: sorts,
			costs: shared(0.7)}.build},
	{Name: "GPU saturated, one shared queue", Causes: []string{"gpu-saturated"}, Build: loop{engines: 1, threads: 4,
		rounds: 40, gpu: 1 * ms, queues: 1}.build},
	{Name: "GPU busy with the work of one thread", Causes: []string{"gpu-bound"}, Build: loop{engines: 1, threads: 1,
		rounds: 60, gpu: 3 * ms}.build},
	{Name: "GPU saturated under device-wide sync", Causes: []string{"gpu-saturated"},
		Build: func(seed uint64) *Sim {
			return loop{engines: 1, threads: 8, rounds: 40, gpu: 2 * ms, after: deviceWide(8)}.build(seed)
		}},
	{Name: "GPU saturated, queues full", Causes: []string{"gpu-saturated"}, Build: loop{engines: 1, threads: 4,
		rounds: 100, gpu: 500 * us, queues: 1, capacity: 8,
		after: func(*Thread, int, int, *Buffer) {}}.build},
	{Name: "single submitter", Causes: []string{"single-submitter"}, Build: singleSubmitter},
	{Name: "queue depth", Causes: []string{"queue-depth"},
		Build: loop{engines: 16, threads: 8, rounds: 60, gpu: 1 * ms, queues: 1, capacity: 2}.build,
		Cured: loop{engines: 16, threads: 8, rounds: 60, gpu: 1 * ms}.build},
	{Name: "launch-bound, one thread", Causes: []string{"launch-bound"}, Build: loop{engines: 1, threads: 1, rounds: 300,
		gpu: 5 * us}.build},
	{Name: "launch-bound, four threads", Causes: []string{"launch-bound"}, Build: loop{engines: 4, threads: 4,
		rounds: 200, gpu: 8 * us}.build},
	{Name: "compilation in the loop", Causes: []string{"compile-bound"},
		Build: loop{engines: 4, threads: 2, rounds: 60, gpu: 500 * us,
			before: func(t *Thread, _, _ int) { t.Compile("step", 2*ms) }}.build,
		Cured: loop{engines: 4, threads: 2, rounds: 60, gpu: 500 * us}.build},
	{Name: "event chain", Causes: []string{"event-chain"}, Build: eventChain},
	{Name: "head of line", Causes: []string{"head-of-line"}, Build: headOfLine},
	{Name: "slow completion handlers", Causes: []string{"completion-handlers"},
		Build: loop{engines: 4, threads: 4, rounds: 60, gpu: 300 * us, every: func(t *Thread, _, _ int,
			b *Buffer) {
			t.Handler(b, 1*ms)
		}}.build,
		Cured: loop{engines: 4, threads: 4, rounds: 60, gpu: 300 * us, every: func(t *Thread, _, _ int,
			b *Buffer) {
			t.Handler(b, 5*us)
		}}.build},
	{Name: "the program's own work", Causes: []string{"cpu-bound"}, Build: loop{engines: 4, threads: 4, rounds: 40,
		gpu: 200 * us, outside: 3 * ms}.build},
	{Name: "a lock inside commit", Causes: []string{"lock-contention"},
		Build: loop{engines: 8, threads: 8, rounds: 60, gpu: 100 * us,
			costs: func(s *Sim) { s.Costs.Commit = 200 * us; s.CommitLock = &Lock{} }}.build,
		Cured: loop{engines: 8, threads: 8, rounds: 60, gpu: 100 * us,
			costs: func(s *Sim) { s.Costs.Commit = 200 * us }}.build},
	{Name: "a lock kept during the wait", Causes: []string{"lock-contention"}, Build: keepsLock(true),
		Cured: keepsLock(false), Vague: true},
	{Name: "memory allocated in the loop", Causes: []string{"allocation-bound"}, Build: makesMemory.build,
		Cured: loop{engines: 4, threads: 3, rounds: 80, gpu: 300 * us, outside: 100 * us}.build},
	{Name: "memory made beside the work", Causes: []string{"gpu-bound"}, Build: loop{engines: 4, threads: 3, rounds: 80,
		gpu: 1500 * us, costs: slowMemory,
		after: func(t *Thread, _, _ int, b *Buffer) {
			t.Release(t.Make(1<<24, 0, Shared))
			t.Wait(b)
		}}.build},
	{Name: "idle threads", Causes: []string{"none"}, Build: loop{engines: 4, threads: 4, rounds: 40, gpu: 200 * us,
		before: func(t *Thread, _, _ int) { t.Sleep(3 * ms) }}.build},
	{Name: "compilation 70, device-wide sync 30", Causes: []string{"compile-bound"},
		Build: func(seed uint64) *Sim {
			return loop{engines: 8, threads: 4, rounds: 50, gpu: 300 * us, outside: 100 * us, after: deviceWide(4),
				before: func(t *Thread, _, _ int) { t.Compile("step", 800*us) }}.build(seed)
		}},

	// Programs that were judged wrongly once. Each name tells what they do, each comment what was said of them.

	// Half of what it gains: some got so little to do that they were not counted, and what they would do without the waits
	// was never replayed.
	{Name: "a pool with too little to do", Causes: []string{"starvation"}, Build: pool(2 * ms), Cured: pool(0)},
	// Nothing: the threads were never seen to wait.
	{Name: "GPU saturated by threads that poll", Causes: []string{"gpu-saturated"}, Build: polls(1), Cured: polls(3)},
	{Name: "GPU saturated, three in flight", Causes: []string{"gpu-saturated"}, Build: inFlight(3, 2*ms, 100*us)},
	// cpu-bound: it computes all the time, but what it does is to ask whether the GPU has done.
	{Name: "a thread that polls", Causes: []string{"none"}, Build: loop{engines: 1, threads: 1, rounds: 100, gpu: 1 * ms,
		before: func(t *Thread, _, _ int) { t.Sleep(500 * us) },
		after:  func(t *Thread, _, _ int, b *Buffer) { poll(t, b, func() { t.Work(5 * us) }) }}.build},
	// launch-bound: that work begins late was mistaken for the cost of launching it.
	{Name: "events that a thread signals late", Causes: []string{"event-chain"}, Build: lateSignals(true),
		Cured: lateSignals(false)},
	{Name: "another program on the GPU", Causes: []string{"none"}, Build: besideAnother(loop{engines: 1, threads: 2},
		100*us, 900*us, 4*ms, 5*ms, false),
		Cured: besideAnother(loop{engines: 1, threads: 2}, 100*us, 900*us, 0, 0, false)},
	// gpu-saturated: that work is queued behind work that another program interrupted does not say that the program's own
	// is too much.
	{Name: "another program that interrupts the work of many threads", Causes: []string{"none"},
		Build: besideAnother(loop{engines: 4, threads: 8}, 500*us, 500*us, 6*ms, 8*ms, true),
		Cured: besideAnother(loop{engines: 4, threads: 8}, 500*us, 500*us, 0, 0, false)},
	// A sixth of what it costs: where the GPU has work whenever the other program comes, it is never idle meanwhile, which
	// was asked for.
	{Name: "another program that interrupts a busy GPU", Causes: []string{"none"},
		Build: besideAnother(loop{engines: 4, threads: 4}, 50*us, 100*us, 6*ms, 8*ms, true),
		Cured: besideAnother(loop{engines: 4, threads: 4}, 50*us, 100*us, 0, 0, false)},
	{Name: "another program that interrupts a full GPU", Causes: []string{"none"},
		Build: besideAnother(loop{engines: 4, threads: 8}, 20*us, 30*us, 6*ms, 8*ms, true),
		Cured: besideAnother(loop{engines: 4, threads: 8}, 20*us, 30*us, 0, 0, false)},
	// gpu-saturated: that a command buffer waits for the one before it, of the same batch, does not say that the GPU has
	// no room.
	{Name: "batches of one thread, half busy", Causes: []string{"gpu-bound"}, Build: loop{engines: 1, threads: 1,
		rounds: 60, gpu: 100 * us, outside: 700 * us,
		after: batch}.build},
	// device-wide-sync: but the first thread waits for nobody, and the others need what it makes.
	{Name: "threads that need another's work", Causes: []string{"gpu-bound"}, Build: func(seed uint64) *Sim {
		var latest *Buffer
		l := loop{engines: 8, threads: 3, rounds: 80, gpu: 200 * us}
		l.every = func(t *Thread, thread, _ int, b *Buffer) {
			if thread == 0 {
				t.Encode(b, "more", 2*ms)
			}
		}
		l.after = func(t *Thread, thread, _ int, b *Buffer) {
			if thread == 0 {
				latest = b
			} else if latest != nil {
				t.Wait(latest)
			}
			t.Wait(b)
		}
		return l.build(seed)
	}},
	// single-submitter: but the one that waits is there to take what the other makes.
	{Name: "one thread submits, one takes", Causes: []string{"none"}, Build: handOff},
	// cpu-bound: it computes, but only to see whether the lock is free.
	{Name: "a spin lock kept during the wait", Causes: []string{"lock-contention"}, Build: spins((*Thread).Spin, 2, 100)},
	// cpu-bound: nine threads wait for the GPU twelve times each, which were too few for any of them to be heard.
	{Name: "a spin lock around the program's own work", Causes: []string{"lock-contention"},
		Build: SpinsAtWork((*Thread).Spin, 6, 60)},
	{Name: "a spin lock of nine threads kept during the wait", Causes: []string{"lock-contention"},
		Build: spins((*Thread).Spin, 9, 12)},
	{Name: "a ticket lock kept during the wait", Causes: []string{"lock-contention"}, Build: spins((*Thread).Queue, 3,
		80)},
	{Name: "the same without the lock kept during the wait", Causes: []string{"gpu-bound"}, Build: spins(nil, 3, 80)},
	// queue-depth, and that the program would be 104 times as fast in a deeper queue, which handlers would empty as
	// slowly.
	{Name: "slow handlers fill the queue", Causes: []string{"completion-handlers"}, Build: loop{engines: 4, threads: 1,
		rounds: 200, gpu: 200 * us, capacity: 16,
		every: func(t *Thread, _, _ int, b *Buffer) { t.Handler(b, 2*ms) }, after: func(*Thread, int, int, *Buffer) {}}.build,
		Cured: loop{engines: 4, threads: 1, rounds: 200, gpu: 200 * us, capacity: 16,
			after: func(*Thread, int, int, *Buffer) {}}.build, Vague: true},
}

// makesMemory: threads make a buffer for each command buffer, and release it.
var makesMemory = loop{engines: 4, threads: 3, rounds: 80, gpu: 300 * us, outside: 100 * us, costs: slowMemory,
	before: func(t *Thread, _, _ int) { t.Release(t.Make(1<<24, 0, Shared)) }}

// slowMemory lets memory be made as slowly as some megabytes of it are, which are wired and cleared.
func slowMemory(s *Sim) { s.Costs.Make = 400 * us }

// pool: five threads take what one puts there, about so long after the last.
func pool(every float64) func(seed uint64) *Sim {
	return func(seed uint64) *Sim {
		s := NewSim(8, seed)
		work := &Shelf{}
		s.Thread(func(t *Thread) {
			for range 240 {
				t.Sleep(int64(2 * t.Random() * every))
				t.Put(work)
			}
			t.Close(work)
		})
		for range 5 {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				for t.Take(work) {
					b := t.CommandBuffer(q)
					t.Encode(b, "step", ms)
					t.Commit(b)
					t.Wait(b)
				}
			})
		}
		return s
	}
}

// besideAnother is a loop of threads that sleep between command buffers, on a GPU that another program has for the
// first part of each period.
func besideAnother(l loop, sleep, more, foreign, period int64, interrupts bool) func(seed uint64) *Sim {
	l.rounds, l.gpu = 80, 100*us
	l.before = func(t *Thread, _, _ int) { t.Sleep(sleep + int64(t.Random()*float64(more))) }
	return func(seed uint64) *Sim {
		s := l.build(seed)
		s.Foreign, s.ForeignPeriod, s.Interrupts = foreign, period, interrupts
		return s
	}
}

// polls: three threads ask again and again whether their work is done, on a GPU with so many engines.
func polls(engines int) func(seed uint64) *Sim {
	return loop{engines: engines, threads: 3, rounds: 60, gpu: 1 * ms,
		after: func(t *Thread, _, _ int, b *Buffer) { poll(t, b, func() { t.Sleep(50 * us) }) }}.build
}

// batch commits three more of the same and waits for the last.
func batch(t *Thread, _, _ int, b *Buffer) {
	for range 3 {
		b = t.CommandBuffer(b.queue)
		t.Encode(b, "step", 300*us)
		t.Commit(b)
	}
	t.Wait(b)
}

// handOff: one thread submits, now and then, and another waits for each of its command buffers.
func handOff(seed uint64) *Sim {
	s := NewSim(4, seed)
	q := s.NewQueue("", 0)
	var made []*Buffer
	done := false
	s.Thread(func(t *Thread) {
		for range 100 {
			t.Sleep(500 * us)
			b := t.CommandBuffer(q)
			t.Encode(b, "step", 400*us)
			t.Commit(b)
			made = append(made, b)
		}
		done = true
	})
	s.Thread(func(t *Thread) {
		for taken := 0; !done || taken < len(made); {
			if taken == len(made) {
				t.Sleep(20 * us)
				continue
			}
			t.Wait(made[taken])
			taken++
		}
	})
	return s
}

// poll asks again and again whether the command buffer has completed.
func poll(t *Thread, b *Buffer, between func()) {
	for !t.Done(b) {
		between()
	}
}

// inFlight: one thread keeps several command buffers in flight, and sleeps until the oldest is done without a call of
// Metal.
func inFlight(most int, gpu, outside int64) func(seed uint64) *Sim {
	return func(seed uint64) *Sim {
		s := NewSim(1, seed)
		q := s.NewQueue("", 0)
		s.Thread(func(t *Thread) {
			var flying []*Buffer
			for range 100 {
				if len(flying) == most {
					poll(t, flying[0], func() { t.Sleep(20 * us) })
					flying = flying[1:]
				}
				t.Work(outside)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", gpu)
				t.Commit(b)
				flying = append(flying, b)
			}
		})
		return s
	}
}

// lateSignals: the work of two threads waits on the GPU for a value that a third gives every two milliseconds, if it
// does.
func lateSignals(wait bool) func(seed uint64) *Sim {
	return func(seed uint64) *Sim {
		s := NewSim(4, seed)
		event := s.NewEvent()
		value, working := uint64(0), 2
		s.Thread(func(t *Thread) {
			for working > 0 {
				t.Sleep(2 * ms)
				value++
				t.SetEvent(event, value)
			}
		})
		for range 2 {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				for range 80 {
					b := t.CommandBuffer(q)
					if wait {
						t.WaitEvent(b, event, value+1)
					}
					t.Encode(b, "step", 200*us)
					t.Commit(b)
					t.Wait(b)
				}
				working--
			})
		}
		return s
	}
}

// A Taking is how threads take a lock for which they do not sleep; nil is that they take none.
type Taking func(*Thread, *Lock)

// spins: threads take turns by a lock for which they do not sleep.
func spins(take Taking, threads, rounds int) func(seed uint64) *Sim {
	return func(seed uint64) *Sim {
		s := NewSim(8, seed)
		lock := &Lock{}
		for range threads {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				for range rounds {
					if take != nil {
						take(t, lock)
					}
					b := t.CommandBuffer(q)
					t.Encode(b, "step", ms)
					t.Commit(b)
					t.Wait(b)
					t.Unlock(lock)
					t.Sleep(50 * us)
				}
			})
		}
		return s
	}
}

// SpinsAtWork: threads do their own work one at a time, by a lock for which they do not sleep, and use the GPU beside
// each other.
func SpinsAtWork(take Taking, threads, rounds int) func(seed uint64) *Sim {
	return func(seed uint64) *Sim {
		s := NewSim(8, seed)
		lock := &Lock{}
		for range threads {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				for range rounds {
					if take != nil {
						take(t, lock)
					}
					t.Work(300 * us)
					t.Unlock(lock)
					b := t.CommandBuffer(q)
					t.Encode(b, "step", 200*us)
					t.Commit(b)
					t.Wait(b)
				}
			})
		}
		return s
	}
}

// keepsLock: threads take a lock of the program's own before they submit, and release it when the GPU has done.
func keepsLock(keep bool) func(seed uint64) *Sim {
	return func(seed uint64) *Sim {
		s := NewSim(8, seed)
		lock := &Lock{}
		for range 4 {
			q := s.NewQueue("", 0)
			s.Thread(func(t *Thread) {
				for range 80 {
					if keep {
						t.Lock(lock)
					}
					b := t.CommandBuffer(q)
					t.Encode(b, "step", 400*us)
					t.Commit(b)
					t.Wait(b)
					if keep {
						t.Unlock(lock)
					}
					t.Sleep(100 * us)
				}
			})
		}
		return s
	}
}

// singleSubmitter: workers hand their work to one thread, which commits it, and wait for it.
func singleSubmitter(seed uint64) *Sim {
	s := NewSim(8, seed)
	q := s.NewQueue("work", 0)
	type request struct {
		from   *Thread
		buffer *Buffer
	}
	var pending []*request
	var submitter *Thread
	idle, working := false, 4
	s.Thread(func(t *Thread) {
		submitter = t
		for working > 0 || len(pending) > 0 {
			if len(pending) == 0 {
				idle = true
				t.block()
				idle = false
				continue
			}
			r := pending[0]
			pending = pending[1:]
			b := t.CommandBuffer(q)
			t.Encode(b, "step", 300*us)
			t.Work(200 * us)
			t.Commit(b)
			r.buffer = b
			r.from.wake(1000)
		}
	})
	for range 4 {
		s.Thread(func(t *Thread) {
			for range 50 {
				r := &request{from: t}
				pending = append(pending, r)
				if idle {
					idle = false
					submitter.wake(1000)
				}
				t.block()
				t.Wait(r.buffer)
			}
			if working--; working == 0 && idle {
				idle = false
				submitter.wake(1000)
			}
		})
	}
	return s
}

// eventChain: each thread's work waits on the GPU for the work of the thread before it.
func eventChain(seed uint64) *Sim {
	s := NewSim(8, seed)
	event := s.NewEvent()
	next := uint64(0)
	for range 4 {
		q := s.NewQueue("", 0)
		s.Thread(func(t *Thread) {
			for range 60 {
				b := t.CommandBuffer(q)
				next++
				mine := next
				if mine > 1 {
					t.WaitEvent(b, event, mine-1)
				}
				t.Encode(b, "step", 300*us)
				t.SignalEvent(b, event, mine)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	return s
}

// headOfLine: one thread enqueues early and commits late, the others commit behind it in the same queue.
func headOfLine(seed uint64) *Sim {
	s := NewSim(8, seed)
	q := s.NewQueue("shared", 0)
	for i := range 4 {
		s.Thread(func(t *Thread) {
			for range 60 {
				b := t.CommandBuffer(q)
				if i == 0 {
					t.Enqueue(b)
					t.Work(2 * ms)
				}
				t.Encode(b, "step", 200*us)
				t.Commit(b)
				t.Wait(b)
			}
		})
	}
	return s
}
