package timeline

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// A gpuWork gathers what command buffers did on the GPU, to be written behind: one after another, as each has a track that others have too.
type gpuWork struct {
	slices  []slice
	buffers []ranOnGPU
}

// A ranOnGPU is the part of a gpuWork of one command buffer.
type ranOnGPU struct {
	*analyze.CommandBuffer
	track trackID
	end   int // of its slices
}

// flushGPU writes what is gathered, behind what was given before.
func (w *Writer) flushGPU() {
	if len(w.gathered.buffers) == 0 {
		return
	}
	work := w.gathered
	w.behind.wait() // so that what was written is free
	w.gathered, w.written = gpuWork{w.written.slices[:0], w.written.buffers[:0]}, work
	w.behind.do(func() {
		from := 0
		for _, b := range work.buffers {
			list := work.slices[from:b.end]
			writeSlices(w.out, list, nest(list))
			w.arrowFromCommit(b.CommandBuffer, b.track, b.GPU.Begin)
			from = b.end
		}
	})
}

// nest says of slices, in the order of their ends, whether one is inside another.
func nest(list []slice) bool {
	for i := 1; i < len(list); i++ {
		if list[i].Begin < list[i-1].End {
			return true
		}
	}
	return false
}

// onGPU gathers a command buffer's time on the GPU, and its encoders' where that was measured.
func (w *Writer) onGPU(on trackID, b *analyze.CommandBuffer) {
	work := &w.gathered
	ran := strings.Join(kernelsOf(b), ", ")
	s := slice{Interval: b.GPU, track: on, name: bufferName(b, ran), category: "gpu"}
	if b.Process != nil {
		s.flows = []uint64{w.flowOf(b.Process, b.ID)}
	}
	s.args[0] = arg{name: "command buffer", value: uint64(b.ID)}
	if b.Committed.Thread != nil {
		s.args[1] = arg{name: "committed by thread", value: uint64(b.Committed.Thread.ID)}
	}
	if b.Status == analyze.StatusError {
		s.args[2] = arg{name: "error", text: strings.TrimSuffix(fmt.Sprintf("code %d: %s", b.ErrorCode, b.Error), ": ")}
	}
	if ran != "" {
		s.args[3] = arg{name: "kernels", text: ran}
	}
	s.args[4] = calledFrom("committed from", b.Committed.Stack)
	var named []string
	for i := range b.Encoders {
		named = operationsOf(named, b, &b.Encoders[i])
	}
	s.args[6] = operations(named)
	measured := 0
	for i := range b.Encoders {
		e := &b.Encoders[i]
		if e.GPU.Known() {
			x := slice{Interval: e.GPU, track: on, name: encoderName(e), category: "gpu"}
			x.args[0] = arg{name: "gpu_timing", text: kernels.Measured}
			x.args[1] = operations(operationsOf(nil, b, e))
			work.slices = append(work.slices, x)
			measured++
		}
	}
	if n := len(b.Encoders); n > 0 {
		s.args[5] = arg{name: "gpu_timing", text: kernels.Estimated}
		if measured > 0 {
			s.args[5].text = fmt.Sprintf("%s: %d of %d encoders", kernels.Measured, measured, n)
		}
	}
	work.slices = append(work.slices, s)
	work.buffers = append(work.buffers, ranOnGPU{b, on, len(work.slices)})
	if len(work.slices) >= enough {
		w.flushGPU()
	}
}
