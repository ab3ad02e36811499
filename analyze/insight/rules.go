package insight

import (
	"fmt"
	"strings"
)

// A rule looks for one habit of programs that costs time. Its texts are in the report, in docs/insights.md and in
// `mtrace explain ID`.
type rule struct {
	id, title string
	find      func(*Input) *Insight // returns nil if the program does not have the habit that the rule is about
	needs     string                // the data that a recording of Instruments lacks; empty if it has everything
	when      string                // the condition under which the rule reports a finding, in Markdown
	// what to do, in Markdown without a full stop; the advice of an insight whose find gives none
	remedy string
}

// rules is the table of all rules, in the order in which they are applied.
var rules = []rule{
	{"failed-command-buffers", "command buffers that failed", failed, "",
		"a command buffer ended with an error; names the first failure and its kernels",
		"repair the first failure, which often causes the others. " +
			"With errorOptions encoderExecutionStatus in the descriptor Metal also reports which encoder failed"},
	{"shared-command-buffers", "two threads encode into one command buffer", sharedBuffers, "",
		"encoders of two threads are open in one command buffer at once, which Metal does not allow; " +
			"or threads encode alternately into one encoder",
		"give each thread a command buffer of its own, and enqueue them in the order in which they are to run; " +
			"or use a parallel render encoder"},
	{"compile-in-loop", "compilation in the middle of the work", compileInLoop,
		"Instruments does not record which thread creates libraries and pipeline states",
		"submitting threads create libraries or pipeline states after start-up, in 3 rounds or for 1% of the threads' time",
		"create all libraries and pipeline states before the first command buffer; measure only the time after that"},
	{"repeated-compile", "the same thing compiled again", repeatedCompile,
		"Instruments does not record libraries and pipeline states",
		"the same source or function, with the same constants, is compiled again",
		"keep libraries and pipeline states in a dictionary by source and function"},
	{"no-warm-up", "first iterations are slower", noWarmUp, "",
		"a thread's first command buffers of the same work, " +
			"or its first scopes of a name, take over twice the later median",
		"exclude the first iterations from measurements; the insight says how many"},
	{"variance", "iterations differ much", variance, "",
		"command buffers of a thread with the same work differ by more than their median (5th to 95th percentile)",
		"report medians and intervals, not means. If encoding differs, look for locks, allocation and compilation; " +
			"if the GPU's work or its start does, for other work on the GPU and for power and heat"},
	{"two-populations", "one kernel, two usual times", populations, "Instruments does not record dispatches",
		"the GPU times of a kernel, alone in its command buffers, form two groups of a tenth or more each",
		"do not use one mean for both: give the two kinds of kernels, or their command buffers, different labels"},
	{"growing-steps", "steps take longer and longer", trend, "",
		"a thread's mean step grows in each fifth of the run, by 1.3 times in all. " +
			"A step goes from one commit of a kind of command buffer to the next, " +
			"from one wait to the next, or is one command buffer",
		"look for data that the program keeps from step to step: " +
			"lists that it traverses, caches and sequences that grow, graphs to which each step adds"},
	{"kernel-waits", "kernels that wait for another queue's", kernelWaits, "",
		"command buffers of a queue end a constant time after work of another queue, " +
			"however late that began, without an event, and wait for it for 1% of the GPU's busy time",
		"let the command buffer wait for an event (encodeWaitForEvent:value:) that the other command buffer signals: " +
			"a kernel that polls memory keeps a part of the GPU busy, and hangs if the two cannot run at the same time"},
	{"slow-after-idle", "work is slower after the GPU was idle", slowAfterIdle, "",
		"the same work takes 1.5 times as long after the GPU was idle for 10 ms",
		"keep the GPU busy between batches, or submit small command buffers together; " +
			"exclude command buffers that follow a pause from measurements"},
	{"slow-after-pause", "a thread is slower after a pause", slowAfterPause, "Instruments does not record waits",
		"the same steps of a thread, or their encoding, " +
			"take 1.5 times as much processor time after an unusual pause of 5 ms or more",
		"give the thread the QoS class user-interactive, do not sleep for short times between steps, " +
			"and exclude steps after a pause from measurements: clocks fall while a processor is idle, " +
			"caches are cold, and macOS moves threads of a low QoS class to slower cores"},
	{"encoding-calls", "one call makes up most of the encoding", encodingCalls, "",
		"encoding takes a tenth of the threads' time, and one call that has an alternative takes half of that",
		"use the alternative that the insight names, such as useHeap: once for many useResource:usage:, " +
			"or setBuffers:offsets:withRange: for many setBuffer:offset:atIndex:"},
	{"independent-dispatches", "serial dispatches that do not depend on each other", independent,
		"Instruments does not record what dispatches bind",
		"serial compute encoders have twice as many dispatches as their longest chain of dependent ones, " +
			"judged while the program runs by bound buffers and textures",
		"create the encoder with computeCommandEncoderWithDispatchType: and MTLDispatchTypeConcurrent, " +
			"with memoryBarrierWithScope: or memoryBarrierWithResources:count: " +
			"before each dispatch that needs the result of another one. " +
			"This helps where one dispatch alone does not fill the GPU. " +
			"First check memory that kernels reach without binding it, and heaps whose resources share memory: " +
			"the trace does not show them"},
	{"allocation-in-loop", "memory allocated in the loop", allocationInLoop,
		"Instruments does not record which calls allocate memory",
		"a quarter of the rounds after start-up allocate memory outside heaps",
		"allocate buffers once and reuse them, or use a pool"},
	{"new-sizes", "memory of sizes that never recur", newSizes,
		"Instruments does not record which calls allocate memory",
		"four of five allocations after start-up have a size of no earlier round: a cache keyed by size never hits",
		"round sizes up to a few classes, such as the next power of two or the next eighth of one; " +
			"or allocate memory from a heap (MTLHeap)"},
	{"released-and-remade", "memory released and allocated again", remade,
		"Instruments does not record which memory is freed",
		"half of the allocations after start-up have the size of memory freed less than a round, or 10 ms, before; or half " +
			"have one of ten sizes or more that were freed earlier",
		"keep the memory and reuse it in the next step, in a pool or a heap (MTLHeap)"},
	{"memory-growth", "memory grows", growth, "Instruments does not record which memory is freed",
		"1 MiB, or 100 objects, allocated after start-up are not freed by the last commit, " +
			"and every third of the work adds to it ([which line leaks](memory.md#which-line-leaks)); " +
			"a warning from 64 MiB on",
		"release memory when it is no longer needed, or reuse it; " +
			"an autorelease pool around each iteration frees the autoreleased objects that Metal's methods return"},
	{"kept-command-buffers", "command buffers that are not freed", unfreedBuffers,
		"Instruments does not record which objects are freed",
		"a hundred command buffers, more than their queues hold, and half of all were alive at once",
		"put an autorelease pool around each iteration, " +
			"because methods such as commandBuffer return autoreleased objects: " +
			"@autoreleasepool { … } in Objective-C, autoreleasepool { … } in Swift, with objc.autorelease_pool(): " +
			"in Python (pyobjc), NS::AutoreleasePool in metal-cpp, autoreleasepool(|_| …) in Rust. " +
			"A thread without a run loop has no pool of its own. If a pool is there, something retains the command buffers"},
	{"object-growth", "objects that are not released accumulate", objectGrowth,
		"Instruments does not record which objects are freed",
		"of queues, events, fences, libraries, pipeline states, residency sets, encoders, command buffers, " +
			"texture views, or resources in heaps and buffers, " +
			"100 more are alive at the last commit than after a tenth of the commits, and every third between adds to it",
		"release each object when it is no longer needed, or create it once and reuse it. " +
			"Objects of methods whose names begin with new belong to the caller; " +
			"the others are autoreleased and need an autorelease pool around each iteration"},
	{"residency", "residency sets are changed", residency, "Instruments does not record residency sets",
		"residency sets change in half of the command buffers, or that takes 5% of the threads' time",
		"create one residency set with all lasting memory and add it to the queue once; " +
			"call requestResidency before the work begins"},
	{"commit-after-idle", "commits after a pause take long", commitAfterIdle, "",
		"from commit to GPU start takes three times as long after pauses of 10 ms",
		"memory that is not used for a while is unwired, and wired again by the next commit: " +
			"keep a residency set (MTLResidencySet) and call requestResidency while the program waits, " +
			"or submit something small before the pause is over"},
	{"large-allocations", "large memory holds up the first command buffer that uses it", wiring,
		"Instruments does not record which calls allocate memory",
		"from commit to GPU start takes three times as long after allocations of 16 MiB or more",
		"large memory is wired at its first use: allocate it before the work begins and reuse it, " +
			"or add it to a residency set (MTLResidencySet) and call requestResidency ahead of the commit that needs it"},
	{"beyond-working-set", "more memory than the device recommends, or nearly as much", beyondWorkingSet,
		"Instruments does not record the devices' recommended sizes",
		"more memory was allocated at a time than the device recommends (a remark from nine tenths on)",
		"keep less memory allocated at a time: use smaller batches, or weights of fewer bits; " +
			"free buffers before allocating the next ones, or make heap memory purgeable or reuse it"},
	{"wait-after-commit", "a wait after every commit", waitAfterCommit, "Instruments does not record waits",
		"a thread waits for its command buffer before it commits the next, nine times of ten",
		"keep two or three command buffers in flight: " +
			"wait for the second-last command buffer instead of the last, or use completion handlers. " +
			"Frameworks wait where a value is needed: .item() and synchronize() of PyTorch, eval of MLX"},
	{"tiny-command-buffers", "tiny command buffers", tinyBuffers, "",
		"half of the command buffers keep the GPU busy for under 50 µs",
		"encode more before committing. In PyTorch and MLX: larger batches, a compiled graph, one mx.eval for many steps"},
	{"fusion", "kernels that could be one", fusion, "Instruments does not record dispatches",
		"kernels follow each other directly in 80% of the cases, under 0.5 ms together",
		"write one kernel for all of them: that saves launches and round trips through memory"},
	{"copies", "copies around the work", copies, "Instruments does not record copies",
		"half of the command buffers copy; a warning if data goes to private memory and back repeatedly",
		"leave results on the GPU until the last operation; on a device with unified memory use shared buffers in place"},
	{"gpu-idle", "the GPU idles", idleGaps, "",
		"the GPU is idle for a fifth of the time from the first work to the last",
		"commit the work that follows the gaps earlier: " +
			"encode the next command buffer before waiting for the previous one"},
	{"unlabelled", "objects without a name", unlabelled, "Instruments does not record the labels of queues",
		"a queue, or half of the command buffers, has no label",
		"set label on queues, command buffers and encoders: every tool shows it"},
	{"validation", "measured under a debugging layer", validation, "Instruments " +
		"does not record the classes of objects, by which the layer is recognised",
		"objects belong to Metal's validation or capture layers",
		"unset MTL_DEBUG_LAYER, MTL_SHADER_VALIDATION or METAL_CAPTURE_ENABLED to measure"},
}

// name gives a result of the rule its id, title and, unless it was skipped, advice.
func (r *rule) name(i *Insight) {
	i.ID, i.Title = r.id, r.title
	if i.Advice == "" && i.Severity != Skipped {
		i.Advice = r.remedy
	}
}

// section returns the section of docs/insights.md about the rule.
func (r *rule) section() string {
	return fmt.Sprintf("\n## %s\n%s%s.\n\nReported if %s.\n\nWhat to do: %s.\n", r.id, strings.ToUpper(r.title[:1]),
		r.title[1:], r.when, r.remedy)
}
