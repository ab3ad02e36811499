package serial

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mtrace/analyze/policy"
)

// removals are the changes that take each cause away.
var removals = map[string]change{
	DeviceWideSync:     {foreign: true},
	GPUSaturated:       {gpu: true},
	QueueDepth:         {depth: true},
	CompileBound:       {compile: true},
	EventChain:         {events: true},
	HeadOfLine:         {head: true},
	CompletionHandlers: {handlers: true},
	LaunchBound:        {launch: true},
	LockContention:     {locks: true},
	InterpreterLock:    {locks: true},
	CPUBound:           {cores: true},
	SingleSubmitter:    {apart: true},
	Starvation:         {fed: true},
}

// whatIf predicts what removing each cause that was found would bring, or says why it does not.
func (a *Analysis) whatIf(f *facts, opts Options) {
	r := a.replayable(f, opts)
	p, base, readings, why := r.program, r.base, r.readings, r.why
	var replayed []change
	var causes []string
	for i := range a.Verdict.Causes {
		c := &a.Verdict.Causes[i]
		if c.Speedup != nil { // it says so itself
			continue
		}
		if c.Unpredicted = why; why != "" {
			continue
		}
		if c.Cause == GPUBound {
			c.tellKernels(a.Gains())
		}
		removal, unknown := c.removal(p)
		if f.share(c.Lost) < policy.Negligible.Value {
			unknown = "it costs too little"
		}
		if c.Unpredicted = unknown; unknown != "" {
			continue
		}
		if c.Speedup, c.Unpredicted = p.speedup(readings, base, removal, a.ReplayError); c.Speedup == nil {
			continue
		}
		if c.Cause == GPUSaturated && c.Speedup.Estimate < policy.WorthPredicting.Value {
			c.Speedup, c.Unpredicted = nil, "one stream of work gains nothing by a GPU that runs more at once, but by a faster one"
			continue
		}
		replayed, causes = append(replayed, removal), append(causes, c.Cause)
	}
	if len(replayed) >= 2 {
		if s, _ := p.speedup(readings, base, replayed[0].both(replayed[1]), a.ReplayError); s != nil {
			a.Verdict.Together = &Together{[2]string{causes[0], causes[1]}, *s}
		}
	}
}

// believable is the program if its replay is as fast as it ran, and how fast that is; otherwise why not.
func (a *Analysis) believable(f *facts) (p *program, base float64, why string) {
	if p = a.program(f); p == nil {
		return nil, 0, "there are too few command buffers with GPU times"
	}
	if p, base = p.believed(); base == 0 {
		return nil, 0, "a replay of what was recorded does not come to an end"
	}
	if a.ReplayError = p.rate(p.recorded)/base - 1; math.Abs(a.ReplayError) > policy.Faith.Value {
		return p, 0, fmt.Sprintf("a replay of what was recorded is off by %s", percent(math.Abs(a.ReplayError)))
	}
	return p, base, ""
}

// believed is the program read in the way that replays as it ran, and how fast that is: 0 when none ends. Threads may hand locks
// to each other in another order than the replay's, and may have waited for the newest work only because there was no other.
func (p *program) believed() (best *program, base float64) {
	least := math.Inf(1)
	for _, fixed := range []bool{false, true} {
		for _, rule := range []newest{p.newest, {}} {
			q := p.clone()
			q.fixed, q.newest = fixed, rule
			q.calm()
			rate, ends := q.run(change{})
			if !ends || rate == 0 {
				continue
			}
			if off := math.Abs(q.rate(q.recorded)/rate - 1); off < least {
				best, base, least = q, rate, off
			}
			if least <= policy.Alike.Value {
				return best, base
			}
		}
	}
	return best, base
}

// clone is a copy whose durations may be changed.
func (p *program) clone() *program {
	q := *p
	q.jobs, q.threads = slices.Clone(p.jobs), slices.Clone(p.threads)
	for t := range q.threads {
		q.threads[t].ops = slices.Clone(q.threads[t].ops)
	}
	return &q
}

// removal is the change that takes the cause away; otherwise why a recording cannot tell what that would bring.
func (f *Finding) removal(p *program) (c change, unknown string) {
	c, known := removals[f.Cause]
	switch {
	case f.Cause == GPUBound:
		return c, "a run without work on the GPU is another program; what would help says what faster kernels bring"
	case f.Cause == Imbalance:
		return c, "it is not seen what would be shared out"
	case !known:
		return c, "what the program would do without it is not in the trace"
	case f.turns && f.unseen > 0:
		return c, "threads run while they wait for their turn, and what of that is work of their own is not in the trace"
	case f.turns:
		return change{turns: true}, ""
	case f.behind:
		return change{lines: true}, ""
	case policy.MoreThan(policy.Most, f.unseen, f.explains) && len(p.paced) == 0:
		return c, "threads have work in flight and wait for it in no call that the trace shows, nor does it show in when they go on"
	case f.Cause == SingleSubmitter && p.submitter.pieces == 0:
		return c, "what each thread has submitted for it is not in the trace"
	case f.Cause == SingleSubmitter && p.submitter.batch:
		return c, "the thread that submits answers several others together, and when each would have had its own answer is not in the trace"
	}
	return c, ""
}

// both is a change that does what either does.
func (c change) both(d change) change {
	return change{c.foreign || d.foreign, c.depth || d.depth, c.compile || d.compile, c.events || d.events, c.head || d.head, c.handlers || d.handlers,
		c.launch || d.launch, c.turns || d.turns, c.locks || d.locks, c.gpu || d.gpu, c.apart || d.apart, c.cores || d.cores, c.room || d.room, c.lines || d.lines, c.fed || d.fed, cmp.Or(c.scale, d.scale)}
}
