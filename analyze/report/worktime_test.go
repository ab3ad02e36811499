package report

import (
	"bytes"
	"strings"
	"testing"

	"mtrace/fixtures/tracesim"
)

// TestShortWork: if the program used the GPU for less than half of the run, the verdict and the table of gains say how
// long that was. The story: a program loaded for 3 s, used the GPU for 0.13 s, and wrote a file for 3 s. Its report
// said that threads waited for the GPU for 92% of their time, and that the run would be 12.9x faster without a kernel.
// Then the report of a program that compiled for 83 of 102 ms said that the verdict compile-bound was about 5 ms.
func TestShortWork(t *testing.T) {
	for _, c := range []struct {
		name                   string
		compile, before, after int64
		line, title            string
	}{
		{"no start-up", 0, 0, 0, "", "WHAT WOULD HELP predicted speed-up of the run by each change"},
		{"short start-up", 0, 20 * ms, 0, "", "WHAT WOULD HELP predicted speed-up of the run by each change"},
		{"long start-up and end", 0, 500 * ms, 500 * ms, "This is about the 41.2 ms from the first command buffer " +
			"to the last commit or wait, 3.8% of the run; the time before and after it does not count.",
			"WHAT WOULD HELP predicted speed-up of the 41.2 ms with GPU work by each change"},
		{"long compilation, which counts", 300 * ms, 0, 0, "", "VERDICT compile-bound"},
	} {
		s := tracesim.NewSim(1, 1)
		q := s.NewQueue("work", 0)
		s.Thread(func(th *tracesim.Thread) {
			if c.compile > 0 {
				th.Compile("step", c.compile)
			}
			th.Nanosleep(c.before)
			for range 40 {
				b := th.CommandBuffer(q)
				th.Encode(b, "step", ms)
				th.Commit(b)
				th.Wait(b)
			}
			th.Nanosleep(c.after)
		})
		r := Build(load(t, s.Run(t)), Options{})
		var text bytes.Buffer
		if err := r.WriteText(&text, Options{}); err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(text.String()), " ")
		if r.WorkLine() != c.line || !strings.Contains(words, c.line) || !strings.Contains(words, c.title) {
			t.Errorf("%s: %q, report:\n%s", c.name, r.WorkLine(), &text)
		}
		if w := r.Serialization.WorkNS; c.compile == 0 && (w < 40*ms || w > 45*ms) {
			t.Errorf("%s: the GPU worked for 40 ms, and the working time is %d ns", c.name, w)
		}
	}
}
