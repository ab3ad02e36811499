// Package metrics counts events while they are recorded, from the text form of growing traces, and serves the counts to
// Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4 of the text format.
package metrics

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/proto"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A Recording counts the events of one trace while it is recorded. Write it the trace's text form, in pieces of any
// size.
type Recording struct {
	Name  string // name of the trace
	Bytes int64  // size of the trace so far
	Ended bool

	rest      []byte // the beginning of a line whose end was not written yet
	processes map[int]*process
}

// process has the counters of one traced process.
type process struct {
	program             string
	pid                 int
	calls               map[string]uint64
	threads             map[uint64]bool
	committed, finished uint64
	failed              uint64
	busy, upTo          int64 // nanoseconds on the GPU; the time up to which they are counted
	lost                uint64
}

// NewRecording returns a recording without counts.
func NewRecording(name string) *Recording {
	return &Recording{Name: name, processes: map[int]*process{}}
}

// A line has those fields of one line of the trace's text form (JSON) from which events are counted.
type line struct {
	Process int
	Header  *struct {
		Hello struct {
			PID     int
			Program string
		}
	}
	Record *struct {
		Call, Family string
		Arg          uint64
		More         []uint64
	}
	End    *tracefile.End
	Result *struct{}
}

// Write counts the complete lines in b and keeps the rest for the next call. Lines that are not JSON are skipped.
func (r *Recording) Write(b []byte) (int, error) {
	r.rest = append(r.rest, b...)
	for {
		i := bytes.IndexByte(r.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		var l line
		if json.Unmarshal(r.rest[:i], &l) == nil {
			r.line(&l)
		}
		r.rest = r.rest[i+1:]
	}
}

func (r *Recording) line(l *line) {
	if l.Result != nil {
		r.Ended = true
		return
	}
	p := r.processes[l.Process]
	if p == nil {
		if l.Header == nil && l.Record == nil && l.End == nil {
			return
		}
		p = &process{calls: map[string]uint64{}, threads: map[uint64]bool{}}
		r.processes[l.Process] = p
	}
	switch {
	case l.Header != nil:
		p.program, p.pid = filepath.Base(l.Header.Hello.Program), l.Header.Hello.PID
	case l.End != nil:
		p.lost = l.End.Lost()
	case l.Record != nil:
		p.record(l.Record.Call, l.Record.Family, l.Record.Arg, l.Record.More)
	}
}

func (p *process) record(call, family string, arg uint64, more []uint64) {
	switch {
	case family != wire.FamilyTracer.String():
		p.calls[call]++
		switch commits[[2]string{family, call}] {
		case wire.KindCommandBuffer:
			p.committed++
		case wire.KindQueue: // of Metal 4: so many at once
			p.committed += arg
		}
	case call == wire.CallThreadStart.String():
		p.threads[arg] = true
	case call == wire.CallCompleted.String():
		p.finished++
		if arg&0xff != completed {
			p.failed++
		}
		if len(more) > 1 { // usually in the order of their ends: overlapping times count once
			begin, end := int64(more[0]), int64(more[1])
			if begin = max(begin, p.upTo); end > begin && more[0] > 0 {
				p.busy, p.upTo = p.busy+end-begin, end
			}
		}
	}
}

// completed is MTLCommandBufferStatusCompleted.
const completed = 4

// commits holds the calls that commit command buffers, by family and selector. The value is the kind of object on
// which the call is made: a command buffer, or in Metal 4 a queue.
var commits = func() map[[2]string]wire.Kind {
	all := map[[2]string]wire.Kind{}
	for i := range wire.Table {
		if r := &wire.Table[i]; r.Effect.Commits() {
			all[[2]string{r.Family.String(), r.Selector}] = r.Object.Kind
		}
	}
	return all
}()

// A figure is a Prometheus metric; the function `of` returns its values for a process.
type figure struct {
	name, help string
	kind       dto.MetricType
	of         func(p *process) (values []value)
}

type value struct {
	labels []*dto.LabelPair // without the process's labels
	value  float64
}

func one[N uint64 | int](f func(p *process) N) func(p *process) []value {
	return func(p *process) []value { return []value{{nil, float64(f(p))}} }
}

const (
	counter = dto.MetricType_COUNTER
	gauge   = dto.MetricType_GAUGE
)

// figures lists the metrics. Only processes that made calls have them.
var figures = []figure{
	{"mtrace_calls_total", "Calls that returned, by their Objective-C selector or C symbol.", counter,
		func(p *process) (list []value) {
			for _, call := range slices.Sorted(maps.Keys(p.calls)) {
				list = append(list, value{labels("selector", call), float64(p.calls[call])})
			}
			return list
		}},
	{"mtrace_threads", "Threads that have made calls.", gauge, one(func(p *process) int { return len(p.threads) })},
	{"mtrace_command_buffers_committed_total", "Command buffers that were committed.", counter,
		one(func(p *process) uint64 { return p.committed })},
	{"mtrace_command_buffers_completed_total", "Command buffers that have completed, including those that failed.",
		counter,
		one(func(p *process) uint64 { return p.finished })},
	{"mtrace_command_buffers_failed_total", "Command buffers that have completed with an error.", counter,
		one(func(p *process) uint64 { return p.failed })},
	{"mtrace_command_buffers_in_flight", "Command buffers that were committed and have not completed.", gauge,
		one(func(p *process) uint64 { return p.committed - min(p.committed, p.finished) })},
	{"mtrace_gpu_busy_seconds_total", "Time in which the GPU ran the process's work; overlapping work counts once.",
		counter, func(p *process) []value {
			return []value{{nil, float64(p.busy) / 1e9}}
		}},
	{"mtrace_records_lost_total", "Records that the trace lacks; 0 until the process has ended.",
		counter, one(func(p *process) uint64 { return p.lost })},
}

// labels returns Prometheus labels from pairs of name and value.
func labels(pairs ...string) (list []*dto.LabelPair) {
	for ; len(pairs) > 1; pairs = pairs[2:] {
		list = append(list, &dto.LabelPair{Name: proto.String(pairs[0]),
			Value: proto.String(strings.ToValidUTF8(pairs[1], "?"))})
	}
	return list
}

// family returns a Prometheus metric family without samples.
func family(name, help string, kind dto.MetricType) *dto.MetricFamily {
	return &dto.MetricFamily{Name: proto.String(name), Help: proto.String(help), Type: kind.Enum()}
}

func add(f *dto.MetricFamily, v float64, labels []*dto.LabelPair) {
	m := &dto.Metric{Label: labels}
	if f.GetType() == counter {
		m.Counter = &dto.Counter{Value: proto.Float64(v)}
	} else {
		m.Gauge = &dto.Gauge{Value: proto.Float64(v)}
	}
	f.Metric = append(f.Metric, m)
}

// Write writes all recordings' metrics in Prometheus's text format.
func Write(w io.Writer, recordings []*Recording) error {
	recordings = slices.SortedFunc(slices.Values(recordings),
		func(x, y *Recording) int { return cmp.Compare(x.Name, y.Name) })
	recorded := family("mtrace_recording", "1 while the trace is being recorded, 0 when it has ended.", gauge)
	size := family("mtrace_trace_bytes", "Size of the trace.", gauge)
	for _, r := range recordings {
		going := 1.0
		if r.Ended {
			going = 0
		}
		add(recorded, going, labels("trace", r.Name))
		add(size, float64(r.Bytes), labels("trace", r.Name))
	}
	all := []*dto.MetricFamily{recorded, size}
	for _, figure := range figures {
		all = append(all, figure.family(recordings))
	}
	for _, f := range all {
		if len(f.Metric) == 0 {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return err
		}
	}
	return nil
}

func (f *figure) family(recordings []*Recording) *dto.MetricFamily {
	of := family(f.name, f.help, f.kind)
	for _, r := range recordings {
		for _, index := range slices.Sorted(maps.Keys(r.processes)) {
			p := r.processes[index]
			if len(p.calls) == 0 {
				continue // the process does not use Metal
			}
			for _, v := range f.of(p) {
				add(of, v.value, append(labels("trace", r.Name, "program", p.program, "pid", strconv.Itoa(p.pid), "process",
					strconv.Itoa(index)), v.labels...))
			}
		}
	}
	return of
}
