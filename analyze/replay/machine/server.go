package machine

import "mtrace/analyze"

// A server works on several tasks at the same time; more tasks make each of them slower. It models a processor,
// shared evenly, or a GPU that begins all ready work at once. A task's rank is the value of `served` at which the
// task ends, so further tasks do not change the order in which tasks end.
type server struct {
	// how much longer a task takes per concurrent task, as a share of its time alone; 1 means that tasks share evenly
	slope   float64
	served  float64       // ns that a task would have progressed if it had been present from the start
	at      analyze.Nanos // the instant to which served applies
	next    analyze.Nanos // when the first task ends if no other task begins; `never` if nothing runs
	running taskHeap
}

// never is a time after the end of every run.
const never analyze.Nanos = 1 << 62

// stretch returns by what factor each of n concurrent tasks takes longer than alone.
func (s *server) stretch(n int) float64 { return 1 + s.slope*float64(n-1) }

// pass adds the progress that the server's tasks have made since the last call. It must be called before the number of
// tasks changes; otherwise the time before the change counts at the new speed. The frequent case of one task needs no
// division.
func (s *server) pass(now analyze.Nanos) {
	switch n := len(s.running); {
	case n == 1:
		s.served += float64(now - s.at)
	case n > 1:
		s.served += float64(now-s.at) / s.stretch(n)
	}
	s.at = now
}

// begin begins a task, which takes the time `alone` if the server has no other task meanwhile. `seq` orders tasks
// that end at the same time.
func (s *server) begin(now, alone analyze.Nanos, seq int, what action) {
	s.pass(now)
	s.running.push(task{s.served + float64(alone), now + alone, seq, what})
	s.findNext()
}

// end removes and returns the task that ends first, at the time `now`.
func (s *server) end(now analyze.Nanos) task {
	s.pass(now)
	ended := s.running.pop()
	s.findNext()
	return ended
}

func (s *server) findNext() {
	n := len(s.running)
	if n == 0 {
		s.next = never
		return
	}
	left := s.running[0].rank - s.served
	if left < 0 {
		left = 0
	}
	if n > 1 {
		left *= s.stretch(n)
	}
	s.next = s.at + analyze.Nanos(left+0.5)
}

// A bank is a set of servers that work in parallel, for example all processors of the machine.
//
// The servers' ends and loads are kept in separate lists, because each event of a replay searches them. A list of
// numbers takes an eighth of the cache lines that the list of servers takes.
type bank struct {
	each  []server
	ends  []analyze.Nanos // by server: when its first task ends (server.next)
	loads []int32         // by server: number of tasks that run
	first int             // the server whose next task ends first
	next  analyze.Nanos   // when that task ends; `never` if nothing runs
}

func newBank(n int) bank {
	b := bank{each: make([]server, n), ends: make([]analyze.Nanos, n), loads: make([]int32, n), next: never}
	for i := range b.each {
		b.each[i].next, b.ends[i] = never, never
	}
	return b
}

func (b *bank) begin(k int, now, alone analyze.Nanos, seq int, what action) {
	b.each[k].begin(now, alone, seq, what)
	b.loads[k]++
	b.changed(k)
}

// end removes and returns the task that ends first on any of the servers.
func (b *bank) end() task {
	k := b.first
	ended := b.each[k].end(b.next)
	b.loads[k]--
	b.changed(k)
	return ended
}

// changed updates first and next after the tasks of server k changed. Of several servers whose tasks end at the same
// time, the one with the lowest number is first. Only if the first server's end moved back must all be searched.
func (b *bank) changed(k int) {
	end := b.each[k].next
	b.ends[k] = end
	switch {
	case end < b.next || end == b.next && k <= b.first:
		b.first, b.next = k, end
	case k == b.first:
		b.find()
	}
}

func (b *bank) find() {
	first, next := 0, never
	for i, at := range b.ends {
		if at < next {
			first, next = i, at
		}
	}
	b.first, b.next = first, next
}

// processors models the machine's processors. Bursts on one processor share it evenly: processor sharing (L.
// Kleinrock, Time-shared Systems: A Theoretical Treatment, 1967), which delays a burst about as much as a fair
// scheduler's time slices. A burst goes to the processor with the fewest bursts, or to a random one, because
// schedulers keep a thread near its memory or its waker.
type processors struct {
	scattered float64 // share of the bursts that go to a random processor
	drawn     uint64
	bank
}

func newProcessors(count int, scattered float64) processors {
	p := processors{scattered: scattered, bank: newBank(count)}
	for i := range p.each {
		p.each[i].slope = 1
	}
	return p
}

// none reports whether processors are not modelled, because their use is not recorded. Then no burst waits.
func (p *processors) none() bool { return len(p.each) == 0 }

// begin starts a burst of CPU work on a processor that it chooses.
func (p *processors) begin(now, work analyze.Nanos, seq int, what action) {
	// A jump for random bursts would be mispredicted half of the time and cost more than choosing both processors.
	k := p.leastBusy()
	if p.scattered > 0 {
		first := nextState(p.drawn)
		second := nextState(first)
		random := int(drawnAt(second) * float64(len(p.each)))
		p.drawn = first
		if drawnAt(first) < p.scattered {
			k, p.drawn = random, second
		}
	}
	p.bank.begin(k, now, work, seq, what)
}

// leastBusy returns the first of the processors with the fewest bursts.
func (p *processors) leastBusy() (k int) {
	fewest := p.loads[0]
	for i := 1; i < len(p.loads) && fewest > 0; i++ {
		if n := p.loads[i]; n < fewest {
			k, fewest = i, n
		}
	}
	return k
}

// crowded reports whether every processor has at least two bursts of CPU work, so that bursts wait everywhere.
func (p *processors) crowded() bool {
	for _, n := range p.loads {
		if n < 2 {
			return false
		}
	}
	return true
}

// nextState returns the state of the random generator after a state.
func nextState(z uint64) uint64 { return z + 0x9e3779b97f4a7c15 }

// drawnAt returns the pseudo-random number, from 0 to 1, of a state of the generator. Each run gets the same sequence,
// so results can be repeated: splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func drawnAt(z uint64) float64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return float64((z^(z>>31))>>11) / (1 << 53)
}
