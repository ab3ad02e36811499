package timeline

import (
	"bufio"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"mtrace/analyze"
)

// Field numbers of Perfetto's messages, from protos/perfetto/trace/ of its repository: trace_packet.proto,
// track_event/*.proto, interned_data/interned_data.proto and clock_snapshot.proto. Numbers never change there.
const (
	tracePacket = 1

	packetClockSnapshot = 6
	packetTimestamp     = 8
	packetSequence      = 10
	packetTrackEvent    = 11
	packetInterned      = 12
	packetFlags         = 13
	packetClock         = 58
	packetDefaults      = 59
	packetDescriptor    = 60

	snapshotClock   = 1
	snapshotPrimary = 2
	clockID         = 1
	clockTimestamp  = 2
	clockIsDelta    = 3

	descriptorID      = 1
	descriptorName    = 2
	descriptorProcess = 3
	descriptorThread  = 4
	descriptorParent  = 5
	descriptorCounter = 8
	descriptorOrder   = 11
	descriptorRank    = 12
	processPID        = 1
	processArg        = 2
	processName       = 6
	threadPID         = 1
	threadTID         = 2
	threadName        = 5
	counterUnit       = 3

	eventCategory = 3
	eventArg      = 4
	eventType     = 9
	eventName     = 10
	eventTrack    = 11
	eventCount    = 30
	eventFlow     = 47
	eventFlowEnd  = 48
	argName       = 1
	argUint       = 3
	argText       = 17

	internedCategories = 1
	internedNames      = 2
	internedArgNames   = 3
	internedTexts      = 29
	internedID         = 1
	internedValue      = 2
)

// Values of Perfetto's enumerations.
const (
	flagsCleared     = 1 // SEQ_INCREMENTAL_STATE_CLEARED: what follows needs nothing before
	flagsNeeded      = 2 // SEQ_NEEDS_INCREMENTAL_STATE: what was interned before is needed
	clockMonotonic   = 3
	clockOfSequence  = 64 // the first number that a sequence may use for a clock of its own
	typeBegin        = 1
	typeEnd          = 2
	typeCounter      = 4
	unitCount        = 2
	unitBytes        = 3
	orderingExplicit = 3
)

// perfetto writes one packet sequence for each track, so that times are differences and names are numbers.
type perfetto struct {
	w         *bufio.Writer
	sequences []*sequence // by trackID
	packet    message
	event     message
	part      message
	err       error
}

// A sequence is what the reader remembers between the packets of one track.
type sequence struct {
	last     analyze.Nanos
	started  bool
	interned [internedTexts + 1]map[string]uint64
	numbers  uint64  // given to texts; none is given twice, because the reader forgets nothing
	fresh    message // InternedData that the next packet must bring
}

func newPerfetto(w io.Writer) *perfetto {
	return &perfetto{w: bufio.NewWriterSize(w, 1<<18), sequences: []*sequence{nil}}
}

func (p *perfetto) write(packet []byte) {
	if p.err != nil {
		return
	}
	var head [16]byte
	h := protowire.AppendTag(head[:0], tracePacket, protowire.BytesType)
	h = protowire.AppendVarint(h, uint64(len(packet)))
	if _, p.err = p.w.Write(h); p.err == nil {
		_, p.err = p.w.Write(packet)
	}
}

func (p *perfetto) declare(t track) {
	p.sequences = append(p.sequences, &sequence{}) // tracks are numbered in the order of their declaration, from 1
	var d, part message
	d.uint(descriptorID, uint64(t.id))
	switch {
	case t.thread != nil:
		part.uint(threadPID, uint64(t.process.ID))
		part.uint(threadTID, uint64(t.thread.ID))
		if t.name != "" {
			part.text(threadName, valid(t.name))
		}
		d.message(descriptorThread, part)
	case t.parent == 0 && t.process != nil:
		part.uint(processPID, uint64(t.process.ID))
		for _, a := range t.process.Args {
			part.text(processArg, valid(a))
		}
		part.text(processName, valid(t.name))
		d.message(descriptorProcess, part)
		d.uint(descriptorOrder, orderingExplicit)
	default:
		d.text(descriptorName, valid(t.name))
		switch t.counts {
		case countBuffers:
			part.uint(counterUnit, unitCount)
			d.message(descriptorCounter, part)
		case countBytes:
			part.uint(counterUnit, unitBytes)
			d.message(descriptorCounter, part)
		}
		d.uint(descriptorRank, uint64(t.rank))
	}
	if t.parent != 0 {
		d.uint(descriptorParent, uint64(t.parent))
	}
	p.packet = p.packet[:0]
	p.packet.message(packetDescriptor, d)
	p.packet.uint(packetSequence, uint64(t.id))
	p.write(p.packet)
}

// start writes what the reader must know before the first event of a track: its clock, and that events are on it.
func (p *perfetto) start(t trackID, s *sequence, at analyze.Nanos) {
	var snapshot, clock message
	clock.uint(clockID, clockOfSequence)
	clock.uint(clockTimestamp, uint64(at))
	clock.uint(clockIsDelta, 1)
	snapshot.message(snapshotClock, clock)
	clock = clock[:0]
	clock.uint(clockID, clockMonotonic)
	clock.uint(clockTimestamp, uint64(at))
	snapshot.message(snapshotClock, clock)
	snapshot.uint(snapshotPrimary, clockMonotonic)

	var defaults, event message
	event.uint(eventTrack, uint64(t))
	defaults.message(packetTrackEvent, event)
	defaults.uint(packetClock, clockOfSequence)

	p.packet = p.packet[:0]
	p.packet.message(packetClockSnapshot, snapshot)
	p.packet.message(packetDefaults, defaults)
	p.packet.uint(packetSequence, uint64(t))
	p.packet.uint(packetFlags, flagsCleared)
	p.write(p.packet)
	s.started, s.last = true, at
}

// add writes p.event as an event of a track. Clocks of sequences cannot go back: an event from before the last has a time of its own.
func (p *perfetto) add(t trackID, s *sequence, at analyze.Nanos) {
	p.packet = p.packet[:0]
	if at >= s.last {
		p.packet.uint(packetTimestamp, uint64(at-s.last))
		s.last = at
	} else {
		p.packet.uint(packetTimestamp, uint64(at))
		p.packet.uint(packetClock, clockMonotonic)
	}
	p.packet.uint(packetSequence, uint64(t))
	p.packet.message(packetTrackEvent, p.event)
	if len(s.fresh) > 0 {
		p.packet.message(packetInterned, s.fresh)
		s.fresh = s.fresh[:0]
	}
	p.packet.uint(packetFlags, flagsNeeded)
	p.write(p.packet)
}

func (p *perfetto) sequence(t trackID, at analyze.Nanos) *sequence {
	s := p.sequences[t]
	if !s.started {
		p.start(t, s, at)
	}
	p.event = p.event[:0]
	return s
}

// mostInterned bounds what is remembered of one kind on one track. Beyond it all is forgotten, and sent again when it returns.
const mostInterned = 1 << 15

// intern is the number of a text on a sequence.
func (s *sequence) intern(kind int, text string) uint64 {
	id, known := s.interned[kind][text]
	if known {
		return id
	}
	if s.interned[kind] == nil || len(s.interned[kind]) >= mostInterned {
		s.interned[kind] = map[string]uint64{}
	}
	s.numbers++
	id = s.numbers
	s.interned[kind][text] = id
	var entry message
	entry.uint(internedID, id)
	entry.text(internedValue, valid(text))
	s.fresh.message(protowire.Number(kind), entry)
	return id
}

func (p *perfetto) begin(sl *slice) {
	s := p.sequence(sl.track, sl.Begin)
	e := &p.event
	e.uint(eventType, typeBegin)
	e.uint(eventName, s.intern(internedNames, sl.name))
	e.uint(eventCategory, s.intern(internedCategories, sl.category))
	for i := range sl.args {
		if a := &sl.args[i]; a.name != "" {
			p.part = p.part[:0]
			p.part.uint(argName, s.intern(internedArgNames, a.name))
			if a.text != "" {
				p.part.uint(argText, s.intern(internedTexts, a.text))
			} else {
				p.part.uint(argUint, a.value)
			}
			e.message(eventArg, p.part)
		}
	}
	for _, id := range sl.flows {
		e.fixed64(eventFlow, id)
	}
	p.add(sl.track, s, sl.Begin)
}

func (p *perfetto) end(sl *slice) {
	s := p.sequence(sl.track, sl.End)
	p.event.uint(eventType, typeEnd)
	if sl.flowEnd != 0 { // on the end, because the arrow leads to the return of the wait
		p.event.fixed64(eventFlowEnd, sl.flowEnd)
	}
	p.add(sl.track, s, sl.End)
}

func (p *perfetto) count(t trackID, at analyze.Nanos, value int64) {
	s := p.sequence(t, at)
	p.event.uint(eventType, typeCounter)
	p.event.uint(eventCount, uint64(value))
	p.add(t, s, at)
}

func (p *perfetto) failed() error { return p.err }

func (p *perfetto) finish() error {
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

// valid is a text that protobuf accepts as a string.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
