package timeline

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
)

// nest says of slices, in the order of their ends, whether one is inside another.
func nest(list []pending) bool {
	for i := 1; i < len(list); i++ {
		if list[i].Begin < list[i-1].End {
			return true
		}
	}
	return false
}

// onGPU writes a command buffer's time on the GPU, and its encoders' where that was measured.
func (w *Writer) onGPU(on trackID, b *analyze.CommandBuffer) {
	ran, work := strings.Join(kernelsOf(b), ", "), []pending(nil)
	add := func(s *slice) {
		s.category = "gpu"
		work = append(work, pending{Interval: s.Interval, made: s})
	}
	var named []string
	for i := range b.Encoders {
		e := &b.Encoders[i]
		named = operationsOf(named, b, e)
		if e.GPU.Known() {
			s := &slice{Interval: e.GPU, name: encoderName(e)}
			s.say(arg{name: "gpu_timing", text: kernels.Measured})
			s.say(operations(operationsOf(nil, b, e)))
			add(s)
		}
	}
	s := &slice{Interval: b.GPU, name: bufferName(b, ran)}
	if b.Process != nil {
		s.flows = []uint64{w.flowOf(b.Process, b.ID)}
	}
	s.say(arg{name: "command buffer", value: uint64(b.ID)})
	if b.Committed.Thread != nil {
		s.say(arg{name: "committed by thread", value: uint64(b.Committed.Thread.ID)})
	}
	if b.Status == analyze.StatusError {
		s.say(arg{name: "error", text: strings.TrimSuffix(fmt.Sprintf("code %d: %s", b.ErrorCode, b.Error), ": ")})
	}
	if ran != "" {
		s.say(arg{name: "kernels", text: ran})
	}
	s.say(calledFrom("committed from", b.Committed.Stack))
	switch measured, n := len(work), len(b.Encoders); {
	case measured > 0:
		s.say(arg{name: "gpu_timing", text: fmt.Sprintf("%s: %d of %d encoders", kernels.Measured, measured, n)})
	case n > 0:
		s.say(arg{name: "gpu_timing", text: kernels.Estimated})
	}
	s.say(operations(named))
	add(s)
	w.write(on, nil, work, nest(work))
	w.arrowFromCommit(b, on, b.GPU.Begin)
}
