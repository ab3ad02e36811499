package machine

import "mtrace/analyze"

// A server works on several tasks at the same time; each is the slower, the more there are. It models a processor,
// which is shared evenly, or a GPU that begins everything that is ready. The rank of a task is the value of served at
// which it ends.
type server[T any] struct {
	// how much longer a task takes per concurrent task, as a share of its time alone; 1 is even sharing
	slope   float64
	served  float64       // ns of undivided service that a task present from the start would have received
	at      analyze.Nanos // the instant to which served applies
	next    analyze.Nanos // when the first task ends if no other begins; never if nothing runs
	running binaryHeap[T]
}

// never is an instant that no run reaches.
const never analyze.Nanos = 1 << 62

// stretch returns by what factor tasks take longer than alone if there are n.
func (s *server[T]) stretch(n int) float64 { return 1 + s.slope*float64(n-1) }

func (s *server[T]) pass(now analyze.Nanos) {
	if n := len(s.running); n > 0 {
		s.served += float64(now-s.at) / s.stretch(n)
	}
	s.at = now
}

// begin begins a task that takes the given time alone. The number orders tasks that end at the same time.
func (s *server[T]) begin(now, alone analyze.Nanos, number int, of T) {
	s.pass(now)
	s.running.push(ranked[T]{s.served + float64(alone), number, of})
	s.findNext()
}

// end removes the first task.
func (s *server[T]) end(now analyze.Nanos) T {
	s.pass(now)
	of := s.running.pop()
	s.findNext()
	return of
}

func (s *server[T]) findNext() {
	n := len(s.running)
	if n == 0 {
		s.next = never
		return
	}
	s.next = s.at + analyze.Nanos(max(0, s.running[0].rank-s.served)*s.stretch(n)+0.5)
}

// A bank is a set of servers that work in parallel.
type bank[T any] struct {
	each  []server[T]
	first int           // the server whose next task ends first
	next  analyze.Nanos // when that is; never if nothing runs
}

func newBank[T any](n int) bank[T] {
	b := bank[T]{each: make([]server[T], n), next: never}
	for i := range b.each {
		b.each[i].next = never
	}
	return b
}

func (b *bank[T]) begin(k int, now, alone analyze.Nanos, number int, of T) {
	b.each[k].begin(now, alone, number, of)
	b.find()
}

// end removes the task that ends next.
func (b *bank[T]) end() T {
	of := b.each[b.first].end(b.next)
	b.find()
	return of
}

func (b *bank[T]) find() {
	b.first, b.next = 0, never
	for i := range b.each {
		if b.each[i].next < b.next {
			b.first, b.next = i, b.each[i].next
		}
	}
}

// processors are the machine's processors. The bursts on one share it evenly: processor sharing (L. Kleinrock,
// Time-shared Systems: A Theoretical Treatment, 1967). A fair scheduler comes close to that, and it delays a burst as
// much as time slices would. A burst goes to the processor with the fewest bursts or, because schedulers keep a thread
// near its memory or its waker, to a random one.
type processors struct {
	scattered float64 // share of the bursts that go to a random one
	drawn     uint64
	bank[burst]
}

// A burst is work on a processor, and the event that follows it.
type burst struct {
	began analyze.Nanos
	work  analyze.Nanos
	then  event
}

func newProcessors(count int, scattered float64) processors {
	p := processors{scattered: scattered, bank: newBank[burst](count)}
	for i := range p.each {
		p.each[i].slope = 1
	}
	return p
}

// none reports that nothing waits for a processor, because their use is not known.
func (p *processors) none() bool { return len(p.each) == 0 }

func (p *processors) begin(now, work analyze.Nanos, then event) {
	k := 0
	if p.draw() < p.scattered {
		k = int(p.draw() * float64(len(p.each)))
	} else {
		for i := range p.each {
			if len(p.each[i].running) < len(p.each[k].running) {
				k = i
			}
		}
	}
	p.bank.begin(k, now, work, then.seq, burst{now, work, then})
}

// crowded reports whether bursts wait at every processor.
func (p *processors) crowded() bool {
	for i := range p.each {
		if len(p.each[i].running) < 2 {
			return false
		}
	}
	return true
}

// draw returns numbers from 0 to 1, the same sequence in every run: splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func (p *processors) draw() float64 {
	p.drawn += 0x9e3779b97f4a7c15
	z := p.drawn
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return float64((z^(z>>31))>>11) / (1 << 53)
}
