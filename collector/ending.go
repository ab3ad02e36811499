package collector

import (
	"strings"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// end reads the remaining records, and writes the process's end to the trace. alive means that the process still
// runs. failure is the protocol error that ends the recording of the process early, or nil. readOn reads
// the frames that are still in the socket.
func (p *process) end(alive bool, failure error, readOn func() error) {
	end := tracefile.End{Unix: time.Now().UnixNano(), At: monotonic()}
	if failure != nil && !p.rings.mapped { // the rings were never mapped, so nothing can be read
		p.trace.mutex.Lock()
		p.trace.add()
		p.trace.handFacts([]wire.Fact{{Kind: wire.FactWarning, Key: wire.NotTraced,
			Text: strings.ToValidUTF8("not traced: "+failure.Error(), "?")}})
		p.trace.mutex.Unlock()
	} else if failure != nil {
		end.Note = "its trace ends early: " + failure.Error()
	} else if alive && p.rings.mapped {
		end.Running, end.Note = true, "it was still running when the recording ended: "+
			"its later calls are not in the trace"
	}
	note := func(err error) {
		if err != nil && end.Note == "" {
			end.Note = err.Error()
		}
	}
	p.rings.stopWatching()
	if p.rings.times != nil {
		p.trace.handThreadTimes(p.rings.times.finish())
	}
	if p.rings.mapped {
		before := p.trace.records
		note(p.trace.failure)
		note(p.rings.lastLook(alive))
		if alive {
			// the ring buffers lack older records that the drainer (the sender inside the process) already sent, and
			// that are still in the socket
			note(readOn())
		}
		end.Salvaged = p.trace.records - before
		p.trace.mutex.Lock()
		for _, r := range p.order.rings {
			if r != nil {
				p.order.missing += r.records.finish()
				r.facts.finish()
			}
		}
		if p.trace.window != nil {
			p.trace.window.finish()
		}
		if p.trace.selection != nil {
			end.LeftOut = p.trace.selection.finish()
		}
		p.trace.mutex.Unlock()
		note(guard(func() error { p.rings.readEnd(&end, alive); return nil }))
		p.trace.sampleClock()
		p.rings.release()
	}
	p.trace.mutex.Lock()
	p.trace.add()
	if names := p.trace.code.names(); len(names) > 0 {
		p.trace.handFacts(names)
	}
	end.Distrusted = p.trace.doubts
	p.trace.mutex.Unlock()
	p.collector.processEnded(p, end)
}

// lastLook reads the ring buffers for the last time. If the process has ended, it takes every published record. If
// the process is alive, it skips the rings that the drainer inside the process is reading at that moment.
func (reader *ringReader) lastLook(alive bool) error {
	if !alive {
		return reader.salvage()
	}
	return guard(func() error {
		for i := range reader.shared.RingsUsed() {
			if _, err := reader.takeRing(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// readEnd fills `end` with the counters and the calls in progress, reads the last clock sample, and tells the process
// that its recording has ended.
func (reader *ringReader) readEnd(end *tracefile.End, alive bool) {
	if s, ok := reader.shared.LatestSample(); ok {
		reader.trace.handSamples(s)
	}
	reader.shared.SetEnded()
	reader.readCounters(end, alive)
}

// readCounters reads two things into `end`: what the process counted (lost records, command buffers), and for each
// thread the call that it is inside.
func (reader *ringReader) readCounters(end *tracefile.End, alive bool) {
	l := limit{reader.trace, reader.order.possible()}
	l.losses(reader.shared.Losses(), end)
	end.CommandBuffers = reader.shared.CommandBuffers()
	end.Encoders = reader.shared.Encoders()
	for i := range reader.shared.RingsUsed() {
		shared, r := reader.shared.Ring(i), reader.order.ring(uint16(i))
		r.watchLosses(shared, l)
		e := tracefile.RingEnd{Ring: r.index, Thread: shared.Thread(), Head: l.believe(shared.Head(), r.where(),
			"records"), Dropped: r.dropped,
			FactsHead: shared.FactsHead(), FactsDropped: l.believe(shared.FactsDropped(), r.where(), "dropped facts"),
			Losses: r.losses, Exited: shared.State() != wire.RingLive}
		reader.trace.mutex.Lock()
		if alive { // the process continues, so count only records that were read
			e.Head, e.FactsHead = r.records.next, r.facts.next
		}
		e.Head = max(e.Head, r.records.next) - r.window.left() - r.selection.leftOut
		reader.trace.mutex.Unlock()
		end.Rings = append(end.Rings, e)
		l.addCoverage(end, shared, r.where())
		if shared.State() == wire.RingLive {
			addInside(end, shared, e.Thread, r.index)
		}
	}
}

// addInside adds to end what a ring buffer's thread is doing: the call that it is inside, its wait for a lock or a
// signal, and the polling loop (repeated calls that ask for a status) that it has not left.
func addInside(end *tracefile.End, ring wire.Ring, thread uint64, index uint16) {
	if begin, object, call := ring.Current(); call != wire.CallNone {
		c := tracefile.CurrentCall{Thread: thread, Ring: index, Begin: begin, Object: object, Call: call}
		if call.Row().Group == wire.GroupWait {
			c.Value, c.Flags = ring.Awaited()
		}
		end.Current = append(end.Current, c)
	}
	if p := ring.Polling(); p.Call != wire.CallNone {
		end.Polls = append(end.Polls, tracefile.PolledCall{Thread: thread, Ring: index, Begin: p.Begin, Last: p.Last,
			Questions: p.Questions, Answer: p.Answer, Object: p.Object, Call: p.Call})
	}
	if b := ring.Blocked(); b.Call != wire.CallNone {
		end.Blocked = append(end.Blocked, tracefile.BlockedCall{Thread: thread, Ring: index, Begin: b.Begin,
			Call:    b.Call,
			Address: b.Address, Holder: b.Holder,
			Interpreter: b.Interpreter, Flags: b.Flags})
	}
}

// addCoverage adds a ring buffer's counters that check completeness. They count calls made inside other recorded
// calls, which have no record of their own, and command buffers whose commit or completion the tracer missed.
func (l limit) addCoverage(end *tracefile.End, ring wire.Ring, where string) {
	for f := range wire.Family(wire.NestedFamilies) {
		if n := l.believe(ring.Nested(f), where, "inner calls"); n > 0 {
			if end.NestedBy == nil {
				end.NestedBy = map[string]uint64{}
			}
			end.NestedBy[f.String()] += n
			end.Nested += n
		}
	}
	end.Commits.Add(l.audit(ring.Commits(), where, "commits"))
	end.Completions.Add(l.audit(ring.Completions(), where, "completions"))
}
