package analyze

// Work returns a hash of the command buffer's work: its kernels, the numbers of threads they are dispatched with, and
// the amount it copies. It is not known if nothing was encoded, or if a pipeline state is older than the trace.
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

// LabelsRepeat reports whether each label of command buffers occurs the given number of times on average. Only then do
// labels distinguish kinds of work, rather than number the command buffers.
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

// fnv1a is the hash of Fowler, Noll and Vo, as in hash/fnv, but without an allocation per hash: there may be millions.
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

// number hashes a whole number in one step, because its bits need not be well mixed.
func (h fnv1a) number(n uint64) fnv1a { return (h ^ fnv1a(n)) * prime }
