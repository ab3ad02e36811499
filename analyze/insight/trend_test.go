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
		found, there := look(t, 1, steady(120, c.step))["growing-steps"]
		if there != (c.says != nil) {
			t.Errorf("%s: found %v: %s", name, there, found.Evidence)
		}
		for _, want := range c.says {
			if !strings.Contains(found.Evidence, want) {
				t.Errorf("%s: it does not say %q: %s", name, want, found.Evidence)
			}
		}
		if there {
			t.Logf("%s: %s", name, found.Evidence)
		}
	}
}
