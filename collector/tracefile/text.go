package tracefile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"mtrace/collector/wire"
)

// The text form of a trace is one JSON object a line, in this order: the schema with the Info; for each process its hello,
// facts, clock samples, records by ring and, when it is known, its end; the result, when there is one. Read back it makes the
// same trace, so traces can be written and changed by hand.

// TextSchema is the value of "schema" in the first line.
const TextSchema = "mtrace.trace/1"

// textLine is a line as encoding/json sees it: exactly one of the pointers, or the record, is there.
type textLine struct {
	Schema   string          `json:"schema,omitempty"`
	Info     *Info           `json:"info,omitempty"`
	Process  *ProcessIndex   `json:"process,omitempty"`
	Header   *processHeader  `json:"header,omitempty"`
	Fact     *textFact       `json:"fact,omitempty"`
	Sample   *[2]int64       `json:"sample,omitempty"` // ticks, nanoseconds
	Ring     *uint16         `json:"ring,omitempty"`
	Position *uint64         `json:"position,omitempty"` // of a record; without it, behind the last
	Record   json.RawMessage `json:"record,omitempty"`
	End      *End            `json:"end,omitempty"`
	Result   *Result         `json:"result,omitempty"`
}

type textFact struct {
	Kind wire.FactKind `json:"kind"`
	Key  uint64        `json:"key"`
	Aux  uint16        `json:"aux,omitempty"`
	Text string        `json:"text"`
}

// WriteText writes the text form of a trace.
func (r *Reader) WriteText(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(textLine{Schema: TextSchema, Info: &r.info}); err != nil {
		return err
	}
	for i, p := range r.processes {
		index := ProcessIndex(i)
		header := processHeader{p.Hello, p.Clock, p.TimebaseNumer, p.TimebaseDenom}
		if err := lines.Encode(textLine{Process: &index, Header: &header}); err != nil {
			return err
		}
		for _, f := range p.facts() {
			if err := lines.Encode(textLine{Process: &index, Fact: &f}); err != nil {
				return err
			}
		}
		for _, s := range p.Samples {
			if err := lines.Encode(textLine{Process: &index, Sample: &[2]int64{int64(s.Ticks), s.Nanos}}); err != nil {
				return err
			}
		}
		for _, s := range r.streams {
			if s.Process != index {
				continue
			}
			if err := r.writeStream(out, s); err != nil {
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

// facts are what the process said, in an order that does not change.
func (p *Process) facts() (facts []textFact) {
	for _, id := range slices.Sorted(maps.Keys(p.Strings)) {
		facts = append(facts, textFact{Kind: wire.FactString, Key: uint64(id), Text: p.Strings[id]})
	}
	for _, i := range slices.Sorted(maps.Keys(p.Classes)) {
		facts = append(facts, textFact{Kind: wire.FactClass, Key: uint64(i), Aux: uint16(p.Classes[i].Family), Text: p.Classes[i].Name})
	}
	for _, id := range slices.Sorted(maps.Keys(p.Devices)) {
		f := textFact{Kind: wire.FactDevice, Key: uint64(id), Text: p.Devices[id].Name}
		if p.Devices[id].Software {
			f.Aux = 1
		}
		facts = append(facts, f)
	}
	for _, id := range slices.Sorted(maps.Keys(p.ThreadNames)) {
		facts = append(facts, textFact{Kind: wire.FactThreadName, Key: id, Text: p.ThreadNames[id]})
	}
	for _, text := range p.Warnings {
		facts = append(facts, textFact{Kind: wire.FactWarning, Text: text})
	}
	return facts
}

// writeStream writes records by hand: there are many. Where blocks end does not show: a call waits for its More record.
func (r *Reader) writeStream(out *bufio.Writer, s Stream) error {
	var line []byte
	var call *wire.Record // waits
	var at uint64         // its position
	write := func(position uint64, record wire.Record, more *wire.More) error {
		line = append(line[:0], `{"process":`...)
		line = strconv.AppendUint(line, uint64(s.Process), 10)
		line = append(line, `,"ring":`...)
		line = strconv.AppendUint(line, uint64(s.Ring), 10)
		line = append(line, `,"position":`...)
		line = strconv.AppendUint(line, position, 10)
		line = append(line, `,"record":`...)
		line = append(wire.AppendText(line, record, more), "}\n"...)
		_, err := out.Write(line)
		return err
	}
	flush := func() error {
		if call == nil {
			return nil
		}
		record := *call
		call = nil
		return write(at, record, nil)
	}
	n := 0
	err := r.Read(s, func(records []wire.Record) error {
		position := r.blocks[s.blocks[n]].position
		n++
		for i, record := range records {
			position := position + uint64(i)
			if call != nil && record.Call == wire.CallMore && record.Flags == 0 && position == at+1 {
				more, record := record.More(), *call
				call = nil
				if err := write(at, record, &more); err != nil {
					return err
				}
				continue
			}
			if err := flush(); err != nil {
				return err
			}
			if record.Call != wire.CallMore && record.Flags&wire.HasMore != 0 {
				call, at = &record, position
			} else if err := write(position, record, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// longestLine bounds a line of the text form, in bytes.
const longestLine = 4 << 20

// ReadText makes the trace at path from its text form. The error says which line is wrong.
func ReadText(in io.Reader, path string) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	number := 0
	next := func(l *textLine) (bool, error) {
		for lines.Scan() {
			number++
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			*l = textLine{}
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.DisallowUnknownFields()
			return true, d.Decode(l)
		}
		return false, lines.Err()
	}
	at := func(err error) error { return fmt.Errorf("line %d of the trace's text: %w", max(number, 1), err) }
	var l textLine
	if ok, err := next(&l); err != nil {
		return at(err)
	} else if !ok || l.Schema != TextSchema || l.Info == nil {
		return at(fmt.Errorf(`it does not begin with {"schema":%q,"info":…}`, TextSchema))
	}
	w, err := Create(path, *l.Info)
	if err != nil {
		return err
	}
	t := textLoader{writer: w, next: map[streamKey]uint64{}}
	var result Result
	for {
		ok, err := next(&l)
		if ok && err == nil {
			if l.Result != nil {
				result = *l.Result
				continue
			}
			err = t.load(&l)
		}
		if err != nil {
			w.Close(result)
			return at(err)
		}
		if !ok {
			return w.Close(result)
		}
	}
}

// A textLoader writes what lines say.
type textLoader struct {
	writer    *Writer
	processes ProcessIndex
	next      map[streamKey]uint64
	records   []wire.Record
}

func (t *textLoader) load(l *textLine) error {
	if l.Process == nil {
		return fmt.Errorf("it says no process")
	}
	p := *l.Process
	if l.Header != nil {
		if p != t.processes {
			return fmt.Errorf("process %d begins where %d should", p, t.processes)
		}
		t.processes++
		t.writer.AddProcess(l.Header.Hello)
		return t.writer.Region(p, l.Header.Clock, l.Header.TimebaseNumer, l.Header.TimebaseDenom)
	}
	if p >= t.processes {
		return fmt.Errorf("process %d has not begun", p)
	}
	switch {
	case l.Fact != nil:
		return t.writer.Facts(p, []wire.Fact{{Kind: l.Fact.Kind, Key: l.Fact.Key, Aux: l.Fact.Aux, Text: l.Fact.Text}})
	case l.Sample != nil:
		return t.writer.Samples(p, []wire.ClockSample{{Ticks: wire.Ticks(l.Sample[0]), Nanos: l.Sample[1]}})
	case l.End != nil:
		return t.writer.EndProcess(p, *l.End)
	case l.Record == nil || l.Ring == nil:
		return fmt.Errorf("it says nothing of process %d", p)
	case *l.Ring >= wire.RingCount:
		return fmt.Errorf("ring %d, but there are %d", *l.Ring, wire.RingCount)
	}
	var err error
	if t.records, err = wire.ParseText(t.records[:0], l.Record); err != nil {
		return err
	}
	key := streamKey{p, *l.Ring}
	position := t.next[key]
	if l.Position != nil {
		position = *l.Position
	}
	t.next[key] = position + uint64(len(t.records))
	return t.writer.Records(p, *l.Ring, position, t.records)
}
