package timeline

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"mtrace/analyze"
)

// speedscope writes the file format of https://www.speedscope.app: one profile for each track that has slices (named
// intervals). The format has the data of a profile in one place, so slices are kept in memory until the end, 24 bytes
// each.
type speedscope struct {
	w      *bufio.Writer
	tracks []track // by trackID
	on     map[trackID][]opened
	frames map[string]int
	names  []string // the names of the frames, by their number
	line   []byte
	err    error
}

// opened is what the format needs of a slice (a named interval on a track): its times and the number of its name.
type opened struct {
	analyze.Interval
	frame int
}

// NewSpeedscope returns a Writer of JSON for Speedscope: calls and GPU work, without arrows and counters.
func NewSpeedscope(w io.Writer) *Writer {
	return newWriter(&speedscope{w: bufio.NewWriterSize(w, 1<<18), tracks: []track{{}}, on: map[trackID][]opened{},
		frames: map[string]int{}})
}

func (s *speedscope) declare(t track) { s.tracks = append(s.tracks, t) }

func (s *speedscope) begin(sl *slice) {
	frame, known := s.frames[sl.name]
	if !known {
		frame = len(s.names)
		s.frames[sl.name] = frame
		s.names = append(s.names, sl.name)
	}
	s.on[sl.track] = append(s.on[sl.track], opened{sl.Interval, frame})
}

func (s *speedscope) end(trackID, analyze.Nanos, uint64) {}

func (s *speedscope) count(trackID, analyze.Nanos, int64) {}

func (s *speedscope) failed() error { return s.err }

func (s *speedscope) finish() error {
	s.line = append(s.line, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","+
		"\"exporter\":\"mtrace\",\n\"profiles\":["...)
	separator := "\n"
	for id := range s.tracks {
		if slices := s.on[trackID(id)]; len(slices) > 0 {
			s.line = append(s.line, separator...)
			s.profile(&s.tracks[id], slices)
			separator = ",\n"
		}
	}
	s.line = append(s.line, "],\n\"shared\":{\"frames\":["...)
	separator = "\n"
	for _, name := range s.names {
		s.line = append(append(s.line, separator...), `{"name":`...)
		s.line = append(analyze.AppendJSON(s.line, name), '}')
		separator = ",\n"
		s.write()
	}
	s.line = append(s.line, "]}}\n"...)
	s.write()
	if s.err != nil {
		return s.err
	}
	return s.w.Flush()
}

// profile writes a track. Its slices (named intervals) must nest, or Speedscope rejects the file. A slice may end
// after the slice around it, because a clock was read late; it is cut then.
func (s *speedscope) profile(t *track, list []opened) {
	slices.SortStableFunc(list, func(a, b opened) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin),
			cmp.Compare(b.End, a.End))
	})
	last := list[0].End
	for _, o := range list {
		last = max(last, o.End)
	}
	s.line = append(s.line, `{"type":"evented","unit":"nanoseconds","name":`...)
	s.line = analyze.AppendJSON(s.line, profileName(t))
	s.line = append(s.line, `,"startValue":`...)
	s.line = strconv.AppendInt(s.line, int64(list[0].Begin), 10)
	s.line = append(s.line, `,"endValue":`...)
	s.line = strconv.AppendInt(s.line, int64(last), 10)
	s.line = append(s.line, `,"events":[`...)
	var around []opened
	separator := ""
	event := func(kind byte, frame int, at analyze.Nanos) {
		s.line = append(append(s.line, separator...), `{"type":"`...)
		s.line = append(append(s.line, kind), `","frame":`...)
		s.line = append(strconv.AppendInt(s.line, int64(frame), 10), `,"at":`...)
		s.line = append(strconv.AppendInt(s.line, int64(at), 10), '}')
		separator = ","
		s.write()
	}
	leave := func(until analyze.Nanos) {
		for n := len(around) - 1; n >= 0 && around[n].End <= until; n-- {
			event('C', around[n].frame, around[n].End)
			around = around[:n]
		}
	}
	for _, o := range list {
		leave(o.Begin)
		if n := len(around); n > 0 {
			o.End = min(o.End, around[n-1].End)
		}
		event('O', o.frame, o.Begin)
		around = append(around, o)
	}
	leave(last)
	s.line = append(s.line, "]}"...)
	s.write()
}

// profileName returns the name of a track as Speedscope lists it: with thread ID, program and process ID.
func profileName(t *track) string {
	name := t.name
	if t.thread != nil {
		name = fmt.Sprintf("%s %d", name, t.thread.ID)
	}
	if t.process == nil {
		return name
	}
	return fmt.Sprintf("%s, %s %d", name, t.process.Program, t.process.ID)
}

// write appends the buffered line to the file and empties the buffer. The first error is kept.
func (s *speedscope) write() {
	if s.err == nil {
		_, s.err = s.w.Write(s.line)
	}
	s.line = s.line[:0]
}
