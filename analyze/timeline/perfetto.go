package timeline

import (
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
	w         io.Writer
	sequences []*sequence // by trackID
	file      message     // its next bytes
	packet    int         // where the packet at hand begins in it
	inside    int         // where the event in it begins
	err       error
}

// A sequence is what the reader remembers between the packets of one track.
type sequence struct {
	last     analyze.Nanos
	started  bool
	interned [internedTexts + 1]*interned
	numbers  uint64  // given to texts; none is given twice, because the reader forgets nothing
	fresh    message // InternedData that the next packet must bring
}

func newPerfetto(w io.Writer) *perfetto {
	return &perfetto{w: w, sequences: []*sequence{nil}}
}

// begins begins a packet, which is made in p.file; ends ends it.
func (p *perfetto) begins() { p.packet = p.file.open(tracePacket) }

// worthWriting is how many bytes are written at once.
const worthWriting = 1 << 18

func (p *perfetto) ends() {
	p.file.close(p.packet)
	if len(p.file) >= worthWriting {
		p.flush()
	}
}

func (p *perfetto) flush() {
	if p.err == nil {
		_, p.err = p.w.Write(p.file)
	}
	p.file = p.file[:0]
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
	p.begins()
	p.file.message(packetDescriptor, d)
	p.file.uint(packetSequence, uint64(t.id))
	p.ends()
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

	p.begins()
	p.file.message(packetClockSnapshot, snapshot)
	p.file.message(packetDefaults, defaults)
	p.file.uint(packetSequence, uint64(t))
	p.file.uint(packetFlags, flagsCleared)
	p.ends()
	s.started, s.last = true, at
}

// event begins the packet of an event of a track, whose fields are added to p.file then, and done ends it. Clocks of sequences cannot go back: an event
// from before the last has a time of its own.
func (p *perfetto) event(t trackID, at analyze.Nanos) *sequence {
	s := p.sequences[t]
	if !s.started {
		p.start(t, s, at)
	}
	p.begins()
	if at >= s.last {
		p.file.uint(packetTimestamp, uint64(at-s.last))
		s.last = at
	} else {
		p.file.uint(packetTimestamp, uint64(at))
		p.file.uint(packetClock, clockMonotonic)
	}
	p.file.uint(packetSequence, uint64(t))
	p.inside = p.file.open(packetTrackEvent)
	return s
}

func (p *perfetto) done(s *sequence) {
	p.file.close(p.inside)
	if len(s.fresh) > 0 {
		p.file.message(packetInterned, s.fresh)
		s.fresh = s.fresh[:0]
	}
	p.file.uint(packetFlags, flagsNeeded)
	p.ends()
}

// mostInterned bounds what is remembered of one kind on one track. Beyond it all is forgotten, and sent again when it returns.
const mostInterned = 1 << 15

// interned are the numbers of the texts of one kind.
type interned struct {
	numbers map[string]uint64
	recent  [16]struct { // most texts were there a few slices ago
		text   string
		number uint64
	}
}

// intern is the number of a text on a sequence.
func (s *sequence) intern(kind int, text string) uint64 {
	if s.interned[kind] == nil {
		s.interned[kind] = &interned{numbers: map[string]uint64{}}
	}
	texts, slot := s.interned[kind], 0
	if n := len(text); n > 0 {
		slot = (n*5 + int(text[0]) + int(text[n-1])*3 + int(text[n/2])*7) % len(texts.recent)
	}
	recent := &texts.recent[slot]
	if recent.number != 0 && recent.text == text {
		return recent.number
	}
	id, known := texts.numbers[text]
	if !known {
		if len(texts.numbers) >= mostInterned {
			*texts = interned{numbers: map[string]uint64{}}
		}
		s.numbers++
		id = s.numbers
		texts.numbers[text] = id
		entry := s.fresh.open(protowire.Number(kind))
		s.fresh.uint(internedID, id)
		s.fresh.text(internedValue, valid(text))
		s.fresh.close(entry)
	}
	recent.text, recent.number = text, id
	return id
}

func (p *perfetto) begin(sl *slice) {
	s, e := p.event(sl.track, sl.Begin), &p.file
	e.uint(eventType, typeBegin)
	e.uint(eventName, s.intern(internedNames, sl.name))
	e.uint(eventCategory, s.intern(internedCategories, sl.category))
	for i := range sl.args {
		a, part := &sl.args[i], e.open(eventArg)
		e.uint(argName, s.intern(internedArgNames, a.name))
		if a.text != "" {
			e.uint(argText, s.intern(internedTexts, a.text))
		} else {
			e.uint(argUint, a.value)
		}
		e.close(part)
	}
	for _, id := range sl.flows {
		e.fixed64(eventFlow, id)
	}
	p.done(s)
}

func (p *perfetto) end(on trackID, at analyze.Nanos, flow uint64) {
	s := p.event(on, at)
	p.file.uint(eventType, typeEnd)
	if flow != 0 { // on the end, because the arrow leads to the return of the wait
		p.file.fixed64(eventFlowEnd, flow)
	}
	p.done(s)
}

func (p *perfetto) count(t trackID, at analyze.Nanos, value int64) {
	s := p.event(t, at)
	p.file.uint(eventType, typeCounter)
	p.file.uint(eventCount, uint64(value))
	p.done(s)
}

func (p *perfetto) failed() error { return p.err }

func (p *perfetto) finish() error {
	p.flush()
	return p.err
}

// valid is a text that protobuf accepts as a string.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
