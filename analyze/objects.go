package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// An objectLoader builds the model of Metal's objects (queues, command buffers, encoders, memory, libraries) from the
// recorded calls of one ring, the record buffer of a traced thread.
type objectLoader struct {
	at        *cursor
	lastNames *Names // the names that the last encoded command had
}

// used records that the thread of this call encoded into the encoder, by extending the thread's EncoderUse.
func (o *openEncoder) used(call *Call) {
	e := &o.one[0]
	switch {
	case e.Users == nil && (o.first.Thread == call.Thread || o.first.Thread == nil):
		if o.first.Thread == nil {
			o.first = EncoderUse{call.Interval, call.Thread}
		}
		o.first.extend(call.Interval)
		return
	case e.Users == nil:
		e.Users = []EncoderUse{o.first}
	}
	for i := range e.Users {
		if e.Users[i].Thread == call.Thread {
			e.Users[i].extend(call.Interval)
			return
		}
	}
	e.Users = append(e.Users, EncoderUse{call.Interval, call.Thread})
}

func (u *EncoderUse) extend(i Interval) { u.Begin, u.End = min(u.Begin, i.Begin), max(u.End, i.End) }

// newProcessLoader returns a loader for a process of the file; `place` is the process's index in the file.
func newProcessLoader(f *tracefile.Process, place int) *processLoader {
	p := &processLoader{
		Process: &Process{ID: f.PID, Parent: f.PPID, Program: f.Program, Args: f.Args, place: place},
		file:    f,
		clock:   newConverter(f),
		threads: map[ThreadID]*threadLoader{},
	}
	for i, c := range f.Classes {
		p.classes[i] = c.Name
	}
	p.stacks = newStackTable(p)
	p.Process.Experiment = experiment(f.Experiment, p.clock)
	return p
}

// A knownText is a text that was looked up lately, with its string number.
type knownText struct {
	id   uint64
	text string
}

// text returns the text of a string number; empty if the trace does not have it. Consecutive records of a thread, such
// as waits for a lock, mostly have the same few texts.
func (p *processLoader) text(id uint64) string {
	last := &p.lastTexts[id%uint64(len(p.lastTexts))]
	if last.id != id || id == 0 {
		*last = knownText{id, p.file.Strings[wire.StringID(id)]}
	}
	return last.text
}

// buffer returns the command buffer with a number and creates it if necessary; nil for 0.
func (p *processLoader) buffer(id wire.ObjectID) *CommandBuffer {
	if id == 0 {
		return nil
	}
	b, fresh := p.buffers.get(id)
	if fresh {
		b.ID, b.Process = uint32(id), p.Process
	}
	return b
}

// encoder returns the encoder with a number and creates it if necessary; nil for 0.
func (p *processLoader) encoder(id wire.ObjectID) *openEncoder {
	if id == 0 {
		return nil
	}
	e, fresh := p.encoders.get(id)
	if fresh {
		e.one[0].ID, e.one[0].Kind = uint32(id), EncoderOther
	}
	return e
}

// attach adds an encoder to its command buffer. The first encoder of a command buffer is not copied but referred to,
// so the loader can still change it. Further encoders are appended when the process is finished. Most command
// buffers have one encoder, so most encoders are never copied.
func (p *processLoader) attach(e *openEncoder, b *CommandBuffer) {
	if b == nil || e.buffer != nil {
		return
	}
	if e.buffer = b; b.Encoders == nil {
		b.Encoders = e.one[:]
	} else {
		p.further = append(p.further, e)
	}
}

// pipeline returns the pipeline state with a number and creates it if necessary; nil for 0.
func (p *processLoader) pipeline(id wire.ObjectID) *Pipeline {
	if id == 0 {
		return nil
	}
	s, fresh := p.pipelines.get(id)
	if fresh {
		s.ID, s.Process = uint32(id), p.Process
	}
	return s
}

// queue returns the queue with a number and creates it if necessary; nil for 0.
func (p *processLoader) queue(id wire.ObjectID) *Queue {
	if id == 0 {
		return nil
	}
	q, fresh := p.queues.get(id)
	if fresh {
		q.ID, q.Process = uint32(id), p.Process
	}
	return q
}

// ended sets when and how the process ended. If the trace has no record of that, it uses the time when the collector
// last saw the process.
func (p *processLoader) ended() {
	p.Ended = p.end
	e := p.file.Last()
	if e == nil {
		return
	}
	if at := min(Nanos(e.At), latestInstant); at > p.end && p.end > 0 && at-p.end < longestTime {
		p.Ended = at
	}
	p.Alive, p.Encoder = aliveOf(e.CommandBuffers), aliveOf(e.Encoders)
	p.Forked = int(min(e.Forks, mostCounted))
	p.Exit = Exit{Known: e.ExitKnown, Status: e.ExitStatus, Signal: e.Signal, Running: e.Running || p.file.End == nil}
}

// aliveOf converts a process's counts of created and freed objects. Impossible counts come from a damaged file and
// become zero, "not known".
func aliveOf(a wire.Alive) Alive {
	if a.Most > a.Made || a.Made >= mostCounted {
		return Alive{}
	}
	return Alive{int(a.Made), int(min(a.Freed, a.Made)), int(a.Most)}
}

// mostCounted is a number of objects that no process can create; larger counts come from a damaged file.
const mostCounted = 1 << 40
