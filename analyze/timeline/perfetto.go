package timeline

import (
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// Field numbers of Perfetto's messages, from protos/perfetto/trace/ of its repository: trace_packet.proto,
// track_event/*.proto, interned_data/interned_data.proto and clock_snapshot.proto. Perfetto never changes these
// numbers.
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
	flagsCleared     = 1 // SEQ_INCREMENTAL_STATE_CLEARED: later packets need no earlier state
	flagsNeeded      = 2 // SEQ_NEEDS_INCREMENTAL_STATE: the packet uses interned texts
	clockMonotonic   = 3
	clockOfSequence  = 64 // the first clock ID that a sequence may use for its own clock
	typeBegin        = 1
	typeEnd          = 2
	typeCounter      = 4
	unitCount        = 2
	unitBytes        = 3
	orderingExplicit = 3
)

// perfetto writes Perfetto's protobuf format. Each track is a packet sequence of its own. The file is much smaller
// that way, because times can be written as differences and names as numbers.
type perfetto struct {
	w         io.Writer
	sequences []*sequence // by trackID
	file      message     // the bytes to be written next
	packet    int         // index at which the current packet begins
	event     int         // index at which the packet's event begins
	err       error
}

// A sequence is the state that a reader of the file keeps between the packets of one track. Packets depend on it, so
// the writer must track the same state exactly.
type sequence struct {
	last     analyze.Nanos
	started  bool
	interned [internedTexts + 1]*interned
	calls    []*begun // indexed by call
	numbers  uint64   // how many texts got a number; numbers are not reused, because the reader keeps all texts
	event    message  // constant fields of an event's packet, between its time and the event's own fields
	ended    message  // constant fields of the packet of an end
	counted  message  // constant fields of a counter's packet, before its value
	fresh    message  // InternedData to add to the next packet
}

// begun holds the constant bytes of all packets for the begin of one call, so that they are encoded only once.
type begun struct {
	event message           // sequence.event, followed by the event's fields before its args
	words [argWords]message // the constant beginning of each arg that a call may have, before its value
}

func newPerfetto(w io.Writer) *perfetto {
	return &perfetto{w: w, sequences: []*sequence{nil}}
}

// begins starts a packet and returns the buffer with the file's pending bytes. The caller appends the packet's content
// and passes the buffer to ends, which completes the packet.
func (p *perfetto) begins() message {
	file := p.file.open(tracePacket)
	p.packet = len(file)
	return file
}

// worthWriting is the number of bytes that are collected before they are written to the file.
const worthWriting = 1 << 18

func (p *perfetto) ends(file message) {
	p.file = file.close(p.packet)
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
	p.sequences = append(p.sequences, &sequence{}) // tracks are numbered from 1 in the order of declaration
	var d, part message
	d = d.uint(descriptorID, uint64(t.id))
	switch {
	case t.thread != nil:
		part = part.uint(threadPID, uint64(t.process.ID))
		part = part.uint(threadTID, uint64(t.thread.ID))
		if t.name != "" {
			part = part.text(threadName, valid(t.name))
		}
		d = d.message(descriptorThread, part)
	case t.parent == 0 && t.process != nil:
		part = part.uint(processPID, uint64(t.process.ID))
		for _, a := range t.process.Args {
			part = part.text(processArg, valid(a))
		}
		part = part.text(processName, valid(t.name))
		d = d.message(descriptorProcess, part)
		d = d.uint(descriptorOrder, orderingExplicit)
	default:
		d = d.text(descriptorName, valid(t.name))
		switch t.counts {
		case countBuffers:
			part = part.uint(counterUnit, unitCount)
			d = d.message(descriptorCounter, part)
		case countBytes:
			part = part.uint(counterUnit, unitBytes)
			d = d.message(descriptorCounter, part)
		}
		d = d.uint(descriptorRank, uint64(t.rank))
	}
	if t.parent != 0 {
		d = d.uint(descriptorParent, uint64(t.parent))
	}
	p.ends(p.begins().message(packetDescriptor, d).uint(packetSequence, uint64(t.id)))
}

// start writes what a reader needs before the first event of a track: the track's clock, and default values for its
// events.
func (p *perfetto) start(t trackID, s *sequence, at analyze.Nanos) {
	var none message
	own := none.uint(clockID, clockOfSequence).uint(clockTimestamp, uint64(at)).uint(clockIsDelta, 1)
	monotonic := none.uint(clockID, clockMonotonic).uint(clockTimestamp, uint64(at))
	snapshot := none.message(snapshotClock, own).message(snapshotClock, monotonic).uint(snapshotPrimary, clockMonotonic)
	defaults := none.message(packetTrackEvent, none.uint(eventTrack, uint64(t))).uint(packetClock, clockOfSequence)
	p.ends(p.begins().message(packetClockSnapshot, snapshot).message(packetDefaults, defaults).uint(packetSequence,
		uint64(t)).uint(packetFlags, flagsCleared))
	s.started, s.last, s.event = true, at, s.event.uint(packetSequence, uint64(t)).open(packetTrackEvent)
	at0 := len(s.event)
	s.ended = append(s.ended, s.event...).uint(eventType, typeEnd).close(at0).uint(packetFlags, flagsNeeded)
	s.counted = append(s.counted, s.event...).uint(eventType, typeCounter).tag(eventCount, protowire.VarintType)
}

// happens begins the packet of an event of track t at time `at`. The clock of a sequence cannot go back, so an event
// that is earlier than the previous one gets an absolute time.
func (p *perfetto) happens(t trackID, at analyze.Nanos) (*sequence, message) {
	s := p.sequences[t]
	if !s.started {
		p.start(t, s, at)
	}
	file := append(p.file, tracePacket<<3|byte(protowire.BytesType), 0, packetTimestamp<<3|byte(protowire.VarintType))
	p.packet = len(file) - 1
	if at >= s.last {
		file = file.varint(uint64(at - s.last))
		s.last = at
	} else {
		file = file.varint(uint64(at)).uint(packetClock, clockMonotonic)
	}
	return s, file
}

// says appends the constant bytes with which an event begins. The caller may append further fields; done then ends
// the event.
func (p *perfetto) says(s *sequence, file, begins message) message {
	p.event = len(file) + len(s.event)
	return append(file, begins...)
}

func (p *perfetto) done(s *sequence, file message) {
	file = file.close(p.event)
	if len(s.fresh) > 0 {
		file = file.message(packetInterned, s.fresh)
		s.fresh = s.fresh[:0]
	}
	p.ends(append(file, packetFlags<<3|byte(protowire.VarintType), flagsNeeded))
}

// mostInterned limits the number of texts with numbers, per kind and track. At the limit, all texts are forgotten and
// numbered anew, to bound the memory.
const mostInterned = 1 << 15

// interned has the numbers of the texts of one kind, such as names, on one track.
type interned struct {
	numbers map[string]uint64
	recent  [16]struct { // cache: most texts occurred a few slices ago
		text   string
		number uint64
	}
}

// intern returns the number of a text on this track. For a new text it also adds the definition to the next packet.
func (s *sequence) intern(kind int, text string) uint64 {
	if s.interned[kind] == nil {
		s.interned[kind] = &interned{numbers: map[string]uint64{}}
	}
	texts, slot := s.interned[kind], uint(0)
	if n := len(text); n > 0 {
		slot = (uint(n)*5 + uint(text[0]) + uint(text[n-1])*3 + uint(text[n/2])*7) % uint(len(texts.recent))
	}
	recent := &texts.recent[slot]
	if recent.number == 0 || recent.text != text {
		recent.text, recent.number = text, s.number(kind, text)
	}
	return recent.number
}

// number returns the number of a text that is not in the small cache of recent texts.
func (s *sequence) number(kind int, text string) uint64 {
	texts := s.interned[kind]
	id, known := texts.numbers[text]
	if !known {
		if len(texts.numbers) >= mostInterned {
			*texts = interned{numbers: map[string]uint64{}}
		}
		s.numbers++
		id = s.numbers
		texts.numbers[text] = id
		fresh := s.fresh.open(protowire.Number(kind))
		s.fresh = fresh.uint(internedID, id).text(internedValue, valid(text)).close(len(fresh))
	}
	return id
}

func (p *perfetto) begin(sl *slice) {
	s, file := p.happens(sl.track, sl.Begin)
	var call *begun
	if sl.call == wire.CallNone {
		file = s.named(p.says(s, file, s.event), sl)
	} else {
		call = s.called(sl)
		file = p.says(s, file, call.event)
	}
	for i := range sl.args {
		a := &sl.args[i]
		if call != nil && a.word != argOther {
			known := s.word(call, a)
			value := len(file) + len(known)
			file = append(file, known...).varint(a.value)
			file[value-len(known)+1] += byte(len(file) - value)
			continue
		}
		file = file.open(eventArg)
		at := len(file)
		file = file.uint(argName, s.intern(internedArgNames, a.name))
		if a.text != "" {
			file = file.uint(argText, s.intern(internedTexts, a.text))
		} else {
			file = file.uint(argUint, a.value)
		}
		file = file.close(at)
	}
	for _, id := range sl.flows {
		file = file.fixed64(eventFlow, id)
	}
	p.done(s, file)
}

// named appends the fields for the begin of a slice (a named interval on a track): its type, name and category.
func (s *sequence) named(m message, sl *slice) message {
	return m.uint(eventType, typeBegin).uint(eventName, s.intern(internedNames, sl.name)).uint(eventCategory,
		s.intern(internedCategories, sl.category))
}

// called returns the constant bytes with which each begin of the slice's call begins. They are encoded when the call
// first occurs.
func (s *sequence) called(sl *slice) *begun {
	if s.calls == nil {
		s.calls = make([]*begun, len(wire.Table))
	}
	if s.calls[sl.call] == nil {
		s.calls[sl.call] = &begun{event: s.named(append(message{}, s.event...), sl)}
	}
	return s.calls[sl.call]
}

// word returns the bytes of a call's arg up to its value. The caller appends the value and corrects the length.
func (s *sequence) word(of *begun, a *arg) message {
	known := &of.words[a.word]
	if *known == nil {
		m := message(nil).open(eventArg)
		m = m.uint(argName, s.intern(internedArgNames, a.name)).tag(argUint, protowire.VarintType)
		*known = m.close(2)
	}
	return *known
}

func (p *perfetto) end(on trackID, at analyze.Nanos, flow uint64) {
	s, file := p.happens(on, at)
	if flow == 0 {
		p.ends(append(file, s.ended...))
		return
	}
	file = p.says(s, file, s.event).uint(eventType, typeEnd)
	// put the arrow's end at the end of the slice, because it leads to the return of the wait
	p.done(s, file.fixed64(eventFlowEnd, flow))
}

func (p *perfetto) count(t trackID, at analyze.Nanos, value int64) {
	s, file := p.happens(t, at)
	p.done(s, p.says(s, file, s.counted).varint(uint64(value)))
}

func (p *perfetto) failed() error { return p.err }

func (p *perfetto) finish() error {
	p.flush()
	return p.err
}

// valid replaces bytes that are not UTF-8: readers of protobuf reject a message that contains them.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
