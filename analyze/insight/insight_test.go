package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/serial"
	"mtrace/analyze/tracesim"
)

const (
	us = 1_000
	ms = 1_000_000
)

// look runs a program of one thread on a simulated Metal and finds what there is to say.
func look(t *testing.T, engines int, script func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread)) map[string]Insight {
	t.Helper()
	s := tracesim.NewSim(engines, 1)
	q := s.NewQueue("work", 0)
	s.Thread(func(th *tracesim.Thread) { script(s, q, th) })
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := serial.Analyze(trace, serial.Options{})
	ks := kernels.Summarize(trace)
	found := map[string]Insight{}
	for _, i := range Find(&Input{Trace: trace, Serial: a, Kernels: ks, Fusions: kernels.Fusions(trace, ks, a.LaunchTime()),
		Compile: compile.Summarize(trace), Memory: memory.Summarize(trace)}) {
		found[i.ID] = i
	}
	return found
}

func round(th *tracesim.Thread, q *tracesim.Queue, gpu int64, kernels ...string) *tracesim.Buffer {
	b := th.CommandBuffer(q)
	for _, k := range kernels {
		th.Encode(b, k, gpu/int64(len(kernels)))
	}
	th.Commit(b)
	return b
}

// TestInsights: each habit is found in a program that has it, with its number, and not in one that does not.
func TestInsights(t *testing.T) {
	good := look(t, 1, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
		th.Compile("other", 5*ms)
		th.Allocate(1<<20, 0x1000)
		var last *tracesim.Buffer
		for range 60 {
			b := round(th, q, 400*us, "step")
			if last != nil {
				th.Wait(last)
			}
			last = b
		}
	})
	for _, c := range []struct {
		id, evidence, severity string
		script                 func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread)
	}{
		{"compile-in-loop", "after the first commit: 59", Warning, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for i := range 60 {
				th.Compile(strings.Repeat("k", i+1), 300*us)
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
		{"repeated-compile", "9 of 11 compilations", Warning, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 10 {
				th.Compile("again", 300*us)
			}
			for range 30 {
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
		{"allocation-in-loop", "1.0 for each command buffer", Warning, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for i := range 60 {
				th.Allocate(4096, uint64(0x1000*(i+1)))
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
		{"memory-growth", "60 allocations of 240 MiB", Info, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for i := range 60 {
				th.Allocate(4<<20, uint64(0x1000*(i+1)))
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
		{"wait-after-commit", "59 of 59", Info, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 60 {
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
		{"tiny-command-buffers", "60 of 60", Warning, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 60 {
				th.Wait(round(th, q, 8*us, "step"))
			}
		}},
		{"fusion", "add is followed by relu in 100 %", Info, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 60 {
				th.Wait(round(th, q, 100*us, "add", "relu"))
			}
		}},
		{"no-warm-up", "1 of 1 thread", Info, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			th.Wait(round(th, q, 9*ms, "step"))
			for range 60 {
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
		{"variance", "of its median", Info, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 100 {
				th.Wait(round(th, q, 200*us+int64(th.Random()*900*us), "step"))
			}
		}},
		{"gpu-idle", "outside of Metal", Info, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for range 60 {
				th.Work(ms)
				th.Wait(round(th, q, 400*us, "step"))
			}
		}},
	} {
		found, there := look(t, 1, c.script)[c.id]
		switch {
		case !there:
			t.Errorf("%s is not found", c.id)
		case !strings.Contains(found.Evidence, c.evidence) || found.Severity != c.severity || found.Advice == "":
			t.Errorf("%s: %+v, want evidence %q", c.id, found, c.evidence)
		}
		if i, there := good[c.id]; there && i.Severity != Skipped {
			t.Errorf("%s is found where it is not: %+v", c.id, i)
		}
	}
}

// TestSkipped: what cannot be told is said.
func TestSkipped(t *testing.T) {
	found := look(t, 1, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) { th.Wait(round(th, q, 400*us, "step")) })
	for _, id := range []string{"no-warm-up", "variance", "allocation-in-loop"} {
		if i := found[id]; i.Severity != Skipped || !strings.HasPrefix(i.Evidence, "SKIPPED: ") {
			t.Errorf("%s: %+v", id, i)
		}
	}
}
