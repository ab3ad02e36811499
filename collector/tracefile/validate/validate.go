// Package validate checks what must hold in every trace, independently of how it was recorded and of what reads it.
// Tests that make a trace end with it.
package validate

import (
	"fmt"
	"maps"
	"slices"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// maxProblems is how many problems are listed.
const maxProblems = 100

// clockTolerance is how far GPU times may lie on the wrong side of the calls they belong to, in nanoseconds: the error
// of converting the raw clock, and of the GPU's clock.
const clockTolerance = 50_000

// Trace reads a trace whole and returns what is wrong with it, one line each; nothing when it is as it must be. The
// error says that it could not be read.
//
// For every process: the trace of it has an end, and holds every record that was published. For every ring: it begins
// with a thread's start; More records follow the calls that have them; calls are known, of classes that are known, end
// after they begin, and lie behind or around the calls recorded before them on the thread. For every object: it was
// made before it is used, as what it is used as (not checked where records were lost). For every command buffer: the
// GPU's times are in order, after its commit and before its completion was handled; of encoders and waits what is
// measured of them is possible, and locks are no objects of Metal's. What the process counted agrees with what it
// recorded. For every stack that is referred to: it is there, unless facts were lost, and so are the texts of its
// frames of Python.
func Trace(r *tracefile.Reader) (problems []string, err error) {
	c := &checker{trace: r}
	if cut, why := r.Truncated(); cut {
		c.say("%s", why)
	}
	for i, p := range r.Processes() {
		if err := c.process(tracefile.ProcessIndex(i), p); err != nil {
			return c.problems, err
		}
	}
	for _, d := range r.Damage() {
		c.where = ""
		c.say("%s", r.Text(d))
	}
	return c.problems, nil
}

// A checker goes through a trace, process by process and ring by ring.
type checker struct {
	trace     *tracefile.Reader
	problems  []string
	where     string // what the problems are of
	current   *tracefile.Process
	objects   map[wire.ObjectID]creation
	commits   map[wire.ObjectID]wire.Ticks // begin of a command buffer's first commit
	counts    counts
	lossy     bool // records that would make it whole were lost, or left out by request
	factsLost bool // so a text or a stack may be missing
}

// A creation is the call that made an object.
type creation struct {
	kind wire.Kind
	end  wire.Ticks
}

func (c *checker) say(format string, args ...any) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, c.where+fmt.Sprintf(format, args...))
	} else if len(c.problems) == maxProblems {
		c.problems = append(c.problems, "and more")
	}
}

func (c *checker) process(index tracefile.ProcessIndex, p *tracefile.Process) error {
	c.current, c.objects, c.commits = p, map[wire.ObjectID]creation{}, map[wire.ObjectID]wire.Ticks{}
	c.counts = counts{canary: map[wire.Call]int{}, locks: map[wire.ObjectID]uint64{}, released: map[wire.ObjectID]bool{}}
	c.where = fmt.Sprintf("process %d (%s): ", p.PID, p.Program)
	if p.End == nil {
		c.say("its trace has no end")
	} else if p.End.Note != "" {
		c.say("%s", p.End.Note)
	}
	c.lossy = p.End == nil || p.End.Lost() > 0 || p.End.Unnumbered > 0 ||
		len(c.trace.Recorded())+len(c.trace.Info().Selected) > 0
	c.factsLost = p.End == nil || slices.ContainsFunc(p.End.Rings,
		func(r tracefile.RingEnd) bool { return r.FactsDropped > 0 })
	c.stacks()
	if p.Clock == wire.ClockTSC && len(p.Samples) < 2 {
		c.say("its clock cannot be converted: %d samples", len(p.Samples))
	}
	for id, device := range p.Devices {
		c.objects[id] = creation{kind: wire.KindDevice}
		if device.Name == "" {
			c.say("device %d has no name", id)
		}
	}
	var streams []tracefile.Stream
	for _, s := range c.trace.Streams() {
		if s.Process == index {
			streams = append(streams, s)
			c.lossy = c.lossy || s.Missing > 0
		}
	}
	for _, s := range streams {
		if err := c.trace.Read(s, c.collect); err != nil {
			return err
		}
	}
	for _, s := range streams {
		c.where = fmt.Sprintf("process %d (%s), ring %d: ", p.PID, p.Program, s.Ring)
		if s.Missing > 0 {
			c.say("%d records were published and are missing", s.Missing)
		}
		ring := ring{checker: c, count: s.Records}
		if err := c.trace.Read(s, ring.check); err != nil {
			return err
		}
		ring.finish()
	}
	c.where = fmt.Sprintf("process %d (%s): ", p.PID, p.Program)
	c.totals()
	return nil
}

// stacks checks the frames of Python of the stacks that are there.
func (c *checker) stacks() {
	for _, id := range slices.Sorted(maps.Keys(c.current.Stacks)) {
		for _, f := range c.current.Stacks[id].Python {
			for _, text := range []wire.StringID{f.Function, f.File} {
				if _, known := c.current.Strings[text]; !known && text != 0 && !c.factsLost {
					c.say("stack %#x names the text %#x, which is not there", id, text)
				}
			}
		}
	}
}

// collect notes what the calls make.
func (c *checker) collect(records []wire.Record) error {
	for i := range records {
		r := &records[i]
		row := r.Call.Row()
		if kind := row.Arg.Kind; row.Arg.Role == wire.RoleMade && r.Arg != 0 {
			id := wire.ObjectID(r.Arg)
			if before, known := c.objects[id]; !known || r.End < before.end {
				c.objects[id] = creation{kind, r.End}
			} else if !before.kind.Fits(kind) {
				c.say("object %d is made as a %s and as a %s", id, before.kind, kind)
			}
		}
		if row.Effect.Commits() && row.Object.Kind == wire.KindCommandBuffer {
			if before, known := c.commits[r.Object]; !known || r.Begin < before {
				c.commits[r.Object] = r.Begin
			}
		}
	}
	return nil
}
