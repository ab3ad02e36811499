package steps

import (
	"cmp"
	"math/bits"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Sequences collects the command buffers of a run, by queue, and the program's marks. Ranges of a long trace must be
// added in the order of time.
type Sequences struct {
	Cut bool // the run has more command buffers than policy.StepMost; the rest was omitted

	by      map[QueueID]*sequence
	order   []QueueID
	kernels map[*analyze.Pipeline]uint64
	sets    map[uint64][]uint64 // for each signature, the kernels of its command buffers
	count   int
	marks   marks
}

// A sequence has the command buffers of one queue, in the order in which the GPU ran them.
type sequence struct {
	label string
	of    []buffer
	sets  map[uint64][]uint64
}

// A buffer has the data of one command buffer by which repeated steps are found. It is small, because all command
// buffers of a run are stored.
type buffer struct {
	signature  uint64 // hash of the kernels in order, with the order of magnitude of their threads
	gpu        analyze.Interval
	took       analyze.Nanos // time on the GPU
	created    analyze.Nanos
	committed  analyze.Nanos
	dispatches int32
	threads    float64
}

// NewSequences returns sequences without command buffers.
func NewSequences() *Sequences {
	return &Sequences{by: map[QueueID]*sequence{}, kernels: map[*analyze.Pipeline]uint64{}, sets: map[uint64][]uint64{}}
}

// Add adds the command buffers that the GPU ran in a trace, or in the next range of a trace.
func (s *Sequences) Add(t *analyze.Trace) {
	clear(s.kernels) // the cache is by pointer, and another range has other objects for the same pipelines
	s.marks.add(t)
	for b := range t.Buffers() {
		switch {
		case !b.GPU.Known() || b.Queue == nil || !t.Began(b.GPU.Begin):
		case s.count >= policy.StepMost:
			s.Cut = true
		default:
			s.add(b)
		}
	}
}

func (s *Sequences) add(b *analyze.CommandBuffer) {
	id := QueueID{Queue: b.Queue.ID}
	if b.Queue.Process != nil {
		id.PID = b.Queue.Process.ID
	}
	of := s.by[id]
	if of == nil {
		of = &sequence{sets: s.sets}
		s.by[id], s.order = of, append(s.order, id)
	}
	of.label = cmp.Or(b.Queue.Label, of.label)
	of.of = append(of.of, s.buffer(b))
	s.count++
}

// buffer summarizes a command buffer.
func (s *Sequences) buffer(b *analyze.CommandBuffer) buffer {
	out := buffer{gpu: b.GPU, took: b.Took(b.GPU), created: b.Created.Begin, committed: b.Committed.Begin,
		signature: seed}
	var set []uint64
	for i := range b.Encoders {
		e := &b.Encoders[i]
		out.signature = mix(out.signature, uint64(e.Kind)+1)
		if e.Copies > 0 {
			out.signature = mix(out.signature, uint64(e.Copies))
			out.dispatches += int32(e.Copies)
		}
		for d := range e.Runs() {
			kernel := s.kernel(d.Pipeline)
			if !slices.Contains(set, kernel) {
				set = append(set, kernel)
			}
			out.signature = mix(mix(out.signature, kernel), uint64(d.Count))
			out.dispatches += int32(d.Count)
			out.threads += float64(d.Threads)
		}
	}
	// The signature has only the order of magnitude of the number of threads, in factors of 16. The work for a token
	// grows slowly with the context, and its signature must stay the same; that of a prompt must differ.
	out.signature = mix(out.signature, uint64(bits.Len64(uint64(out.threads))/4))
	if _, known := s.sets[out.signature]; !known {
		s.sets[out.signature] = set
	}
	return out
}

// kernel returns a number for a kernel that is the same in all ranges of the trace; pointers to pipelines differ
// between ranges.
func (s *Sequences) kernel(p *analyze.Pipeline) uint64 {
	if p == nil {
		return 0
	}
	h, known := s.kernels[p]
	if !known {
		h = seed
		for _, text := range [...]string{p.Kernel, p.Label, p.Variant} {
			for i := range len(text) {
				h = mix(h, uint64(text[i]))
			}
			h = mix(h, 1<<32)
		}
		s.kernels[p] = h
	}
	return h
}

const seed = 14695981039346656037

// mix adds a value to a hash (FNV-1a on words, rotated so that high bits matter too).
func mix(h, value uint64) uint64 { return bits.RotateLeft64((h^value)*1099511628211, 29) }
