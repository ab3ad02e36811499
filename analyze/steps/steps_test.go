package steps

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
)

// ran builds a trace from a drawing of its command buffers. A letter is a command buffer with a kernel of that name; an
// upper-case letter has 64 times the threads. A point is a pause of the program. Each command buffer takes 1 ms.
func ran(drawing string) *analyze.Trace {
	t := &analyze.Trace{}
	process := &analyze.Process{ID: 7}
	queue := &analyze.Queue{ID: 3, Process: process, Label: "main"}
	kernels := map[string]*analyze.Pipeline{}
	at := analyze.Nanos(1_000_000)
	for _, c := range drawing {
		if c == '.' {
			at += 500_000
			continue
		}
		name, threads := strings.ToLower(string(c)), uint64(64)
		if name != string(c) {
			threads *= 64
		}
		if kernels[name] == nil {
			kernels[name] = &analyze.Pipeline{Kernel: name, Process: process}
		}
		b := analyze.CommandBuffer{Queue: queue, Process: process,
			GPU: analyze.Interval{Begin: at, End: at + 1_000_000}, Encoders: []analyze.Encoder{{Dispatches: []analyze.Dispatch{
				{Pipeline: kernels[name], Count: 2, Threads: 2 * threads}}}}}
		b.Created.Interval = analyze.Interval{Begin: at - 1000, End: at - 900}
		b.Committed.Interval = analyze.Interval{Begin: at - 800, End: at - 700}
		t.Add(b)
		at += 1_000_000
	}
	return t
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, drawing, want string }{
		{"nothing repeats", "abcdefghij", ""},
		{"too few", strings.Repeat("ab.", 7), ""},
		{"a loop of single command buffers", strings.Repeat("a.", 20), "loop 20 of 1"},
		{"a loop of layers", strings.Repeat("llllllo.", 10), "loop 10 of 7"},
		{"start-up before a loop", "xyz" + strings.Repeat("ab.", 10), "loop 10 of 2"},
		{"larger work on another graph is no prompt", "XYZW" + strings.Repeat("ab.", 10), "loop 10 of 2"},
		{"the same graph with as many threads is no prompt", "..ba." + strings.Repeat("ab.", 10), "loop 10 of 2"},
		{"a prompt", "xx.AC." + strings.Repeat("ab.", 10), "prompt 1 of 2, decode 10 of 2"},
		{"a prompt whose last command buffer is a token's", "Ab." + strings.Repeat("ab.", 10),
			"prompt 1 of 2, decode 10 of 2"},
		{"a prompt of three steps", "AC.AC.AC." + strings.Repeat("ab.", 10), "prompt 3 of 2, decode 10 of 2"},
		{"a long prompt", strings.Repeat("AC.", 12) + strings.Repeat("ab.", 10), "prompt 12 of 2, decode 10 of 2"},
		{"two requests", "AB." + strings.Repeat("ab.", 10) + "AB." + strings.Repeat("ab.", 12),
			"prompt 1 of 2, decode 10 of 2, prompt 1 of 2, decode 12 of 2"},
		{"a token that differs", "AB." + strings.Repeat("ab.", 10) + "bb." + strings.Repeat("ab.", 10),
			"prompt 1 of 2, decode 21 of 2"},
		{"steps without kernels", strings.Repeat(" .", 10), "loop 10 of 1"},
	} {
		var got []string
		for _, p := range Find(ran(c.drawing)) {
			got = append(got, fmt.Sprintf("%s %d of %d", p.Kind, len(p.Steps), p.CommandBuffers/len(p.Steps)))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

// A step lasts from the end of the step before to its own end, and its parts add up to it.
func TestLengthsOfSteps(t *testing.T) {
	phases := Find(ran("AB.." + strings.Repeat("ab.", 10)))
	if len(phases) != 2 || phases[0].Kind != Prompt || phases[1].Kind != Decode {
		t.Fatalf("%+v", phases)
	}
	for i, s := range phases[1].Steps {
		idle := analyze.Nanos(500_000)
		if i == 0 {
			idle = 1_000_000
		}
		if s.First || s.GPU != 2_000_000 || s.Idle != idle || s.Length() != s.GPU+s.Idle {
			t.Errorf("step %d: %+v", i, s)
		}
		if want := (Wait{Creation: idle - 1000, Commit: 200, Start: 800}); s.Wait != want {
			t.Errorf("step %d waits for its first command buffer for %+v, want %+v", i, s.Wait, want)
		}
	}
	if !slices.IsSortedFunc(phases[1].Steps, func(a, b Step) int { return int(a.Begin - b.Begin) }) {
		t.Error("steps are in no order")
	}
}

// A command buffer that was created, or committed, before the last step ended waits for less.
func TestWaitFor(t *testing.T) {
	b := &buffer{gpu: analyze.Interval{Begin: 100, End: 200}, created: 30, committed: 60}
	for begin, want := range map[analyze.Nanos]Wait{0: {30, 30, 40}, 40: {0, 20, 40}, 70: {0, 0, 30}, 100: {}, 150: {}} {
		if got := waitFor(begin, b); got != want {
			t.Errorf("from %d: %+v, want %+v", begin, got, want)
		}
	}
}

// Names of marks count without their numbers and in any case; others are not steps.
func TestStem(t *testing.T) {
	for name, want := range map[string]string{"token 17": Decode, "Token#3": Decode, "decode": Decode, "prefill": Prompt,
		"prompt_2": Prompt, "tokenize": "", "17": "", "": ""} {
		if got := stepNames[stem(name)]; got != want {
			t.Errorf("%q is a step of %q, want %q", name, got, want)
		}
	}
}
