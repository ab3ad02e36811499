package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// hooked is every row of hooks_table.h, as FAMILY_SELECTOR with underscores for colons.
func hooked(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("hooks_table.h")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:CALL|MAKE|AUDIT)\((\w+),\s*(\w+),`).FindAllStringSubmatch(string(text), -1) {
		if name := m[1] + "_" + m[2]; rows[name] {
			t.Errorf("hooks_table.h: %s twice", name)
		} else {
			rows[name] = true
		}
	}
	return rows
}

// The shim's table and the wire's are one: every method the wire knows is hooked, and every hook is known to the wire.
func TestEveryRowIsHooked(t *testing.T) {
	rows := hooked(t)
	for c := range wire.Table {
		call := wire.Call(c)
		if f := call.Row().Family; f == wire.FamilyTracer || f == wire.FamilyFunction || f == wire.FamilyLock || f == wire.FamilySignal {
			continue
		}
		name := strings.TrimPrefix(call.CName(), "MT_CALL_")
		if !rows[name] {
			t.Errorf("%v of family %v is in wire.Table and not in hooks_table.h", call, call.Row().Family)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s is in hooks_table.h and not in wire.Table", name)
	}
}

// families says which hooks an object of each of Metal's protocols gets. The protocols left out are not handed out by any method
// that is hooked, or only hold values.
var families = map[string]wire.Family{
	"MTLDevice": wire.FamilyDevice, "MTLCommandQueue": wire.FamilyQueue, "MTLCommandBuffer": wire.FamilyCommandBuffer,
	"MTLCommandEncoder": wire.FamilyEncoder, "MTLComputeCommandEncoder": wire.FamilyEncoder, "MTLBlitCommandEncoder": wire.FamilyEncoder,
	"MTLAccelerationStructureCommandEncoder": wire.FamilyEncoder, "MTLResourceStateCommandEncoder": wire.FamilyEncoder,
	"MTLParallelRenderCommandEncoder": wire.FamilyEncoder, "MTL4CommandEncoder": wire.FamilyEncoder, "MTL4ComputeCommandEncoder": wire.FamilyEncoder,
	"MTL4MachineLearningCommandEncoder": wire.FamilyEncoder, "MTLEvent": wire.FamilyEvent, "MTLSharedEvent": wire.FamilyEvent, "MTLFence": wire.FamilyFence,
	"MTLBinaryArchive": wire.FamilyArchive, "MTL4Archive": wire.FamilyArchive, "MTLHeap": wire.FamilyHeap, "MTLFunction": wire.FamilyFunctionObject,
	"MTLLibrary": wire.FamilyLibrary, "MTLDynamicLibrary": wire.FamilyDynamicLibrary, "MTLResidencySet": wire.FamilyResidencySet,
	"MTLIOCommandQueue": wire.FamilyIoQueue, "MTLIOCommandBuffer": wire.FamilyIoCommandBuffer, "MTLResource": wire.FamilyResource,
	"MTLBuffer": wire.FamilyResource, "MTLComputePipelineState": wire.FamilyPipeline, "MTL4CommandQueue": wire.FamilyMtl4Queue,
	"MTL4CommandBuffer": wire.FamilyMtl4CommandBuffer, "MTL4CommandAllocator": wire.FamilyMtl4Allocator, "MTL4Compiler": wire.FamilyCompiler,
	"MTL4CompilerTask": wire.FamilyCompilerTask, "MTLIndirectCommandBuffer": wire.FamilyResource, "MTLIndirectComputeCommand": wire.FamilyIndirectCommand,
}

// leftOut says why methods that change or cost something are not recorded, by the start of their selectors.
var leftOut = map[string]string{
	"set(Bytes|Buffer|KernelBuffer|Texture|Sampler|VisibleFunction|IntersectionFunction|AccelerationStructure|ThreadgroupMemory|Imageblock|StageIn|ArgumentTable)": "binds arguments: many per dispatch, each a few instructions of Metal's",
	"set(Color|Depth|Stencil)Store": "sets state of a render pass",
	"(supports|minimum|heap|sparse|convert|tensorSize|acceleration|sizeOf|query|imageblock|maxAvailable|getDefault)": "asks about capabilities and sizes",
	"(set|clear)Barrier$":                                                   "orders the commands of an indirect command buffer",
	"(reflection|functionHandle|containsAllocation)":                        "looks something up",
	"(setShouldMaximizeConcurrentCompilation|sampleTimestamps)":             "sets or asks the device",
	"(addDebugMarker|removeAllDebugMarkers|setOwnerWithIdentity|newRemote)": "debugging and ownership",
	"(get|reset)TextureAccessCounters":                                      "counters of sparse textures",
}

// Every method of Metal's protocols, from the headers of the macOS 26 SDK, is hooked or left out for a reason.
func TestTableCoversMetal(t *testing.T) {
	data, err := os.ReadFile("../../shared/facts/selectors.json")
	if err != nil {
		t.Skip("the list of Metal's selectors is not here")
	}
	var methods []struct{ Protocol, Selector, Enc string }
	if err := json.Unmarshal(data, &methods); err != nil {
		t.Fatal(err)
	}
	var reasons []*regexp.Regexp
	for start := range leftOut {
		reasons = append(reasons, regexp.MustCompile("^"+start))
	}
	used, covered, skipped := map[*regexp.Regexp]bool{}, 0, 0
methods:
	for _, m := range methods {
		family, ours := families[m.Protocol]
		if !ours {
			continue
		}
		if _, ok := wire.Lookup(family, m.Selector); ok {
			covered++
			continue
		}
		for _, r := range reasons {
			if r.MatchString(m.Selector) {
				used[r] = true
				skipped++
				continue methods
			}
		}
		if reads := !strings.Contains(m.Selector, ":") && !strings.HasPrefix(m.Enc, "v"); reads {
			skipped++
			continue
		}
		t.Errorf("-[%s %s] is neither hooked nor left out for a reason", m.Protocol, m.Selector)
	}
	for _, r := range reasons {
		if !used[r] {
			t.Errorf("no method is left out because of %v: delete the reason", r)
		}
	}
	t.Logf("%d methods hooked, %d left out", covered, skipped)
}
