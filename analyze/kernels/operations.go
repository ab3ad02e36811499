package kernels

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// An Operation sums what was run under one name, or without any.
type Operation struct {
	analyze.Operation
	Dispatches int
	GPU        analyze.Nanos
	Share      float64  // of all GPU time
	Measured   bool     // all of GPU is
	Kernels    []string // that it ran, each once
}

// operationOf tells sums apart: what a kernel did under a name.
type operationOf struct {
	operation analyze.Operation
	kernel    string
}

// mostOperations bounds the sums: a program may give each of its command buffers a name of its own.
const mostOperations = 4096

// Further stands for the operations beyond the bound.
const Further = "(further operations)"

func (s *Sum) operation(key operationOf) *Operation {
	o := s.operations[key]
	if o == nil && len(s.named) >= mostOperations && key.operation.Name != "" {
		key.operation = analyze.Operation{Name: Further}
		o = s.operations[key]
	}
	if o == nil {
		o = &Operation{Operation: key.operation, Measured: true, Kernels: []string{key.kernel}}
		s.operations[key] = o
		s.named = append(s.named, key)
	}
	return o
}

// add adds what another did.
func (o *Operation) add(other *Operation) {
	o.Dispatches += other.Dispatches
	o.GPU += other.GPU
	o.Measured = o.Measured && other.Measured
	for _, k := range other.Kernels {
		if !slices.Contains(o.Kernels, k) {
			o.Kernels = append(o.Kernels, k)
		}
	}
}

// addOperations adds those of the part that comes next.
func (s *Sum) addOperations(part *Sum) {
	for _, key := range part.named {
		s.operation(key).add(part.operations[key])
	}
}

// giveOperations gives the kernels their operations; total is all GPU time.
func (s *Sum) giveOperations(total analyze.Nanos) {
	for _, k := range s.list {
		k.Operations = nil
	}
	for _, key := range s.named {
		k := s.by[key.kernel]
		k.Operations = append(k.Operations, s.operations[key])
	}
	for _, k := range s.list {
		inOrder(k.Operations, total)
	}
}

// Operations are those of all kernels, the ones with the most GPU time first; their times add up to those of the kernels. There is none when
// nothing has a name.
func (s *Sum) Operations() []*Operation {
	var list []*Operation
	by, any, total := map[analyze.Operation]*Operation{}, false, analyze.Nanos(0)
	for _, key := range s.named {
		o := s.operations[key]
		any = any || o.Name != ""
		total += o.GPU
		sum := by[o.Operation]
		if sum == nil {
			sum = &Operation{Operation: o.Operation, Measured: true}
			by[o.Operation] = sum
			list = append(list, sum)
		}
		sum.add(o)
	}
	if !any {
		return nil
	}
	inOrder(list, total)
	return list
}

// inOrder puts operations with the most GPU time first, and says what share of the total each has.
func inOrder(list []*Operation, total analyze.Nanos) {
	for _, o := range list {
		if total > 0 {
			o.Share = float64(o.GPU) / float64(total)
		}
	}
	slices.SortStableFunc(list, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From))
	})
}
