package tracefile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"mtrace/collector/wire"
)

// longestLine is the maximum length of a line of the text form, in bytes; a longer line is an error.
const longestLine = 4 << 20

// ReadText reads the text form of a trace and writes the trace to path. An error contains the number of the wrong
// line.
func ReadText(in io.Reader, path string) error {
	return readText(in, func(info Info) (*Writer, error) { return Create(path, info) })
}

// readText reads the text form of a trace and writes the trace. It calls create with the Info of the first line.
func readText(in io.Reader, create func(Info) (*Writer, error)) error {
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
	w, err := create(*l.Info)
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

// A textLoader writes the content of lines of the text form to a trace.
type textLoader struct {
	writer    *Writer
	processes ProcessIndex
	next      map[streamKey]uint64
	records   []wire.Record
}

// fact writes a fact to the trace, or returns an error if the fact is invalid: a reader of the trace would refuse it
// later.
func (t *textLoader) fact(p ProcessIndex, f wire.Fact) error {
	if err := f.Check(); err != nil {
		return err
	}
	return t.writer.Facts(p, []wire.Fact{f})
}

// threadTime writes a sample of a thread's processor time to the trace, or returns an error if the sample is invalid.
func (t *textLoader) threadTime(p ProcessIndex, n [4]int64) error {
	times, err := wire.DecodeThreadTimes(nil, wire.AppendThreadTime(nil, wire.ThreadTime{Thread: uint64(n[0]), At: n[1],
		Ran: n[2], Waited: n[3]}))
	if err != nil {
		return err
	}
	return t.writer.ThreadTimes(p, times)
}

func (t *textLoader) load(l *textLine) error {
	if l.Process == nil {
		return fmt.Errorf("the line does not name a process")
	}
	p := *l.Process
	if l.Header != nil {
		if p != t.processes {
			return fmt.Errorf("process %d begins, but the next one must be %d", p, t.processes)
		}
		t.processes++
		t.writer.AddProcess(l.Header.Hello)
		t.writer.Ahead(p, l.Header.Ahead)
		return t.writer.Region(p, l.Header.Clock, l.Header.TimebaseNumer, l.Header.TimebaseDenom)
	}
	if p >= t.processes {
		return fmt.Errorf("process %d has not begun", p)
	}
	switch {
	case l.Fact != nil:
		return t.fact(p, wire.Fact{Kind: l.Fact.Kind, Key: l.Fact.Key, Aux: l.Fact.Aux, Text: l.Fact.Text})
	case l.Stack != nil:
		f, err := l.Stack.stack()
		if err != nil {
			return err
		}
		return t.writer.Facts(p, []wire.Fact{f})
	case l.Sample != nil:
		return t.writer.Samples(p, []wire.ClockSample{{Ticks: wire.Ticks(l.Sample[0]), Nanos: l.Sample[1]}})
	case l.Thread != nil:
		return t.threadTime(p, *l.Thread)
	case l.SoFar != nil:
		return t.writer.SoFar(p, *l.SoFar)
	case l.End != nil:
		return t.writer.EndProcess(p, *l.End)
	case l.Record == nil || l.Ring == nil:
		return fmt.Errorf("the line has no data of process %d that this mtrace knows", p)
	case *l.Ring >= wire.RingCount:
		return fmt.Errorf("ring %d does not exist: there are %d rings", *l.Ring, wire.RingCount)
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
	if position < t.next[key] { // checked here too, because after a process's end the writer forgets the ring's position
		return fmt.Errorf("records of ring %d at position %d overlap earlier ones, which end at %d", *l.Ring, position,
			t.next[key])
	}
	t.next[key] = position + uint64(len(t.records))
	return t.writer.Records(p, *l.Ring, position, t.records)
}
