package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// Serial encoders whose dispatches bind different resources had no insight.
func TestIndependentDispatches(t *testing.T) {
	for _, c := range []struct {
		name  string
		chain analyze.Chain
		says  string
	}{
		{"all independent", analyze.Chain{Dispatches: 8, Longest: 1},
			"10 serial compute encoders have 80 dispatches; by the buffers and textures that they bind, only 10 must run"},
		{"half of them", analyze.Chain{Dispatches: 8, Longest: 4}, "have 80 dispatches; by the buffers"},
		{"most depend on others", analyze.Chain{Dispatches: 8, Longest: 5}, ""},
		{"one each", analyze.Chain{Dispatches: 1, Longest: 1}, ""},
		{"not known", analyze.Chain{}, ""},
	} {
		w := handmade.New(1000 * ms)
		for i := range analyze.Nanos(10) {
			b := w.Buffer(w.A, (10+10*i)*ms, handmade.At((11+10*i)*ms, (12+10*i)*ms))
			e := encoderOf(w.A, b.Created.End, b.Committed.Begin)
			e.Chain = c.chain
			b.Encoders = []analyze.Encoder{e}
		}
		w.Trace.Finish()
		i := independent(&Input{Trace: w.Trace})
		if (i != nil) != (c.says != "") || i != nil && !strings.Contains(i.Evidence, c.says) {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
}
