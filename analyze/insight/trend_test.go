package insight

import (
	"strings"
	"testing"

	"mtrace/fixtures/tracesim"
)

// steady is a program that repeats a step.
func steady(count int, step func(th *tracesim.Thread, q *tracesim.Queue, i int)) func(*tracesim.Sim, *tracesim.Queue,
	*tracesim.Thread) {
	return func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
		for i := range count {
			step(th, q, i)
		}
	}
}

// A step that grew from 0.3 to 2.7 ms through the run was not mentioned.
func TestTrend(t *testing.T) {
	for name, c := range map[string]struct {
		step func(th *tracesim.Thread, q *tracesim.Queue, i int)
		says []string // none: it is no trend
	}{
		"a kernel": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(300+20*i)*us, "attend"))
		}, []string{"from the first fifth of the run to the last, a step of thread 201", "kernel attend on the GPU from",
			"size of the dispatches do not grow"}},
		"more dispatches": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			kernels := make([]string, 1+i/2)
			for k := range kernels {
				kernels[k] = "add"
			}
			th.Wait(iterate(th, q, 20*us*int64(len(kernels)), kernels...))
		}, []string{"kernel add on the GPU from", "times as many dispatches"}},
		"the program itself": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Work(int64(100+10*i) * us)
			th.Wait(iterate(th, q, 200*us, "step"))
		}, []string{"time outside of Metal from"}},
		"allocations": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			for range i {
				th.Allocate(4096, 0)
			}
			th.Wait(iterate(th, q, 50*us, "step"))
		}, []string{"newBufferWithLength:options:", "times in place of"}},
		"no growth": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(300+th.Random()*600)*us, "step"))
		}, nil},
		"a second phase that takes longer": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(300+1000*(i/60))*us, "step"))
		}, nil},
		"slow at first": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(300+3000/(i+1))*us, "step"))
		}, nil},
		"up and down": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, int64(300+100*(i%10))*us, "step"))
		}, nil},
	} {
		checkTrend(t, name, c.step, c.says)
	}
}

// A step of several command buffers that grew from 0.3 to 2.7 ms was not mentioned, because each command buffer counted
// as a step: the small ones between hid the growth of the large one.
func TestTrendOfSeveralCommandBuffers(t *testing.T) {
	for name, c := range map[string]struct {
		step func(th *tracesim.Thread, q *tracesim.Queue, i int)
		says []string // none: it is no trend
	}{
		"a kernel in the first of two": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, int64(300+20*i)*us, "attend")
			th.Wait(iterate(th, q, 100*us, "norm"))
		}, []string{"2 command buffers from one commit of kernel attend to the next, grows from 835", "to 2.",
			"what grows: kernel attend on the GPU from"}},
		"a kernel in the second of three": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, 100*us, "norm")
			iterate(th, q, int64(300+20*i)*us, "attend")
			th.Wait(iterate(th, q, 100*us, "project"))
		}, []string{"3 command buffers from one commit of kernel norm to the next",
			"what grows: kernel attend on the GPU from"}},
		"a wait after each of three": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Wait(iterate(th, q, 100*us, "norm"))
			th.Wait(iterate(th, q, int64(300+20*i)*us, "attend"))
			th.Wait(iterate(th, q, 100*us, "project"))
		}, []string{"3 command buffers from", "what grows: kernel attend on the GPU from"}},
		"five, and an evaluation in every seventh step": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			for _, kernel := range []string{"norm", "project", "rotate"} {
				iterate(th, q, 50*us, kernel)
			}
			iterate(th, q, int64(300+20*i)*us, "attend")
			th.Wait(iterate(th, q, 50*us, "add"))
			if i%7 == 0 {
				th.Wait(iterate(th, q, 400*us, "evaluate"))
			}
		}, []string{"of kernel norm to the next", "what grows: kernel attend on the GPU from"}},
		"the program itself, between two": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, 100*us, "norm")
			th.Work(int64(100+20*i) * us)
			th.Wait(iterate(th, q, 100*us, "project"))
		}, []string{"2 command buffers from", "time outside of Metal from"}},
		"the number of equal command buffers": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			var last *tracesim.Buffer
			for range 2 + i/5 {
				last = iterate(th, q, 100*us, "add")
			}
			th.Wait(last)
		}, []string{"at the end from one wait to the next", "command buffers at first and", "kernel add on the GPU",
			"times in place of"}},
		"the number of dispatches in one of three": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, 100*us, "norm")
			kernels := make([]string, 2+i)
			for k := range kernels {
				kernels[k] = []string{"add", "scale"}[k%2]
			}
			iterate(th, q, 20*us*int64(len(kernels)), kernels...)
			th.Wait(iterate(th, q, 100*us, "project"))
		}, []string{"3 command buffers from", "kernels add, scale on the GPU from", "times as many dispatches"}},
		"no growth": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, int64(300+th.Random()*600)*us, "norm")
			iterate(th, q, 300*us, "attend")
			th.Wait(iterate(th, q, 100*us, "project"))
		}, nil},
		"a second phase that takes longer": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, 100*us, "norm")
			th.Wait(iterate(th, q, int64(300+1000*(i/60))*us, "attend"))
		}, nil},
		"slow at first": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, 100*us, "norm")
			th.Wait(iterate(th, q, int64(300+3000/(i+1))*us, "attend"))
		}, nil},
		"up and down": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, 100*us, "norm")
			iterate(th, q, int64(300+100*(i%10))*us, "attend")
			th.Wait(iterate(th, q, 100*us, "project"))
		}, nil},
		"one kernel grows and another shrinks": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			iterate(th, q, int64(300+10*i)*us, "attend")
			th.Wait(iterate(th, q, int64(1500-10*i)*us, "norm"))
		}, nil},
	} {
		checkTrend(t, name, c.step, c.says)
	}
}

// checkTrend runs 120 steps and compares the insight with the expected words, or expects no insight without words.
func checkTrend(t *testing.T, name string, step func(th *tracesim.Thread, q *tracesim.Queue, i int), says []string) {
	t.Helper()
	found, there := look(t, 1, steady(120, step))["growing-steps"]
	if there != (says != nil) {
		t.Errorf("%s: found %v: %s", name, there, found.Evidence)
	}
	for _, want := range says {
		if !strings.Contains(found.Evidence, want) {
			t.Errorf("%s: it does not say %q: %s", name, want, found.Evidence)
		}
	}
	if there {
		t.Logf("%s: %s", name, found.Evidence)
	}
}
