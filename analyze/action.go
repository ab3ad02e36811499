package analyze

import (
	"slices"
	"strings"

	"mtrace/collector/wire"
)

// An action is what the loader does with a call besides counting it and taking its time.
type action uint8

const (
	actNothing action = iota
	actCanary
	actLayer
	actAllocated
	actTracer // a record of the tracer's own that the analysis does not need
	actScope
	actScopeBegins
	actStack
	actThreadStart
	actCompleted
	actScheduled
	actEncoderTimes
	actNewQueue
	actQueueLabel
	actNewCommandBuffer
	actCommandBufferLabel
	actEnqueue
	actCommit
	actCommitMany
	actCompletedHandler
	actSignalEvent
	actWaitForEvent
	actQueueSignals
	actQueueWaits
	actNewEncoder
	actEncoderLabel
	actSetPipeline
	actDispatch
	actCopy
	actEndEncoding
	actWaitBuffer
	actWaitEvent
	actSignalByCPU
	actAllocate
	actRelease
	actNewLibrary
	actNewFunction
	actNewPipeline
	actArchive
	actLock
	actSignalWait
)

// notes are the actions of records that are no calls.
var notes = []action{actThreadStart, actCompleted, actScheduled, actStack, actAllocated, actCanary, actEncoderTimes, actLayer, actTracer, actScope, actScopeBegins}

// A rule is what the loader knows of a row of the table of calls.
type rule struct {
	row     *wire.Row
	act     action
	part    Part
	note    bool // no call but a record of the tracer's own, with a meaning of its own
	wait    bool
	kept    bool        // the model has each of these calls, not only their sums
	leaves  bool        // it is a call of a kernel or graph: what it encoded ends here
	absorbs bool        // keeps the time of calls nested in it
	yields  bool        // gives its time to the call that it is nested in
	encoder EncoderKind // of actNewEncoder
	sampled bool        // of actNewEncoder: x1 is what became of sampling its times
	address bool        // of actAllocate: x2 is where the memory is; of actLock: x1 is where the lock is
	onHeap  bool        // of actAllocate
	fills   bool        // of actCopy: it copies nothing from anywhere
	named   bool        // of actLock: x0 is its name
	holder  bool        // of actLock: arg is the thread that has it
}

// rules are made from wire.Table, one for each row and a last one for calls of newer libraries.
var rules = func() []rule {
	rs := make([]rule, len(wire.Table)+1)
	for i := range rs {
		row := wire.Call(i).Row()
		rs[i] = rule{row: &row, act: actionOf(wire.Call(i), row), part: partOf(row.Group)}
		rs[i].note = slices.Contains(notes, rs[i].act)
		rs[i].leaves = row.Family == wire.FamilyMpsKernel || row.Family == wire.FamilyMpsGraph
		rs[i].wait = row.Group == wire.GroupWait
		rs[i].kept = rs[i].wait || rs[i].act == actLock || rs[i].act == actSignalWait
		rs[i].absorbs = row.Group == wire.GroupWait || row.Group == wire.GroupAcquire
		rs[i].yields = row.Group == wire.GroupSignal
		rs[i].encoder = encoderKind(row.Selector)
		rs[i].sampled = strings.Contains(row.More, "x1 Sampling")
		rs[i].address = strings.Contains(row.More, "x2 contents pointer") || strings.Contains(row.More, "x1 address")
		rs[i].onHeap = row.Object == "heap" || row.Object == "resource" // a view has the memory of what it is made from
		rs[i].fills = strings.HasPrefix(row.Selector, "fill")
		rs[i].named = strings.Contains(row.More, "x0 StringID")
		rs[i].holder = strings.Contains(row.Arg, "holder")
	}
	return rs
}()

func ruleOf(c wire.Call) *rule { return &rules[min(int(c), len(rules)-1)] }

func partOf(g wire.Group) Part {
	switch g {
	case wire.GroupAcquire:
		return PartAcquire
	case wire.GroupEncode:
		return PartEncode
	case wire.GroupCommit:
		return PartCommit
	case wire.GroupCompile:
		return PartCompile
	case wire.GroupAllocate:
		return PartAllocate
	case wire.GroupLock:
		return PartLock
	case wire.GroupSignal:
		return PartOutside
	case wire.GroupWait:
		return PartCount // the parts of a wait come from the model
	}
	return PartOtherAPI
}

// actionOf reads the row's texts, so that a row that is added to the table is understood without a change here.
func actionOf(c wire.Call, row wire.Row) action {
	switch c {
	case wire.CallThreadStart:
		return actThreadStart
	case wire.CallCompleted:
		return actCompleted
	case wire.CallScheduled:
		return actScheduled
	case wire.CallStack:
		return actStack
	case wire.CallScopeBegins:
		return actScopeBegins
	case wire.CallCanary:
		return actCanary
	case wire.CallAllocated:
		return actAllocated
	case wire.CallEncoderTimes:
		return actEncoderTimes
	case wire.CallLayer:
		return actLayer
	}
	if row.Family == wire.FamilyTracer && int(c) < len(wire.Table) {
		if strings.HasPrefix(row.Arg, "StringID of the name the program gave") {
			return actScope
		}
		return actTracer
	}
	switch row.Arg {
	case "new queue":
		return actNewQueue
	case "new command buffer":
		return actNewCommandBuffer
	case "new encoder":
		return actNewEncoder
	}
	switch row.Group {
	case wire.GroupCompile:
		return compileAction(row)
	case wire.GroupAllocate:
		switch {
		case strings.HasPrefix(row.More, "x0 bytes"):
			return actAllocate
		case row.Selector == "dealloc":
			return actRelease
		}
		return actNothing
	case wire.GroupLock:
		return actLock
	case wire.GroupSignal:
		return actSignalWait
	case wire.GroupWait:
		switch row.Object {
		case "event":
			return actWaitEvent
		case "command buffer":
			return actWaitBuffer
		}
		return actNothing
	}
	switch row.Object {
	case "queue":
		switch row.Selector {
		case "setLabel:":
			return actQueueLabel
		case "signalEvent:value:":
			return actQueueSignals
		case "waitForEvent:value:":
			return actQueueWaits
		}
		if row.Group == wire.GroupCommit && row.Arg == "command buffers" {
			return actCommitMany
		}
	case "command buffer":
		return commandBufferActions[row.Selector]
	case "encoder":
		return encoderAction(row)
	case "event":
		if row.Selector == "setSignaledValue:" {
			return actSignalByCPU
		}
	}
	return actNothing
}

var commandBufferActions = map[string]action{
	"setLabel:":                 actCommandBufferLabel,
	"enqueue":                   actEnqueue,
	"commit":                    actCommit,
	"addCompletedHandler:":      actCompletedHandler,
	"encodeSignalEvent:value:":  actSignalEvent,
	"encodeWaitForEvent:value:": actWaitForEvent,
}

func encoderAction(row wire.Row) action {
	switch {
	case row.Selector == "setLabel:":
		return actEncoderLabel
	case row.Selector == "endEncoding":
		return actEndEncoding
	case row.Arg == "pipeline state":
		return actSetPipeline
	case strings.HasPrefix(row.Selector, "dispatch"), strings.HasPrefix(row.Selector, "draw"):
		return actDispatch
	case row.Arg == "bytes" && (strings.HasPrefix(row.Selector, "copyFrom") || strings.HasPrefix(row.Selector, "fill")):
		return actCopy
	}
	return actNothing
}

func compileAction(row wire.Row) action {
	switch {
	case row.Arg == "new pipeline state", strings.Contains(row.Selector, "PipelineState"):
		return actNewPipeline
	case row.Arg == "new function", strings.HasPrefix(row.More, "x0 StringID of the name"):
		return actNewFunction
	case row.Object == "archive", strings.Contains(row.Arg, "archive"):
		return actArchive
	case strings.Contains(row.Selector, "ibrary"):
		return actNewLibrary
	}
	return actNothing
}

func encoderKind(selector string) EncoderKind {
	switch {
	case strings.HasPrefix(selector, "compute"):
		return EncoderCompute
	case strings.HasPrefix(selector, "blit"):
		return EncoderBlit
	case strings.HasPrefix(selector, "render"), strings.HasPrefix(selector, "parallelRender"):
		return EncoderRender
	}
	return EncoderOther
}
