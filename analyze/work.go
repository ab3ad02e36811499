package analyze

import (
	"cmp"
	"slices"
	"strings"
)

// Work returns a hash of what the command buffer does: its kernels, the numbers of their threads, and the amount that
// it copies. Command buffers with equal hashes do the same work. Kernels of the same name are different if they have
// different sources or constants, except in programs that make a new variant again and again (see variantUses).
// `known` is false if nothing was encoded, or if a kernel is unknown because its pipeline state was set before the
// trace began, or if the command buffer failed: then it did only a part of its work.
func (b *CommandBuffer) Work() (hash uint64, known bool) {
	h := fnv1a(offset)
	known = len(b.Encoders) > 0
	if b.Failed() {
		h, known = h.text("failed"), false
	}
	for i := range b.Encoders {
		e := &b.Encoders[i]
		h = h.number(uint64(e.Kind)).number(uint64(e.Copies)).number(e.CopyBytes)
		for d := range e.Runs() {
			if d.Pipeline != nil {
				h = h.text(cmp.Or(d.Pipeline.work, d.Pipeline.Kernel))
			} else {
				known = false
			}
			h = h.number(uint64(d.Count)).number(d.Threads)
		}
	}
	return uint64(h), known
}

// Kind returns a hash of the names of the command buffer's kernels or, where those are not known, of the labels of its
// pipelines; each name counts once. If no pipeline has a name, Kind hashes the labels of the command buffer and its
// encoders, without digits. Unlike Work it does not depend on how much the kernels do: the command buffers of a loop's
// steps have equal kinds even if their work grows from step to step.
func (b *CommandBuffer) Kind() uint64 {
	h := fnv1a(offset)
	var few [32]string // on the stack, because there may be millions of command buffers
	names := few[:0]
	for i := range b.Encoders {
		for d := range b.Encoders[i].Runs() {
			if d.Pipeline == nil {
				continue
			}
			if name := cmp.Or(d.Pipeline.Kernel, d.Pipeline.Label); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
				h = h.text(name)
			}
		}
	}
	if len(names) > 0 {
		return uint64(h)
	}
	h = h.text(withoutDigits(b.Label))
	for i := range b.Encoders {
		if label := withoutDigits(b.Encoders[i].Label); label != "" && !slices.Contains(names, label) {
			names = append(names, label)
			h = h.text(label)
		}
	}
	return uint64(h)
}

// withoutDigits returns a label without its digits, which often number the steps of a loop.
func withoutDigits(label string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, label)
}

// LabelsRepeat reports whether each distinct label of command buffers occurs at least `times` times on average.
// If it does, labels name kinds of work; otherwise they just number command buffers.
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

// fnv1a is the hash of Fowler, Noll and Vo, as in hash/fnv, but without an allocation for each of possibly millions
// of hashes.
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

// number adds a whole number to the hash in one step instead of byte by byte. That is faster. It mixes the bits less
// well, but well enough for comparing work.
func (h fnv1a) number(n uint64) fnv1a { return (h ^ fnv1a(n)) * prime }
