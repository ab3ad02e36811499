package timeline

import (
	"bufio"
	"io"
	"math/bits"
	"strconv"

	"mtrace/analyze"
)

// chrome writes Chrome's Trace Event Format: a JSON object with a list of events, with times in microseconds.
type chrome struct {
	w      *bufio.Writer
	tracks []track // by trackID
	line   []byte
	any    bool
	err    error
}

func newChrome(w io.Writer) *chrome {
	return &chrome{w: bufio.NewWriterSize(w, 1<<18), tracks: []track{{}}}
}

// queueThreads is the first thread ID for tracks of queues. It is above all thread IDs of any system, so it collides
// with none.
const queueThreads = 1 << 40

func (c *chrome) place(t trackID) (pid, tid int64) {
	tr := &c.tracks[t]
	if tr.process != nil {
		pid = int64(tr.process.ID)
	}
	if tr.thread != nil {
		return pid, int64(tr.thread.ID)
	}
	return pid, queueThreads + int64(t)
}

// open begins an event. The caller appends the event's other fields and then calls close.
func (c *chrome) open(phase, name string, t trackID, at analyze.Nanos) {
	if c.any {
		c.line = append(c.line, ",\n"...)
	} else {
		c.line = append(c.line, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"...)
		c.any = true
	}
	pid, tid := c.place(t)
	c.line = append(c.line, `{"ph":"`...)
	c.line = append(c.line, phase...)
	c.line = append(c.line, `","pid":`...)
	c.line = strconv.AppendInt(c.line, pid, 10)
	c.line = append(c.line, `,"tid":`...)
	c.line = strconv.AppendInt(c.line, tid, 10)
	c.line = append(c.line, `,"ts":`...)
	c.line = appendMicros(c.line, at)
	c.line = append(c.line, `,"name":`...)
	c.line = analyze.AppendJSON(c.line, name)
}

func (c *chrome) close() {
	c.line = append(c.line, '}')
	if c.err == nil {
		_, c.err = c.w.Write(c.line)
	}
	c.line = c.line[:0]
}

func (c *chrome) declare(t track) {
	c.tracks = append(c.tracks, t)
	if t.counts != "" {
		return
	}
	kind, order := "thread_name", ""
	switch {
	case t.parent == 0 && t.process != nil:
		kind = "process_name"
	case t.thread == nil:
		order = strconv.Itoa(1000 + t.rank) // queues are listed below the threads
	}
	name := t.name
	if name == "" && t.thread != nil {
		name = strconv.FormatUint(uint64(t.thread.ID), 10)
	}
	c.open("M", kind, t.id, 0)
	c.line = append(c.line, `,"args":{"name":`...)
	c.line = analyze.AppendJSON(c.line, name)
	c.line = append(c.line, '}')
	c.close()
	if order != "" {
		c.open("M", "thread_sort_index", t.id, 0)
		c.line = append(c.line, `,"args":{"sort_index":`+order+`}`...)
		c.close()
	}
}

func (c *chrome) begin(s *slice) {
	c.open("X", s.name, s.track, s.Begin)
	c.line = append(c.line, `,"dur":`...)
	c.line = appendMicros(c.line, s.Length())
	c.line = append(c.line, `,"cat":`...)
	c.line = analyze.AppendJSON(c.line, s.category)
	sep := `,"args":{`
	for i := range s.args {
		a := &s.args[i]
		c.line = append(c.line, sep...)
		c.line = analyze.AppendJSON(c.line, a.name)
		c.line = append(c.line, ':')
		if a.text != "" {
			c.line = analyze.AppendJSON(c.line, a.text)
		} else {
			c.line = strconv.AppendUint(c.line, a.value, 10)
		}
		sep = ","
	}
	if sep == "," {
		c.line = append(c.line, '}')
	}
	c.close()
}

func (c *chrome) end(trackID, analyze.Nanos, uint64) {}

// arrow implements arrower.
func (c *chrome) arrow(name string, from trackID, begin analyze.Nanos, to trackID, end analyze.Nanos) {
	id := uint64(0) // make the ID from the process, so that it is the same however the run is divided into slices
	for _, part := range []uint64{uint64(from), uint64(begin), uint64(to), uint64(end)} {
		const odd = 0x9e3779b97f4a7c15 // an odd factor that spreads consecutive numbers
		id = bits.RotateLeft64((id^part)*odd, 29)
	}
	for _, stop := range []struct {
		phase string
		on    trackID
		at    analyze.Nanos
	}{{"s", from, begin}, {"f", to, end}} {
		c.open(stop.phase, name, stop.on, stop.at)
		c.line = append(c.line, `,"cat":"flow","id":"`...)
		c.line = strconv.AppendUint(c.line, id, 16)
		c.line = append(c.line, '"')
		if stop.phase == "f" { // the arrow ends at the slice that encloses its end
			c.line = append(c.line, `,"bp":"e"`...)
		}
		c.close()
	}
}

func (c *chrome) count(t trackID, at analyze.Nanos, value int64) {
	c.open("C", c.tracks[t].name, t, at)
	c.line = append(c.line, `,"args":{"`+c.tracks[t].counts+`":`...)
	c.line = strconv.AppendInt(c.line, value, 10)
	c.line = append(c.line, '}')
	c.close()
}

func (c *chrome) failed() error { return c.err }

func (c *chrome) finish() error {
	if !c.any {
		c.line = append(c.line, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"...)
	}
	c.line = append(c.line, "\n]}\n"...)
	if c.err == nil {
		_, c.err = c.w.Write(c.line)
	}
	if c.err != nil {
		return c.err
	}
	return c.w.Flush()
}

// appendMicros appends a time in microseconds, with three decimals if it is no whole number, so that no nanosecond is
// lost.
func appendMicros(b []byte, n analyze.Nanos) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, int64(n/1000), 10)
	if r := int64(n % 1000); r != 0 {
		b = append(b, '.', byte('0'+r/100), byte('0'+r/10%10), byte('0'+r%10))
	}
	return b
}
