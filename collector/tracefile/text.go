package tracefile

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"

	"mtrace/collector/wire"
)

// The text form of a trace has one JSON object per line, in this order: the schema with the Info; for each process
// its hello, facts (names and other data of variable size), stacks, clock samples, processor times of threads,
// records by ring, its last counters and, if known, its end; then the result, if there is one. ReadText turns it back
// into the same trace, so traces can be written and edited by hand.

// TextSchema is the value of "schema" in the first line of the text form.
const TextSchema = "mtrace.trace/1"

// textLine is one line of the text form, for encoding/json. Besides Process, Ring and Position, exactly one field is
// set.
type textLine struct {
	Schema  string         `json:"schema,omitempty"`
	Info    *Info          `json:"info,omitempty"`
	Process *ProcessIndex  `json:"process,omitempty"`
	Header  *processHeader `json:"header,omitempty"`
	Fact    *textFact      `json:"fact,omitempty"`
	Stack   *textStack     `json:"stack,omitempty"`
	Sample  *[2]int64      `json:"sample,omitempty"` // ticks, nanoseconds
	// the system's thread id, the instant, the time on a processor, and the time waiting for a processor (-1 if not
	// known); all times in nanoseconds
	Thread *[4]int64 `json:"thread_time,omitempty"`
	Ring   *uint16   `json:"ring,omitempty"`
	// the ring position of the record; if it is missing, the record directly follows the previous one of its ring
	// buffer
	Position *uint64         `json:"position,omitempty"`
	Record   json.RawMessage `json:"record,omitempty"`
	SoFar    *End            `json:"so_far,omitempty"`
	End      *End            `json:"end,omitempty"`
	Result   *Result         `json:"result,omitempty"`
}

type textFact struct {
	Kind wire.FactKind `json:"kind"`
	Key  uint64        `json:"key"`
	Aux  uint16        `json:"aux,omitempty"`
	Text string        `json:"text"`
}

// WriteText writes the trace in its text form.
func (r *Reader) WriteText(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(textLine{Schema: TextSchema, Info: &r.info}); err != nil {
		return err
	}
	for i, p := range r.processes {
		index := ProcessIndex(i)
		header := processHeader{p.Hello, p.Clock, p.TimebaseNumer, p.TimebaseDenom, p.Ahead}
		if err := lines.Encode(textLine{Process: &index, Header: &header}); err != nil {
			return err
		}
		for _, f := range p.facts() {
			if err := lines.Encode(textLine{Process: &index, Fact: &f}); err != nil {
				return err
			}
		}
		if err := p.writeStacks(lines, index); err != nil {
			return err
		}
		for _, s := range p.Samples {
			if err := lines.Encode(textLine{Process: &index, Sample: &[2]int64{int64(s.Ticks), s.Nanos}}); err != nil {
				return err
			}
		}
		for _, t := range p.ThreadTimes {
			if err := lines.Encode(textLine{Process: &index, Thread: &[4]int64{int64(t.Thread), t.At, t.Ran,
				t.Waited}}); err != nil {
				return err
			}
		}
		for _, s := range r.streams {
			if s.Process != index {
				continue
			}
			if err := writeStream(r, out, s); err != nil {
				return err
			}
		}
		if p.SoFar != nil {
			if err := lines.Encode(textLine{Process: &index, SoFar: p.SoFar}); err != nil {
				return err
			}
		}
		if p.End == nil {
			continue
		}
		if err := lines.Encode(textLine{Process: &index, End: p.End}); err != nil {
			return err
		}
	}
	if r.result != nil {
		if err := lines.Encode(textLine{Result: r.result}); err != nil {
			return err
		}
	}
	return out.Flush()
}

// facts returns what is known about the process, as facts in a fixed order, so that equal traces give equal texts.
func (p *Process) facts() (facts []textFact) {
	for _, id := range slices.Sorted(maps.Keys(p.Strings)) {
		facts = append(facts, textFact{Kind: wire.FactString, Key: uint64(id), Text: p.Strings[id]})
	}
	for _, i := range slices.Sorted(maps.Keys(p.Classes)) {
		facts = append(facts, textFact{Kind: wire.FactClass, Key: uint64(i), Aux: uint16(p.Classes[i].Family),
			Text: p.Classes[i].Name})
	}
	for _, id := range slices.Sorted(maps.Keys(p.Devices)) {
		f := textFact{Kind: wire.FactDevice, Key: uint64(id), Text: p.Devices[id].Name}
		if p.Devices[id].Software {
			f.Aux = 1
		}
		facts = append(facts, f)
		if registry := p.Devices[id].Registry; registry != 0 {
			facts = append(facts, textFact{Kind: wire.FactRegistry, Key: uint64(id), Text: strconv.FormatUint(registry,
				10)})
		}
		if bytes := p.Devices[id].WorkingSet; bytes != 0 {
			facts = append(facts, textFact{Kind: wire.FactWorkingSet, Key: uint64(id), Text: strconv.FormatUint(bytes,
				10)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.ThreadNames)) {
		facts = append(facts, textFact{Kind: wire.FactThreadName, Key: id, Text: p.ThreadNames[id]})
	}
	for _, text := range p.Warnings {
		facts = append(facts, textFact{Kind: wire.FactWarning, Text: text})
	}
	if p.WaitsUnseen != "" {
		facts = append(facts, textFact{Kind: wire.FactWarning, Key: wire.WaitsUnseen, Text: p.WaitsUnseen})
	}
	if p.NotTraced != "" {
		facts = append(facts, textFact{Kind: wire.FactWarning, Key: wire.NotTraced, Text: p.NotTraced})
	}
	for _, i := range p.Code.Images {
		facts = append(facts, textFact{Kind: wire.FactImage, Key: i.Start, Text: i.Fact().Text})
	}
	for _, address := range slices.Sorted(maps.Keys(p.Code.Symbols)) {
		s := p.Code.Symbols[address]
		f := textFact{Kind: wire.FactSymbol, Key: address, Text: s.Name}
		if s.NoCall {
			f.Aux = 1
		}
		facts = append(facts, f)
		if s.Line > 0 {
			facts = append(facts, textFact{Kind: wire.FactLine, Key: address, Text: wire.CodeLine{Address: address,
				File: s.File, Line: s.Line}.Fact().Text})
		}
	}
	for _, c := range p.Unhooked {
		facts = append(facts, textFact{Kind: wire.FactUnhooked, Key: uint64(c.Methods), Aux: uint16(c.Family),
			Text: c.Name})
	}
	for _, c := range slices.Sorted(maps.Keys(p.Canary)) {
		facts = append(facts, textFact{Kind: wire.FactCanary, Key: uint64(c), Aux: uint16(p.Canary[c])})
	}
	if p.Cost > 0 {
		facts = append(facts, textFact{Kind: wire.FactCost, Key: uint64(p.Cost)})
	}
	if p.Experiment != nil {
		for _, f := range p.Experiment.Facts() {
			facts = append(facts, textFact{Kind: f.Kind, Key: f.Key, Text: f.Text})
		}
	}
	return facts
}

func writeStream(r *Reader, out *bufio.Writer, s Stream) error {
	text := recordText{out: out, process: s.Process, ring: s.Ring}
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	for _, i := range s.blocks {
		b := &r.blocks[i]
		payload, err := r.file.read(b, t)
		if err == nil {
			t.whole, err = t.decoder.decode(t.whole[:0], payload, int(b.count))
		}
		if err != nil {
			r.damage.note(b, 0, err)
			continue
		}
		if err := text.add(b.position, t.whole); err != nil {
			return err
		}
	}
	return text.flush()
}

// A recordText writes the lines of one ring buffer's records. It does not use encoding/json, which is too slow for
// millions of records. A call waits until the next record is known, because the call's More record (further
// arguments) goes into the same line, even if it is in the next block.
type recordText struct {
	out     *bufio.Writer
	process ProcessIndex
	ring    uint16
	line    []byte
	call    wire.Record // the call that waits for its More record; only if waits is set
	waits   bool
	at      uint64 // the ring position of call
}

func (x *recordText) write(position uint64, record wire.Record, more *wire.More) error {
	line := append(x.line[:0], `{"process":`...)
	line = strconv.AppendUint(line, uint64(x.process), 10)
	line = append(line, `,"ring":`...)
	line = strconv.AppendUint(line, uint64(x.ring), 10)
	line = append(line, `,"position":`...)
	line = strconv.AppendUint(line, position, 10)
	line = append(line, `,"record":`...)
	x.line = append(wire.AppendText(line, record, more), "}\n"...)
	_, err := x.out.Write(x.line)
	return err
}

// flush writes the call that waits for its More record (further arguments), if there is one. It is called when the
// More record does not follow.
func (x *recordText) flush() error {
	if !x.waits {
		return nil
	}
	x.waits = false
	return x.write(x.at, x.call, nil)
}

// add writes lines for the next records of the ring buffer; first is the ring position of records[0].
func (x *recordText) add(first uint64, records []wire.Record) error {
	for i, record := range records {
		position := first + uint64(i)
		if x.waits && record.Call == wire.CallMore && record.Flags == 0 && position == x.at+1 {
			more := record.More()
			x.waits = false
			if err := x.write(x.at, x.call, &more); err != nil {
				return err
			}
			continue
		}
		if err := x.flush(); err != nil {
			return err
		}
		if record.Call != wire.CallMore && record.Flags&wire.HasMore != 0 {
			x.call, x.at, x.waits = record, position, true
		} else if err := x.write(position, record, nil); err != nil {
			return err
		}
	}
	return nil
}
