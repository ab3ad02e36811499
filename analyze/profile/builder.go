package profile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
)

// A builder makes one pprof profile. It adds up samples that have the same stack and labels.
type builder struct {
	profile   *profile.Profile
	samples   map[labels]map[string]*profile.Sample // keyed by the numbers of their locations
	recent    [16]labelled                          // labels of recent samples, by the last bits of the thread's ID
	locations map[string]*profile.Location          // for names that are not code: kernels, labels, selectors
	named     [8]namedLocation                      // the location of a recent sample's name, by its place in the stack
	others    map[*analyze.Thread]string            // cached results of the method other
	code      *code
	scopes    *analyze.ScopesAt
	key       []byte              // buffers for the current sample
	stack     []*profile.Location // the locations of the current sample
}

// A labelled has the samples that have the same labels.
type labelled struct {
	labels  labels
	samples map[string]*profile.Sample
}

// A namedLocation is the location that stands for a name that is not code.
type namedLocation struct {
	name string
	at   *profile.Location
}

// An origin is where in the program a sample comes from: thread, instant and stack, as far as they are known.
type origin struct {
	thread *analyze.Thread
	at     analyze.Nanos
	stack  *analyze.Stack
}

func originOf(c analyze.Call) origin { return origin{c.Thread, c.Begin, c.Stack} }

// labels has the labels of a sample, as docs/terms.md defines them. Thread and process IDs are numeric labels,
// so that `go tool pprof -tagfocus tid=123` finds them; thread and queue are names.
type labels struct {
	process *analyze.Process // set even if the thread is not known
	thread  *analyze.Thread  // nil when not known
	queue   *analyze.Queue   // nil if there is none, or if it is not known
	other   string           // for waits: the thread that was waited for
	holds   analyze.InterpreterLock
	timing  string // for GPU times: measured or estimated
	named   string // for GPU times: the operation
}

func newBuilder(t *analyze.Trace, types ...*profile.ValueType) *builder {
	p := &profile.Profile{SampleType: types, DurationNanos: int64(t.TimeRange.Length()), DefaultSampleType: types[1].Type}
	if !t.Source.Started.IsZero() {
		p.TimeNanos = t.Source.Started.UnixNano()
	}
	p.Mapping = []*profile.Mapping{{ID: 1, File: cmp.Or(t.Source.Program, "unknown"), HasFunctions: true,
		HasFilenames: true, HasLineNumbers: true}}
	if line := analyze.Headline(t); line != "" {
		p.Comments = append(p.Comments, line)
	}
	p.Comments = append(p.Comments, t.Warnings...)
	if t.Source.SoftwareMetal {
		p.Comments = append(p.Comments, "times of a software Metal, not of a GPU")
	}
	return &builder{profile: p, samples: map[labels]map[string]*profile.Sample{},
		locations: map[string]*profile.Location{}, others: map[*analyze.Thread]string{}, code: newCode(p),
		scopes: analyze.NewScopesAt(t)}
}

// add adds values to the sample with a stack and labels. From the inside out, the stack consists of the names in
// `metal` that are not empty, the functions that called Metal, and the program's open scopes. Scopes are outermost
// because they name phases of the run, whichever function opened them.
func (b *builder) add(metal []string, from origin, l labels, values ...int64) {
	locations := b.stack[:0]
	for i, name := range metal {
		if name != "" {
			locations = append(locations, b.recentLocation(i, name))
		}
	}
	if s := from.stack; s != nil {
		for _, f := range s.Frames {
			locations = append(locations, b.code.location(f))
		}
		if s.Cut {
			locations = append(locations, b.location("(more frames)"))
		}
	}
	if from.thread != nil {
		for _, name := range b.scopes.Names(from.thread, from.at) {
			locations = append(locations, b.location(analyze.Printable(name)))
		}
	}
	b.stack, b.key = locations, b.key[:0]
	for _, at := range locations {
		b.key = binary.AppendUvarint(b.key, at.ID)
	}
	same := b.labelled(&l)
	s := same[string(b.key)]
	if s == nil {
		s = &profile.Sample{Location: slices.Clone(locations), Value: make([]int64, len(values)), Label: l.text(),
			NumLabel: l.numbers()}
		same[string(b.key)] = s
		b.profile.Sample = append(b.profile.Sample, s)
	}
	for i, v := range values {
		s.Value[i] += v
	}
}

// labelled returns the samples with these labels. It first checks the labels that this thread's sample had last,
// because the labels are long and their hash takes time.
func (b *builder) labelled(l *labels) map[string]*profile.Sample {
	id := analyze.ThreadID(0)
	if l.thread != nil {
		id = l.thread.ID
	}
	last := &b.recent[id%analyze.ThreadID(len(b.recent))]
	if last.samples != nil && last.labels == *l {
		return last.samples
	}
	last.labels, last.samples = *l, b.samples[*l]
	if last.samples == nil {
		last.samples = map[string]*profile.Sample{}
		b.samples[*l] = last.samples
	}
	return last.samples
}

// recentLocation returns the location for a name. Consecutive samples mostly have the same name at the same place of
// the stack, so it tries that one first.
func (b *builder) recentLocation(place int, name string) *profile.Location {
	last := &b.named[place%len(b.named)]
	if last.at == nil || last.name != name {
		*last = namedLocation{name, b.location(analyze.Printable(name))}
	}
	return last.at
}

func (b *builder) location(name string) *profile.Location {
	at := b.locations[name]
	if at == nil {
		at = newLocation(b.profile, 0, b.profile.Mapping[0], profile.Line{Function: newFunction(b.profile, name, "")})
		b.locations[name] = at
	}
	return at
}

// unquoted replaces characters in label values that would make a DOT graph invalid: go tool pprof does not escape a
// quote, or a backslash at the end.
var unquoted = strings.NewReplacer(`"`, "'", `\`, "/")

func (l labels) text() map[string][]string {
	m := l.values()
	for _, values := range m {
		for i := range values {
			values[i] = unquoted.Replace(analyze.Printable(values[i]))
		}
	}
	return m
}

func (l labels) values() map[string][]string {
	m := map[string][]string{"thread": {threadName(l.thread)}, "queue": {queueName(l.queue)}}
	if l.process != nil && l.process.Program != "" {
		m["process"] = []string{l.process.Program}
	}
	if l.other != "" {
		m["waits_for"] = []string{l.other}
	}
	switch l.holds {
	case analyze.InterpreterHeld:
		m["interpreter_lock"] = []string{"held"}
	case analyze.InterpreterFree:
		m["interpreter_lock"] = []string{"not held"}
	}
	if l.timing != "" {
		m["gpu_timing"] = []string{l.timing}
	}
	if l.named != "" {
		m["operation"] = []string{l.named}
	}
	return m
}

func (l labels) numbers() map[string][]int64 {
	m := map[string][]int64{"tid": {0}, "pid": {0}}
	if l.process != nil {
		m["pid"][0] = int64(l.process.ID)
	}
	if l.thread != nil {
		m["tid"][0] = int64(l.thread.ID)
		if l.thread.Process != nil {
			m["pid"][0] = int64(l.thread.Process.ID)
		}
	}
	return m
}

// other returns the label that names thread t, for which the sample's thread waited; "" if t is nil.
func (b *builder) other(t *analyze.Thread) string {
	if t == nil {
		return ""
	}
	name, known := b.others[t]
	if !known {
		name = fmt.Sprintf("%s (%d)", threadName(t), t.ID)
		b.others[t] = name
	}
	return name
}

// named returns the name of an object such as a lock, or its kind and address if it has no name.
func named(name, kind string, address uint64) string {
	if name == "" {
		return fmt.Sprintf("%s at %#x", kind, address)
	}
	return name
}

func threadName(t *analyze.Thread) string {
	if t == nil {
		return "unknown"
	}
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return t.Name
}

func queueName(q *analyze.Queue) string {
	if q == nil {
		return "none"
	}
	if q.Label == "" {
		return fmt.Sprintf("queue %d", q.ID)
	}
	return q.Label
}
