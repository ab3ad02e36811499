package analyze

// Work is a hash of what the command buffer does: its kernels, over how many threads they are dispatched, and how much
// it copies. It is not known when nothing was encoded into it, or with a pipeline state from before the trace.
func (b *CommandBuffer) Work() (hash uint64, known bool) {
	h := fnv1a(offset)
	known = len(b.Encoders) > 0
	for i := range b.Encoders {
		e := &b.Encoders[i]
		h = h.number(uint64(e.Kind)).number(uint64(e.Copies)).number(e.CopyBytes)
		for d := range e.Runs() {
			if d.Pipeline != nil {
				h = h.text(d.Pipeline.Kernel)
			} else {
				known = false
			}
			h = h.number(uint64(d.Count)).number(d.Threads)
		}
	}
	return uint64(h), known
}

// LabelsRepeat says whether labels of command buffers tell one sort of work from another, each so many times on
// average; they may as well number them.
func LabelsRepeat(t *Trace, times int) bool {
	most := len(t.CommandBuffers) / times
	labels := map[string]bool{}
	for b := range t.Buffers() {
		if labels[b.Label] = true; len(labels) > most {
			return false
		}
	}
	return true
}

// fnv1a is the hash of Fowler, Noll and Vo, as hash/fnv has it, without the allocation for each: there may be millions.
type fnv1a uint64

const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func (h fnv1a) text(s string) fnv1a {
	for i := range len(s) {
		h = (h ^ fnv1a(s[i])) * prime
	}
	return h.number(uint64(len(s)))
}

// number takes a number as one step: its bits need not be well mixed.
func (h fnv1a) number(n uint64) fnv1a { return (h ^ fnv1a(n)) * prime }
