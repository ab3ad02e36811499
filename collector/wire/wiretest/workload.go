package wiretest

import (
	"math"
	"math/rand/v2"

	"mtrace/collector/wire"
)

// A Workload makes the records of a thread that computes on the GPU, step by step, with times that scatter like real
// ones: command buffer, encoder, pipeline state, two dispatches, endEncoding, commit, waitUntilCompleted, and the
// completion record.
type Workload struct {
	random  *rand.Rand
	perTick float64 // ticks per nanosecond
	now     float64 // nanoseconds
	objects func() wire.ObjectID
	queue   wire.ObjectID
	device  wire.ObjectID
	shapes  [3]wire.Record
	records []wire.Record
}

var (
	newQueue      = wire.MustLookup(wire.FamilyDevice, "newCommandQueue")
	commandBuffer = wire.MustLookup(wire.FamilyQueue, "commandBuffer")
	newEncoder    = wire.MustLookup(wire.FamilyCommandBuffer, "computeCommandEncoder")
	setPipeline   = wire.MustLookup(wire.FamilyEncoder, "setComputePipelineState:")
	dispatch      = wire.MustLookup(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:")
	endEncoding   = wire.MustLookup(wire.FamilyEncoder, "endEncoding")
	commit        = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	wait          = wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")
	createDevice  = wire.MustLookup(wire.FamilyFunction, "MTLCreateSystemDefaultDevice")
	newPipeline   = wire.MustLookup(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:")
)

// NewWorkload makes a workload. Objects numbers new objects, for all threads of a process; ticksPerNano is the clock's
// rate.
func NewWorkload(seed uint64, ticksPerNano float64, objects func() wire.ObjectID) *Workload {
	return &Workload{random: rand.New(rand.NewPCG(seed, 1)), perTick: ticksPerNano, now: 1e12, objects: objects}
}

// lasts is a log-normal duration in nanoseconds.
func (w *Workload) lasts(median, spread float64) float64 {
	return median * math.Exp(spread*w.random.NormFloat64())
}

func (w *Workload) ticks() wire.Ticks { return wire.Ticks(w.now * w.perTick) }

func (w *Workload) call(c wire.Call, object wire.ObjectID, arg uint64, median, spread float64, more *wire.More) {
	w.now += w.lasts(120, 0.5)
	r := wire.Record{Begin: w.ticks(), Call: c, Object: object, Arg: arg, Flags: 1 << wire.ClassShift}
	w.now += w.lasts(median, spread)
	r.End = w.ticks()
	if more != nil {
		r.Flags |= wire.HasMore
	}
	w.records = append(w.records, r)
	if more != nil {
		w.records = append(w.records, more.Record())
	}
}

// Start is what a thread does first. The records are valid until the next call.
func (w *Workload) Start() []wire.Record {
	w.records = w.records[:0]
	w.device, w.queue = w.objects(), w.objects()
	w.call(createDevice, 0, uint64(w.device), 1e6, 0.3, nil)
	w.call(newQueue, w.device, uint64(w.queue), 2e5, 0.3, &wire.More{X0: 64})
	for i := range w.shapes {
		pipeline := w.objects()
		w.call(newPipeline, w.device, uint64(pipeline), 5e6, 0.5, &wire.More{X0: uint64(wire.HashString("kernel")) +
			uint64(i)})
		n := uint64(1) << (12 + 2*i)
		more := wire.More{X0: n | 1<<32, X1: 1 | 256<<32, X2: 1 | 1<<32}.Record()
		w.shapes[i] = more
		w.shapes[i].Object = pipeline
	}
	return w.records
}

// Step is one command buffer from its making to its completion: 12 records, of which 3 are More. Valid until the next
// call.
func (w *Workload) Step() []wire.Record {
	w.records = w.records[:0]
	buffer, encoder := w.objects(), w.objects()
	w.call(commandBuffer, w.queue, uint64(buffer), 900, 0.3, nil)
	w.call(newEncoder, buffer, uint64(encoder), 700, 0.3, nil)
	for i := range 2 {
		shape := w.shapes[(i+w.random.IntN(2))%3]
		more := shape.More()
		more.X3 = 0
		w.call(setPipeline, encoder, uint64(shape.Object), 60, 0.2, nil)
		w.call(dispatch, encoder, uint64(shape.Begin&math.MaxUint32), 250, 0.3, &more)
	}
	w.call(endEncoding, encoder, 0, 300, 0.3, nil)
	w.call(commit, buffer, 0, 4000, 0.4, nil)
	committed := w.now
	w.call(wait, buffer, 0, 90000, 0.4, nil)
	gpu := uint64(committed + w.lasts(9000, 0.3))
	done := uint64(w.now - w.lasts(5000, 0.3))
	w.call(wire.CallCompleted, buffer, 4, 150, 0.3, &wire.More{X0: gpu, X1: max(done, gpu+1),
		X2: gpu - uint64(w.lasts(2000, 0.3)), X3: uint32(w.lasts(1500, 0.3))})
	return w.records
}
