package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// TestValidation: each layer that Metal wraps around its objects is named, with what turns it off.
func TestValidation(t *testing.T) {
	for class, advice := range map[string]string{
		"MTLDebugCommandBuffer":      "unset MTL_DEBUG_LAYER to measure",
		"MTLGPUDebugComputePipeline": "unset MTL_SHADER_VALIDATION to measure",
		"CaptureMTLCommandQueue":     "unset METAL_CAPTURE_ENABLED",
		"AGXG13XFamilyCommandBuffer": "",
	} {
		i := validation(&Input{Trace: &analyze.Trace{Calls: []*analyze.CallStat{{Class: class}}}})
		if (i == nil) != (advice == "") || i != nil && (!strings.HasPrefix(i.Advice, advice) || i.Severity != Warning) {
			t.Errorf("%s: %+v, want %q", class, i, advice)
		}
	}
}
