package timeline

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"

	"mtrace/analyze"
)

// firefox writes the profile format of https://profiler.firefox.com, version 31, which newer versions upgrade:
// https://github.com/firefox-devtools/profiler/blob/main/docs-developer/gecko-profile-format.md. Each track becomes a
// thread whose slices (named intervals) are markers. The format has the data of a thread in one place, so slices are
// kept in memory until the end.
type firefox struct {
	w      *bufio.Writer
	tracks []track // by trackID
	on     map[trackID]*firefoxThread
	of     *analyze.Trace // the trace of any slice of the run
	line   []byte
	err    error
}

// firefoxThread has the data of a track.
type firefoxThread struct {
	markers []firefoxMarker
	strings map[string]int
	list    []string // strings by number
}

type firefoxMarker struct {
	analyze.Interval
	name, category, details int // numbers of strings
}

// NewFirefox returns a Writer of JSON for Firefox's profiler: calls and GPU work as markers, without arrows and
// counters.
func NewFirefox(w io.Writer) *Writer {
	return newWriter(&firefox{w: bufio.NewWriterSize(w, 1<<18), tracks: []track{{}}, on: map[trackID]*firefoxThread{}})
}

// about implements describer.
func (f *firefox) about(t *analyze.Trace) { f.of = t }

func (f *firefox) declare(t track) { f.tracks = append(f.tracks, t) }

func (f *firefox) begin(s *slice) {
	t := f.on[s.track]
	if t == nil {
		t = &firefoxThread{strings: map[string]int{}}
		f.on[s.track] = t
	}
	var details []byte
	for _, a := range s.args {
		if len(details) > 0 {
			details = append(details, "; "...)
		}
		details = append(append(details, a.name...), ": "...)
		if a.text != "" {
			details = append(details, a.text...)
		} else {
			details = strconv.AppendUint(details, a.value, 10)
		}
	}
	t.markers = append(t.markers, firefoxMarker{s.Interval, t.number(s.name), t.number(s.category),
		t.number(string(details))})
}

func (t *firefoxThread) number(text string) int {
	n, known := t.strings[text]
	if !known {
		n = len(t.list)
		t.strings[text] = n
		t.list = append(t.list, text)
	}
	return n
}

func (f *firefox) end(trackID, analyze.Nanos, uint64) {}

func (f *firefox) count(trackID, analyze.Nanos, int64) {}

func (f *firefox) failed() error { return f.err }

// firefoxColors has the profiler's names of colours for categories; other categories are grey.
var firefoxColors = map[string]string{"acquire": "orange", "encode": "blue", "commit": "green", "wait": "red",
	"compile": "magenta", "allocate": "brown", "lock": "purple",
	"gpu": "yellow", "scope": "lightblue"}

func (f *firefox) finish() error {
	origin := f.origin()
	var categories []string
	for id := range f.tracks {
		if t := f.on[trackID(id)]; t != nil {
			for _, m := range t.markers {
				if name := t.list[m.category]; !slices.Contains(categories, name) {
					categories = append(categories, name)
				}
			}
		}
	}
	f.head(categories)
	separator := "\n"
	for id := range f.tracks {
		if t := f.on[trackID(id)]; t != nil {
			f.line = append(f.line, separator...)
			f.thread(&f.tracks[id], t, origin, categories)
			separator = ",\n"
		}
	}
	f.line = append(f.line, "]}\n"...)
	f.write()
	if f.err != nil {
		return f.err
	}
	return f.w.Flush()
}

// origin returns when the first slice begins.
func (f *firefox) origin() (origin analyze.Nanos) {
	first := true
	for _, t := range f.on {
		for _, m := range t.markers {
			if first || m.Begin < origin {
				origin, first = m.Begin, false
			}
		}
	}
	return origin
}

// head writes the data of the whole profile: the categories of markers, and which fields of a marker are displayed.
func (f *firefox) head(categories []string) {
	started, product := int64(0), "mtrace"
	if f.of != nil && !f.of.Source.Started.IsZero() {
		started = f.of.Source.Started.UnixMilli()
	}
	if f.of != nil {
		product = cmp.Or(f.of.Source.Program, product)
	}
	f.line = append(f.line, `{"meta":{"version":31,"interval":1,"stackwalk":0,"debug":0,"gcpoison":0,"asyncstack":0,`+
		`"processType":0,"shutdownTime":null,"product":`...)
	f.line = append(analyze.AppendJSON(f.line, product), `,"startTime":`...)
	f.line = strconv.AppendInt(f.line, started, 10)
	f.line = append(f.line, `,"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}`...)
	for _, name := range categories {
		f.line = append(analyze.AppendJSON(append(f.line, `,{"name":`...), cmp.Or(name, "Metal")), `,"color":"`...)
		f.line = append(append(f.line, cmp.Or(firefoxColors[name], "grey")...), `","subcategories":["Other"]}`...)
	}
	f.line = append(f.line, `],"markerSchema":[{"name":"mtrace","tooltipLabel":"{marker.name}",`+
		`"tableLabel":"{marker.data.details}","chartLabel":"{marker.name}",`+
		`"display":["marker-chart","marker-table","timeline-overview"],"data":[{"key":"details","label":"Details",`+
		`"format":"string","searchable":true}]}]},`+"\n"...)
	f.line = append(f.line, `"libs":[],"pausedRanges":[],"processes":[],"threads":[`...)
	f.write()
}

// firefoxEmpty has the tables that the format requires of each thread, without any samples.
const firefoxEmpty = `"samples":{"schema":{"stack":0,"time":1,"eventDelay":2},"data":[]},` +
	`"frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"implementation":3,"line":4,"column":5,` +
	`"category":6,"subcategory":7},"data":[]},` +
	`"stackTable":{"schema":{"prefix":0,"frame":1},"data":[]},`

// thread writes a track.
func (f *firefox) thread(t *track, of *firefoxThread, origin analyze.Nanos, categories []string) {
	slices.SortStableFunc(of.markers, func(a, b firefoxMarker) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin),
			cmp.Compare(b.End, a.End))
	})
	pid, tid := int64(0), queueThreads+int64(t.id)
	process := ""
	if t.process != nil {
		pid, process = int64(t.process.ID), t.process.Program
	}
	if t.thread != nil {
		tid = int64(t.thread.ID)
	}
	f.line = append(f.line, `{"processType":"default","registerTime":0,"unregisterTime":null,"pid":`...)
	f.line = append(strconv.AppendInt(f.line, pid, 10), `,"tid":`...)
	f.line = append(strconv.AppendInt(f.line, tid, 10), `,"name":`...)
	f.line = append(analyze.AppendJSON(f.line, cmp.Or(t.name, strconv.FormatInt(tid, 10))), `,"processName":`...)
	f.line = append(analyze.AppendJSON(f.line, process), ",\n"...)
	f.line = append(f.line, firefoxEmpty...)
	f.line = append(f.line, `"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,`+
		`"data":5},"data":[`...)
	for i, m := range of.markers {
		if i > 0 {
			f.line = append(f.line, ",\n"...)
		}
		f.line = append(strconv.AppendInt(append(f.line, '['), int64(m.name), 10), ',')
		f.line = append(appendMillis(f.line, m.Begin-origin), ',')
		f.line = append(appendMillis(f.line, m.End-origin), ",1,"...)
		f.line = strconv.AppendInt(f.line, int64(1+slices.Index(categories, of.list[m.category])), 10)
		f.line = analyze.AppendJSON(append(f.line, `,{"type":"mtrace","details":`...), of.list[m.details])
		f.line = append(f.line, "}]"...)
		f.write()
	}
	f.line = append(f.line, `]},"stringTable":[`...)
	for i, text := range of.list {
		if i > 0 {
			f.line = append(f.line, ',')
		}
		f.line = analyze.AppendJSON(f.line, text)
		f.write()
	}
	f.line = append(f.line, "]}"...)
	f.write()
}

// appendMillis appends a time in milliseconds with six decimals, so that no nanosecond is lost.
func appendMillis(b []byte, n analyze.Nanos) []byte {
	b = strconv.AppendInt(b, int64(n/1e6), 10)
	rest := strconv.AppendInt(nil, 1e6+int64(n%1e6), 10)
	return append(append(b, '.'), rest[1:]...)
}

// write appends the buffered line to the file and empties the buffer. The first error is kept.
func (f *firefox) write() {
	if f.err == nil {
		_, f.err = f.w.Write(f.line)
	}
	f.line = f.line[:0]
}
