package analyze

import (
	"strings"

	"mtrace/collector/wire"
)

// An action is what the loader does with a call besides counting it and taking its time.
type action uint8

const (
	actNothing action = iota
	actThreadStart
	actCompleted
	actScheduled
	actNewQueue
	actQueueLabel
	actNewCommandBuffer
	actCommandBufferLabel
	actEnqueue
	actCommit
	actCompletedHandler
	actSignalEvent
	actWaitForEvent
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
	actNewLibrary
	actNewFunction
	actNewPipeline
	actLock
)

// A rule is what the loader knows of a row of the table of calls.
type rule struct {
	row     wire.Row
	act     action
	part    Part
	wait    bool
	absorbs bool        // keeps the time of calls nested in it
	encoder EncoderKind // of actNewEncoder
}

// rules are made from wire.Table, one for each row and a last one for calls of newer libraries.
var rules = func() []rule {
	rs := make([]rule, len(wire.Table)+1)
	for i := range rs {
		row := wire.Call(i).Row()
		rs[i] = rule{row: row, act: actionOf(wire.Call(i), row), part: partOf(row.Group)}
		rs[i].wait = row.Group == wire.GroupWait
		rs[i].absorbs = row.Group == wire.GroupWait || row.Group == wire.GroupAcquire
		rs[i].encoder = encoderKind(row.Selector)
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
	case wire.GroupWait:
		return PartCount // the parts of a wait come from the model
	}
	return PartOtherAPI
}

func actionOf(c wire.Call, row wire.Row) action {
	switch c {
	case wire.CallThreadStart:
		return actThreadStart
	case wire.CallCompleted:
		return actCompleted
	case wire.CallScheduled:
		return actScheduled
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
		switch {
		case strings.Contains(row.Selector, "PipelineState"):
			return actNewPipeline
		case row.Family == wire.FamilyLibrary:
			return actNewFunction
		}
		return actNewLibrary
	case wire.GroupAllocate:
		return actAllocate
	case wire.GroupLock:
		return actLock
	case wire.GroupWait:
		if row.Family == wire.FamilyEvent {
			return actWaitEvent
		}
		return actWaitBuffer
	}
	return actionsBySelector[row.Family][row.Selector]
}

var actionsBySelector = map[wire.Family]map[string]action{
	wire.FamilyQueue: {"setLabel:": actQueueLabel},
	wire.FamilyCommandBuffer: {
		"setLabel:":                actCommandBufferLabel,
		"enqueue":                  actEnqueue,
		"commit":                   actCommit,
		"addCompletedHandler:":     actCompletedHandler,
		"encodeSignalEvent:value:": actSignalEvent, "encodeWaitForEvent:value:": actWaitForEvent,
	},
	wire.FamilyEncoder: {
		"setLabel:":                                   actEncoderLabel,
		"setComputePipelineState:":                    actSetPipeline,
		"endEncoding":                                 actEndEncoding,
		"dispatchThreads:threadsPerThreadgroup:":      actDispatch,
		"dispatchThreadgroups:threadsPerThreadgroup:": actDispatch,
		"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:": actDispatch,
		"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:":                       actCopy, "fillBuffer:range:value:": actCopy,
	},
	wire.FamilyEvent: {"setSignaledValue:": actSignalByCPU},
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
