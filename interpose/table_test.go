package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// hooked is every row of hooks_table.h, as FAMILY_NAME: its call's constant in C without MT_CALL_.
func hooked(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("top/hooks_table.h")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile(
		`(?m)^(?:CALL|MAKE|MAKE_AUTORELEASED|FREE|AUDIT|POLL|BIND|DROP)\((\w+),\s*(\w+),`).
		FindAllStringSubmatch(string(text), -1) {
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
		if f := call.Row().Family; f == wire.FamilyTracer || f == wire.FamilyFunction || f == wire.FamilyLock ||
			f == wire.FamilySignal {
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

// families gives the hooks for an object of each of Metal's protocols. The protocols left out are returned by no hooked
// method, or only hold values.
var families = map[string]wire.Family{
	"MTLDevice": wire.FamilyDevice, "MTLCommandQueue": wire.FamilyQueue, "MTLCommandBuffer": wire.FamilyCommandBuffer,
	"MTLCommandEncoder": wire.FamilyEncoder, "MTLComputeCommandEncoder": wire.FamilyEncoder,
	"MTLBlitCommandEncoder":                  wire.FamilyEncoder,
	"MTLAccelerationStructureCommandEncoder": wire.FamilyEncoder, "MTLResourceStateCommandEncoder": wire.FamilyEncoder,
	"MTLParallelRenderCommandEncoder": wire.FamilyEncoder, "MTL4CommandEncoder": wire.FamilyEncoder,
	"MTL4ComputeCommandEncoder":         wire.FamilyEncoder,
	"MTL4MachineLearningCommandEncoder": wire.FamilyEncoder, "MTLEvent": wire.FamilyEvent,
	"MTLSharedEvent": wire.FamilyEvent, "MTLFence": wire.FamilyFence,
	"MTLBinaryArchive": wire.FamilyArchive, "MTL4Archive": wire.FamilyArchive, "MTLHeap": wire.FamilyHeap,
	"MTLFunction": wire.FamilyFunctionObject,
	"MTLLibrary":  wire.FamilyLibrary, "MTLDynamicLibrary": wire.FamilyDynamicLibrary,
	"MTLResidencySet":   wire.FamilyResidencySet,
	"MTLIOCommandQueue": wire.FamilyIoQueue, "MTLIOCommandBuffer": wire.FamilyIoCommandBuffer,
	"MTLResource": wire.FamilyResource,
	"MTLBuffer":   wire.FamilyResource, "MTLComputePipelineState": wire.FamilyPipeline,
	"MTL4CommandQueue":  wire.FamilyMtl4Queue,
	"MTL4CommandBuffer": wire.FamilyMtl4CommandBuffer, "MTL4CommandAllocator": wire.FamilyMtl4Allocator,
	"MTL4Compiler":     wire.FamilyCompiler,
	"MTL4CompilerTask": wire.FamilyCompilerTask, "MTLIndirectCommandBuffer": wire.FamilyResource,
	"MTLIndirectComputeCommand": wire.FamilyIndirectCommand,
	"MTLIndirectRenderCommand":  wire.FamilyIndirectCommand,
}

// leftOut gives the reasons why methods that change or cost something are not recorded, by the start of their
// selectors.
var leftOut = map[string]string{
	"set(Bytes|Buffer|KernelBuffer|VertexBuffer|FragmentBuffer|ObjectBuffer|MeshBuffer|ObjectThreadgroupMemory|" +
		"Texture|Sampler|VisibleFunction|IntersectionFunction|AccelerationStructure|ThreadgroupMemory|Imageblock|" +
		"StageIn|ArgumentTable)": "binds arguments: many per dispatch, each a few instructions of Metal's",
	"set(Color|Depth|Stencil)Store": "sets state of a render pass",
	"set(DepthStencilState|DepthBias|DepthClipMode|CullMode|FrontFacingWinding|" +
		"TriangleFillMode)": "sets state of a drawing",
	"(supports|minimum|heap|sparse|convert|tensorSize|acceleration|sizeOf|query|imageblock|" +
		"maxAvailable|getDefault)": "asks about capabilities and sizes",
	"(set|clear)Barrier$": "orders the commands of an indirect " +
		"command buffer",
	"(reflection|functionHandle|containsAllocation)":                        "looks something up",
	"(setShouldMaximizeConcurrentCompilation|sampleTimestamps)":             "sets or asks the device",
	"(addDebugMarker|removeAllDebugMarkers|setOwnerWithIdentity|newRemote)": "debugging and ownership",
	"(get|reset)TextureAccessCounters":                                      "counters of sparse textures",
}

// A method of Metal's, as its header declares it.
type method struct{ protocol, selector, types string }

// declared are the methods of Metal's protocols.
func declared(t *testing.T) (methods []method) {
	t.Helper()
	text, err := os.ReadFile("testdata/metal_methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 {
			methods = append(methods, method{f[0], f[1], f[2]})
		}
	}
	return methods
}

// Every method of Metal's protocols is hooked or left out for a reason.
func TestTableCoversMetal(t *testing.T) {
	var reasons []*regexp.Regexp
	for start := range leftOut {
		reasons = append(reasons, regexp.MustCompile("^"+start))
	}
	used, covered, skipped := map[*regexp.Regexp]bool{}, 0, 0
methods:
	for _, m := range declared(t) {
		family, ours := families[m.protocol]
		if !ours {
			continue
		}
		if _, ok := wire.Lookup(family, m.selector); ok {
			covered++
			continue
		}
		for _, r := range reasons {
			if r.MatchString(m.selector) {
				used[r] = true
				skipped++
				continue methods
			}
		}
		t.Errorf("-[%s %s] is neither hooked nor left out for a reason", m.protocol, m.selector)
	}
	for _, r := range reasons {
		if !used[r] {
			t.Errorf("no method is left out because of %v: delete the reason", r)
		}
	}
	t.Logf("%d methods hooked, %d left out", covered, skipped)
}

// encoded gives the runtime's encodings of the types in the hook table. A pointer may stand for any object, block or
// pointer, and a struct for any of the same layout.
var encoded = map[string]string{
	"id": "@", "NSUInteger": "Q", "uint64_t": "Q", "long": "q", "uint32_t": "I", "uint8_t": "C", "BOOL": "B",
	"double":  "d",
	"MTLSize": "{?=QQQ}", "NSRange": "{?=QQ}", "MTLRegion": "{?={?=QQQ}{?=QQQ}}",
	"nothing": "v", "object": "@", "autoreleased": "@", "truth": "B", "integer": "Q",
}

// A row of the hook table with another prototype than Metal's header would pass arguments in the wrong registers.
func TestPrototypesAreMetals(t *testing.T) {
	text, err := os.ReadFile("top/hooks_table.h")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(
		`(?m)^(CALL|MAKE|MAKE_AUTORELEASED|POLL|BIND)\((\w+),\s*(\w+),\s*\w+,\s*(\w+),\s*P\(([^)]*)\)`)
	parameter := regexp.MustCompile(`^(?:const )?(\w+) (\**)a\d+$`)
	structure := regexp.MustCompile(`\{\w+=`)
	pointer := regexp.MustCompile(`@\?|\^(\{(\{[^}]*\}|[^{}])*\}|.)`)
	rows := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		types := encoded[m[4]]
		if strings.HasPrefix(m[1], "MAKE") {
			types = "@"
		}
		types += "@:"
		for _, p := range strings.Split(m[5], ",") {
			if p = strings.TrimSpace(p); p == "" {
				continue
			}
			switch f := parameter.FindStringSubmatch(p); {
			case f == nil:
				t.Errorf("%s %s: no parameter %q is known", m[2], m[3], p)
			case f[2] != "":
				types += "@"
			default:
				types += encoded[f[1]]
			}
		}
		rows[m[2]+" "+m[3]] = types
	}
	compared := 0
	for _, m := range declared(t) {
		call, hooked := wire.Lookup(families[m.protocol], m.selector)
		if !hooked {
			continue
		}
		family := call.Row().Family.String()
		name := strings.TrimPrefix(call.CName(), "MT_CALL_"+family+"_")
		compared++
		if types, want := rows[family+" "+name], pointer.ReplaceAllString(structure.ReplaceAllString(m.types, "{?="),
			"@"); types != want {
			t.Errorf("%s %s: the table has %s, Metal's header %s", family, name, types, want)
		}
	}
	if compared < 250 {
		t.Errorf("only %d prototypes were compared", compared)
	}
}

// The caller owns the result of a method whose name begins with "new"; any other returned object is autoreleased
// (clang.llvm.org/docs/AutomaticReferenceCounting.html, "Method families"). A row with the wrong rule would free an
// object too early, or never.
func TestAutoreleasedResults(t *testing.T) {
	text, err := os.ReadFile("top/hooks_table.h")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^(CALL|MAKE|MAKE_AUTORELEASED)\(\w+,\s*(\w+),\s*\w+,\s*(\w+),`)
	kinds := map[string]int{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		kind := m[1]
		switch {
		case kind == "CALL" && m[3] == "autoreleased":
			kind = "MAKE_AUTORELEASED"
		case kind == "CALL" && m[3] != "object":
			continue
		case kind == "CALL":
			kind = "MAKE"
		}
		kinds[kind]++
		if owned := strings.HasPrefix(m[2], "new"); owned != (kind == "MAKE") {
			t.Errorf("%s is in a row for %s", m[2], kind)
		}
	}
	if kinds["MAKE"] < 90 || kinds["MAKE_AUTORELEASED"] < 30 {
		t.Errorf("only %v rows were looked at", kinds)
	}
}
