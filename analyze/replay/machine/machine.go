// Package machine runs a program in virtual time: its event loop, processors, GPUs and locks. It does not know which
// change was applied to the program.
package machine

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// A machine runs a program in virtual time. Each thread takes its steps in order, queues keep their order, and GPU
// work takes the program's time. Waits end with the machine's events, not at recorded times. Running threads share
// the processors, so with few processors, removing a wait gains less than its length.
type machine struct {
	program    *program.Program
	now        analyze.Nanos
	seq        int
	events     agenda
	processors processors
	gpus       bank  // by device: the running jobs, if concurrent jobs slow each other down
	running    []int // by device: number of command buffers that run
	threads    []threadState
	jobs       []jobState
	queues     []queueState
	links      links
	signaled   []bool // by event value: whether it was signaled
	progress   []program.Progress
	// when the first pacing thread, or the last stage of a pipeline, ended; 0 before that. The run then ends soon
	horizon analyze.Nanos
	stages  map[int32]int // by pipeline: pacing stages that have not ended
	open    int           // number of threads for which the run must continue: their `closed` is false
	delays  Delays
	// share of a burst's work that is saved while all processors are busy, because no sleeping processor must be
	// woken
	interrupting float64
}

// A Result is the outcome of a run.
type Result struct {
	Progress []program.Progress // by thread
	Delays   Delays
	Blocked  analyze.Nanos // how long threads waited for locks and signals of others
	steps    []threadState // by thread
	jobs     []jobState
}

// Steps returns how many steps the thread had completed when the run ended.
func (r *Result) Steps(thread int) int { return r.steps[thread].next }

// End returns when the GPU completed the job, which is a command buffer of the replayed program; `done` is false if
// the run ended before.
func (r *Result) End(job int) (at analyze.Nanos, done bool) { return r.jobs[job].end, r.jobs[job].done }

// Delayed returns how long the work of the job (a command buffer) waited for a processor; 0 unless processors run the
// GPU's work.
func (r *Result) Delayed(job int) analyze.Nanos { return r.jobs[job].delayed }

// Done returns how many command buffers the GPU completed, without fences (empty ones that exist to be waited for).
func (r *Result) Done() (n int) {
	for i := range r.Progress {
		n += len(r.Progress[i].Done)
	}
	return n
}

// Delays is the time that bursts of CPU work (stretches in which a thread needs a processor) waited for a processor,
// by the kind of burst.
type Delays struct {
	Before, After Delay           // delays of Metal's own bursts before and after the GPU's work
	GPU           analyze.Nanos   // delay of the GPU's work, if processors run it; otherwise 0
	Threads       []analyze.Nanos // by thread: delay of the thread's own bursts
}

// A Delay is the total time that bursts of CPU work of one kind waited for a processor, and the number of these
// bursts.
type Delay struct {
	Sum   analyze.Nanos
	Count int
}

// Mean returns the mean time that a burst of CPU work waited for a processor.
func (d Delay) Mean() analyze.Nanos { return d.Sum / analyze.Nanos(max(1, d.Count)) }

type threadState struct {
	steps    []program.Step
	busy     float64 // program.Thread.Busy
	next     int     // index of the thread's current or next step
	inFlight int     // number of the thread's command buffers in flight
	set      int32   // how often the thread has set shared events
	// Paced steps only: when the source of the thread's input last delivered; 0 before the first delivery
	delivered analyze.Nanos
	// The replay need not continue for this thread: it has ended, or one of its command buffers has ended after
	// machine.horizon (the first end of a pacing thread or pipeline).
	closed bool
	// jobs have linked lists of waiting threads: the number of the next thread that waits for the same job, plus one;
	// 0 is none
	behind int32
}

// jobState is the state of a job, which is a command buffer of the replayed program.
type jobState struct {
	ready, done, seen bool // submitted to the GPU; ended on the GPU; Metal has noticed the end
	behind            bool // the job was queued behind other work when it was committed
	// number of parts of Metal's own processor work during the job that have not ended; see watch
	watching int32
	// for a job that waits for a clock (a thread that sets an event at regular times): how often the clock had set the
	// event when the job was created
	created      int32
	waiter, last int32         // numbers of the first and the last thread that wait for the job, plus one; 0 is none
	eligible     analyze.Nanos // when the job became ready
	end          analyze.Nanos // when the job ended on the GPU
	late         analyze.Nanos // how long the notification of the job's end waited for a processor
	delayed      analyze.Nanos // how long the job's GPU work waited for processors; 0 unless processors run GPU work
}

type queueState struct {
	used    int  // slots in use: command buffers that were created and have not completed
	running int  // jobs that run on the GPU
	order   fifo // jobs that have not begun, in the order in which they must begin
	waiting fifo // threads that wait for a slot to create a command buffer
	awake   int  // bursts of Metal's own CPU work for the queue that have not ended; above 0, no thread must be woken
}

// An event happens at a time and changes the state of a thread, job or lock. It must not have more than four words: the
// machine copies events all the time, and more words do not fit in registers.
type event struct {
	at   analyze.Nanos
	work analyze.Nanos // processor work to be done before the event
	seq  int
	what action
}

// An action packs an event's kind and the number of the thread, job or lock that the event is about into one word.
type action uint64

func actionOf(kind eventKind, id int32) action { return action(kind)<<32 | action(uint32(id)) }

func (a action) kind() eventKind { return eventKind(a >> 32) }

func (a action) id() int32 { return int32(uint32(a)) }

type eventKind uint8

const (
	stepBegins   eventKind = iota // the thread begins its next step
	stepEnds                      // the thread's step ends
	committed                     // the thread's commit ends
	jobReady                      // Metal has submitted a job (a command buffer) to the GPU
	jobEnds                       // the GPU has completed a job
	endSeen                       // Metal has noticed the end of the job
	jobCompletes                  // the job's completion handlers have returned, and its slot in the queue is free
	lockReleased
	watched // Metal is ready to notice a job's end
)

// Run runs a program until the first pacing thread (one that commits a fair share of the command buffers) or pipeline
// has ended. It continues until each other thread has ended or has completed one more command buffer, so that the
// progress of all threads can be compared. It returns false if the threads deadlock.
func Run(p *program.Program) (*Result, bool) { return RunIn(&Memory{}, p) }

// Memory is the memory of a run. A run in the memory of an earlier one overwrites the earlier Result, and hardly
// allocates.
type Memory struct {
	machine machine
	times   []analyze.Nanos // of the threads' progress
}

// zeroed returns a list of n zero values, in the memory of `list` if that suffices.
func zeroed[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// RunIn does the same as Run, in the given memory.
func RunIn(memory *Memory, p *program.Program) (*Result, bool) {
	m := &memory.machine
	*m = machine{
		program: p, processors: newProcessors(p.Processors.Count, p.Processors.Scattered),
		events:  agenda{rest: m.events.rest[:0]},
		threads: zeroed(m.threads, len(p.Threads)), jobs: zeroed(m.jobs, len(p.Jobs)),
		queues: make([]queueState, len(p.Queues)), signaled: make([]bool, p.Events),
		running: make([]int, len(p.Devices)), gpus: newBank(len(p.Devices)),
		progress: zeroed(m.progress, len(p.Threads)), open: len(p.Threads),
		delays:       Delays{Threads: make([]analyze.Nanos, len(p.Threads))},
		interrupting: p.Processors.Waking * p.Processors.Interrupting,
	}
	m.links = newLinks(m, p)
	for i, d := range p.Devices {
		if !p.Processors.RunGPU {
			m.gpus.each[i].slope = d.Crowding
		}
	}
	commits := 0
	for i := range p.Threads {
		commits += len(p.Threads[i].Jobs)
	}
	memory.times = zeroed(memory.times, 2*commits)
	rest := memory.times
	for i := range p.Threads {
		th := &p.Threads[i]
		m.threads[i].steps, m.threads[i].busy = th.Steps, th.Busy
		times := rest[: 2*len(th.Jobs) : 2*len(th.Jobs)]
		rest = rest[2*len(th.Jobs):]
		m.progress[i] = program.Progress{Begun: th.Begin, Commits: times[:0:len(th.Jobs)],
			Done: times[len(th.Jobs):len(th.Jobs)]}
		m.resume(int32(i), th.Begin)
	}
	m.stages = map[int32]int{}
	for i := range p.Threads {
		if th := &p.Threads[i]; th.Paces {
			m.stages[th.Line]++
		}
	}
	ends := m.run()
	return &Result{m.progress, m.delays, m.links.blocked, m.threads, m.jobs}, ends
}

// run handles events in order of time from three sources: the agenda, the ends of bursts on processors, and the ends
// of work on GPUs. It returns false if no event is left although threads have not ended, which is a deadlock.
func (m *machine) run() bool {
	for m.open > 0 {
		scheduled := never
		if !m.events.empty() {
			scheduled = m.events.first().at
		}
		ends := m.processors.next
		switch {
		case m.gpus.next < ends && m.gpus.next < scheduled:
			m.now = m.gpus.next
			m.jobEnded(m.gpus.end().what.id())
		case scheduled < ends:
			e := m.events.pop()
			m.now = e.at
			if e.work > 0 && !m.processors.none() {
				m.beginBurst(e)
			} else {
				m.handle(e.what)
			}
		case ends == never:
			return false
		default:
			m.now = ends
			burst := m.processors.end()
			m.burstEnded(burst)
			m.handle(burst.what)
		}
	}
	return true
}

func (m *machine) handle(a action) {
	id := a.id()
	switch a.kind() {
	case stepBegins:
		m.step(id)
	case stepEnds:
		m.advance(id)
	case committed:
		m.commit(id)
	case jobReady:
		m.jobs[id].ready, m.jobs[id].eligible = true, m.now
		m.startJobs(m.program.Queues[m.program.Jobs[id].Queue].Device)
	case jobEnds:
		m.jobEnded(id)
	case watched:
		m.watched(id)
	case endSeen:
		m.endSeen(id)
	case jobCompletes:
		m.completed(id)
	case lockReleased:
		m.links.released(id)
	}
}

// at schedules an event at time `t`. If work is not 0, the event comes after that much processor work, which begins
// at t.
func (m *machine) at(t, work analyze.Nanos, kind eventKind, id int32) {
	m.seq++
	m.events.push(event{t, work, m.seq, actionOf(kind, id)})
}

// spend schedules an event at time from+d. The last part of d, the share `busy`, is work that needs a processor, so
// the event comes late if all processors are busy.
func (m *machine) spend(from, d analyze.Nanos, busy float64, kind eventKind, id int32) {
	d = max(0, d)
	work := analyze.Nanos(0)
	if !m.processors.none() {
		work = analyze.Nanos(busy * float64(d))
	}
	m.at(from+d-work, work, kind, id)
}

// beginBurst begins the processor work of an event. The work includes the cost of waking a thread. That cost is saved
// if Metal's thread for the queue still runs. If all processors are busy, no processor must be woken, and a part of the
// cost is saved.
func (m *machine) beginBurst(e event) {
	saved, kind := 0.0, e.what.kind()
	if m.interrupting > 0 && kind != jobEnds && m.processors.crowded() {
		saved = m.interrupting
	}
	switch kind {
	case jobReady, watched, endSeen:
		q := &m.queues[m.program.Jobs[e.what.id()].Queue]
		if q.awake > 0 {
			saved = m.program.Processors.Waking
		}
		q.awake++
	}
	if saved > 0 {
		e.work -= program.Scaled(e.work, saved)
	}
	m.processors.begin(m.now, e.work, e.seq, e.what)
}

// burstEnded adds the time that a burst of CPU work waited for its processor to the delays of its kind. If the burst
// was Metal's own work for a queue, it also decreases the queue's number of unfinished bursts (awake).
func (m *machine) burstEnded(burst task) {
	d := max(0, m.now-burst.due)
	id := burst.what.id()
	switch burst.what.kind() {
	case stepBegins, stepEnds, committed:
		m.delays.Threads[id] += d
	case jobReady:
		m.queues[m.program.Jobs[id].Queue].awake--
		m.delays.Before.Sum += d
		m.delays.Before.Count++
	case jobEnds:
		m.delays.GPU += d
		m.jobs[id].delayed = d
	case watched:
		m.queues[m.program.Jobs[id].Queue].awake--
	case endSeen: // Count is set elsewhere to the number of jobs, because not every job has such a burst
		m.queues[m.program.Jobs[id].Queue].awake--
		m.delays.After.Sum += d
		m.jobs[id].late += d
	}
}
