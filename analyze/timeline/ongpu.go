package timeline

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// A gpuWork holds the slices (named intervals on a track) of one command buffer: its GPU time and its encoders' GPU
// times. Its memory is reused for the next command buffer.
type gpuWork struct {
	list   []pending
	slices []*slice
	ran    ran
}

func (g *gpuWork) start() { g.list = g.list[:0] }

// next adds a slice (a named interval on a track) for GPU work and returns it; the caller sets its other fields.
func (g *gpuWork) next(at analyze.Interval, name string) *slice {
	n := len(g.list)
	if n == len(g.slices) {
		g.slices = append(g.slices, &slice{})
	}
	s := g.slices[n]
	*s = slice{name: name, category: "gpu", args: s.args[:0], flows: s.flows[:0]}
	g.list = append(g.list, pending{Interval: at, made: s})
	return s
}

// nest reports whether any slice (named interval on a track) lies inside another one. The list must be sorted by end.
func nest(list []pending) bool {
	for i := 1; i < len(list); i++ {
		if list[i].Begin < list[i-1].End {
			return true
		}
	}
	return false
}

// ran has the names of the kernels and operations that some GPU work ran, each once. If there are too many, the last
// name is "…".
type ran struct{ kernels, operations []string }

// add adds the names of the kernels and operations of encoder e of command buffer b.
func (r *ran) add(b *analyze.CommandBuffer, e *analyze.Encoder) {
	any := false
	for d := range e.Runs() {
		any = true
		if d.Pipeline != nil {
			r.kernels = addName(r.kernels, d.Pipeline.Kernel)
		}
		r.operations = addName(r.operations, b.Operation(e, d).Name)
	}
	if !any {
		r.operations = addName(r.operations, b.Operation(e, nil).Name)
	}
}

// write writes a slice (a named interval on a track) for a command buffer's GPU time, and inside it slices for
// encoders whose GPU time was measured.
func (g *gpuWork) write(f *trackFile, on trackID, b *analyze.CommandBuffer) {
	all := &g.ran
	all.kernels, all.operations = all.kernels[:0], all.operations[:0]
	g.start()
	for i := range b.Encoders {
		e := &b.Encoders[i]
		all.add(b, e)
		if e.GPU.Known() {
			var one ran
			one.add(b, e)
			s := g.next(e.GPU, encoderName(e))
			s.say(arg{name: "gpu_timing", text: kernels.Measured})
			s.say(operations(one.operations))
		}
	}
	ran := strings.Join(all.kernels, ", ")
	measured, s := len(g.list), g.next(b.GPU, bufferName(b, ran))
	if b.Process != nil {
		s.flows = append(s.flows, f.flowOf(b.Process, b.ID))
	}
	s.say(arg{name: "command buffer", value: uint64(b.ID)})
	if b.Committed.Thread != nil {
		s.say(arg{name: "committed by thread", value: uint64(b.Committed.Thread.ID)})
	}
	if b.Failed() {
		s.say(arg{name: "error", text: strings.TrimSuffix(fmt.Sprintf("code %d: %s", b.ErrorCode, b.Error), ": ")})
	}
	if ran != "" {
		s.say(arg{name: "kernels", text: ran})
	}
	s.say(calledFrom("committed from", b.Committed.Stack))
	switch n := len(b.Encoders); {
	case measured > 0:
		s.say(arg{name: "gpu_timing", text: fmt.Sprintf("%s: %d of %d encoders", kernels.Measured, measured, n)})
	case n > 0:
		s.say(arg{name: "gpu_timing", text: kernels.Estimated})
	}
	s.say(operations(all.operations))
	f.write(on, nil, g.list, nest(g.list))
	f.arrowFromCommit(b, on, b.GPU.Begin)
}
