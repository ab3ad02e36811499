package analyze

import (
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// Calls with a completion handler, and no others, compile in the background. newBinaryFunctionWithDescriptor: only
// makes a task in the model.
func TestCallsThatCompileInTheBackground(t *testing.T) {
	for i := range rules {
		r := &rules[i]
		want := r.part == PartCompile && r.effect != wire.EffectMakes &&
			strings.HasSuffix(r.row.Selector, "completionHandler:")
		if r.inBackground() != want {
			t.Errorf("%s compiles in the background: %v, want %v", r.row.Selector, !want, want)
		}
	}
}
