package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// Four hundred command buffers that a program without an autorelease pool never freed had no insight.
func TestKeptBuffers(t *testing.T) {
	for _, c := range []struct {
		name  string
		alive analyze.Alive
		says  string
	}{
		{"never freed", analyze.Alive{Made: 400, Most: 400}, "created 400 command buffers: 400 of them were alive at " +
			"the same time and 400 at the end"},
		{"freed at the end", analyze.Alive{Made: 400, Freed: 400, Most: 390},
			"390 of them were alive at the same time and 0 at"},
		{"freed in time", analyze.Alive{Made: 400, Freed: 400, Most: 3}, ""},
		{"as many as are in flight", analyze.Alive{Made: 64, Freed: 64, Most: 64}, ""},
		{"some are kept", analyze.Alive{Made: 4000, Freed: 3800, Most: 200}, ""},
		{"not known", analyze.Alive{}, ""},
	} {
		trace, _, _ := threadsTrace()
		trace.Processes[0].Alive = c.alive
		i := unfreedBuffers(&Input{Trace: trace})
		if (i != nil) != (c.says != "") || i != nil && !strings.Contains(i.Evidence, c.says) {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
}
