package profile

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
)

// A builder adds up samples with the same stack and labels.
type builder struct {
	profile   *profile.Profile
	samples   map[string]*profile.Sample
	locations map[string]*profile.Location
	key       []byte
}

// labels are those of CONTRACT.md, which every sample has. Thread ids and process ids are numbers, so that
// `-tagfocus tid=123` finds them; thread and queue are names.
type labels struct {
	thread *analyze.Thread // nil when not known
	queue  *analyze.Queue  // nil when there is none, or it is not known
	other  string          // of waits: the thread that was waited for
}

func newBuilder(t *analyze.Trace, types ...*profile.ValueType) *builder {
	p := &profile.Profile{SampleType: types, DurationNanos: int64(t.Window.Length()), DefaultSampleType: types[1].Type}
	if !t.Source.Started.IsZero() {
		p.TimeNanos = t.Source.Started.UnixNano()
	}
	p.Mapping = []*profile.Mapping{{ID: 1, File: cmp.Or(t.Source.Program, "unknown"), HasFunctions: true, HasFilenames: true, HasLineNumbers: true}}
	p.Comments = append(p.Comments, t.Warnings...)
	if t.Source.SoftwareMetal {
		p.Comments = append(p.Comments, "times of a software Metal, not of a GPU")
	}
	return &builder{profile: p, samples: map[string]*profile.Sample{}, locations: map[string]*profile.Location{}}
}

// add adds values to the sample of that stack, leaf first, and those labels. Empty frames are left out.
func (b *builder) add(stack []string, l labels, values ...int64) {
	b.key = b.key[:0]
	locations := make([]*profile.Location, 0, len(stack))
	for _, name := range stack {
		if name == "" {
			continue
		}
		at := b.location(name)
		locations = append(locations, at)
		b.key = binary.AppendUvarint(b.key, at.ID)
	}
	b.key = fmt.Appendf(b.key, "|%p|%p|%s", l.thread, l.queue, l.other)
	s := b.samples[string(b.key)]
	if s == nil {
		s = &profile.Sample{Location: locations, Value: make([]int64, len(values)), Label: l.text(), NumLabel: l.numbers()}
		b.samples[string(b.key)] = s
		b.profile.Sample = append(b.profile.Sample, s)
	}
	for i, v := range values {
		s.Value[i] += v
	}
}

func (b *builder) location(name string) *profile.Location {
	at := b.locations[name]
	if at == nil {
		f := &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: name, SystemName: name}
		b.profile.Function = append(b.profile.Function, f)
		at = &profile.Location{ID: f.ID, Mapping: b.profile.Mapping[0], Line: []profile.Line{{Function: f}}}
		b.profile.Location = append(b.profile.Location, at)
		b.locations[name] = at
	}
	return at
}

func (l labels) text() map[string][]string {
	m := map[string][]string{"thread": {threadName(l.thread)}, "queue": {queueName(l.queue)}}
	if l.other != "" {
		m["waits_for"] = []string{l.other}
	}
	return m
}

func (l labels) numbers() map[string][]int64 {
	m := map[string][]int64{"tid": {0}, "pid": {0}}
	if l.thread != nil {
		m["tid"][0] = int64(l.thread.ID)
		if l.thread.Process != nil {
			m["pid"][0] = int64(l.thread.Process.ID)
		}
	}
	return m
}

func threadName(t *analyze.Thread) string {
	if t == nil {
		return "unknown"
	}
	return cmp.Or(t.Name, fmt.Sprintf("thread %d", t.ID))
}

func queueName(q *analyze.Queue) string {
	if q == nil {
		return "none"
	}
	return cmp.Or(q.Label, fmt.Sprintf("queue %d", q.ID))
}
