// Package pprof writes a recording of Instruments as pprof profiles: GPU time by
// label, and CPU samples by stack.
package pprof

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	traceprofile "mtrace/analyze/profile"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
)

// GPU returns the pprof profile of the GPU time of the processes that f selects, in the form of mtrace's own traces.
func GPU(r *xctrace.Recording, f summary.Filter) (*profile.Profile, error) {
	trace, err := summary.Trace(r, f)
	if err != nil {
		return nil, err
	}
	return traceprofile.Build("gpu", trace)
}

// CPU returns the pprof profile of the CPU samples of the processes that f selects; nil if there are none.
func CPU(r *xctrace.Recording, f summary.Filter) (*profile.Profile, error) {
	rows, err := summary.Select(r, f)
	if err != nil {
		return nil, err
	}
	b := newBuilder(r, rows, []*profile.ValueType{
		{Type: "samples", Unit: "count"},
		{Type: "cpu", Unit: "nanoseconds"},
	}, "cpu")
	samples := 0
	rows.Samples(func(s *xctrace.CPUSample) {
		if s.Cycles {
			b.profile.SampleType[1] = &profile.ValueType{Type: "cpu", Unit: "cycles"}
		}
		samples++
		var stack []frame
		for _, i := range r.Stacks[s.Stack] {
			f := r.Frames[i]
			name := f.Name
			if name == "" {
				name = fmt.Sprintf("0x%x", f.Address)
			}
			stack = append(stack, frame{name, f.Address, f.Binary, f.File, f.Line})
		}
		if len(stack) == 0 {
			stack = []frame{{name: "(no stack)"}}
		}
		process := s.Process
		if process == 0 {
			process = r.Threads[s.Thread].Process
		}
		b.add(stack, process, s.Thread, []int64{1, int64(min(s.Weight, 1<<62))})
	})
	if samples == 0 {
		return nil, nil
	}
	return b.finish()
}

type frame struct {
	name    string
	address uint64
	binary  string
	file    string
	line    uint32
}

// function identifies a function, for which the profile has one entry.
type function struct{ name, binary, file string }

type builder struct {
	recording *xctrace.Recording
	profile   *profile.Profile
	samples   map[string]*profile.Sample
	locations map[frame]*profile.Location
	functions map[function]*profile.Function
	mappings  map[string]*profile.Mapping
	key       strings.Builder
}

func newBuilder(r *xctrace.Recording, rows *summary.Rows, types []*profile.ValueType, period string) *builder {
	from, to := rows.Window()
	p := &profile.Profile{
		SampleType:    types,
		PeriodType:    &profile.ValueType{Type: period, Unit: "nanoseconds"},
		Period:        1,
		DurationNanos: int64(to - from),
	}
	p.DefaultSampleType = types[1].Type
	if r.Run != nil && !r.Run.Started.IsZero() {
		p.TimeNanos = r.Run.Started.Add(time.Duration(from)).UnixNano()
	}
	return &builder{
		recording: r, profile: p,
		samples: map[string]*profile.Sample{}, locations: map[frame]*profile.Location{},
		functions: map[function]*profile.Function{}, mappings: map[string]*profile.Mapping{},
	}
}

// add adds values to the sample with this stack, process and thread, and creates the sample if it is new.
func (b *builder) add(stack []frame, process xctrace.ProcessIndex, thread xctrace.ThreadIndex, values []int64) {
	b.key.Reset()
	fmt.Fprint(&b.key, process, " ", thread)
	locations := make([]*profile.Location, len(stack))
	for i, f := range stack {
		locations[i] = b.location(f)
		fmt.Fprint(&b.key, " ", locations[i].ID)
	}
	if s := b.samples[b.key.String()]; s != nil {
		for i, v := range values {
			s.Value[i] += v
		}
		return
	}
	s := &profile.Sample{Location: locations, Value: append([]int64(nil), values...), Label: map[string][]string{},
		NumLabel: map[string][]int64{}}
	if p := b.recording.Processes[process]; process != 0 {
		s.Label["process"] = []string{p.Name}
		s.NumLabel["pid"] = []int64{int64(p.PID)}
	}
	if t := b.recording.Threads[thread]; thread != 0 {
		s.Label["thread"] = []string{t.Name}
		s.NumLabel["tid"] = []int64{int64(t.TID)}
	}
	b.samples[b.key.String()] = s
	b.profile.Sample = append(b.profile.Sample, s)
}

func (b *builder) location(f frame) *profile.Location {
	if l := b.locations[f]; l != nil {
		return l
	}
	l := &profile.Location{ID: uint64(len(b.profile.Location) + 1), Address: f.address,
		Line: []profile.Line{{Function: b.function(f), Line: int64(f.line)}}}
	if f.binary != "" {
		l.Mapping = b.mapping(f.binary)
	}
	b.profile.Location = append(b.profile.Location, l)
	b.locations[f] = l
	return l
}

func (b *builder) function(f frame) *profile.Function {
	key := function{f.name, f.binary, f.file}
	fn := b.functions[key]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: f.name, SystemName: f.name,
			Filename: f.file}
		b.functions[key] = fn
		b.profile.Function = append(b.profile.Function, fn)
	}
	return fn
}

// mapping returns the profile's entry for a library. Its load address is not known.
func (b *builder) mapping(binary string) *profile.Mapping {
	m := b.mappings[binary]
	if m == nil {
		m = &profile.Mapping{ID: uint64(len(b.profile.Mapping) + 1), File: binary, HasFunctions: true}
		b.mappings[binary] = m
		b.profile.Mapping = append(b.profile.Mapping, m)
	}
	return m
}

func (b *builder) finish() (*profile.Profile, error) {
	return b.profile, b.profile.CheckValid()
}
