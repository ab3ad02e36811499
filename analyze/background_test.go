package analyze_test

import (
	"fmt"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/kernels"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// A program creates pipeline states with a completion handler, and waits for a semaphore that the handler signals. The
// report had the kernels as "(kernel not known)", and the wait as starvation: nothing was faster without compilation.
func TestCompilationInTheBackground(t *testing.T) {
	script := newScript(t)
	main, metal, other := script.main(), script.Thread(102, "com.Metal.Compiler"), script.Thread(103, "other")
	request := func(kernel string) (begin int64) {
		begin = main.Now
		main.Call(wire.FamilyDevice, "newComputePipelineStateWithFunction:completionHandler:", main.Device, 0, 50_000,
			&wire.More{X0: main.Text(kernel)})
		return begin
	}
	// ready passes a pipeline state to a handler on a thread. The tracer reads the clock just before the call begins.
	ready := func(th *tracetest.Thread, requested, at int64) wire.ObjectID {
		th.Now = at
		state := th.NewObject()
		th.Outer(wire.FamilyTracer, "made", th.Device, uint64(state), requested-20, nil)
		return state
	}
	for i := range int64(3) {
		main.Now = (10 + 10*i) * ms
		begin := request(fmt.Sprint("k", i))
		main.SignalWait("compiled", 0x70, 102, 5*ms, 0)
		main.Run(tracetest.Step{Pipeline: ready(metal, begin, main.Now-10_000), Encode: 300, Commit: 1000, GPU: ms,
			Notify: 1000})
	}
	main.Now = 50 * ms
	begin := request("early")
	early := ready(metal, begin, 52*ms)
	main.Now = 60 * ms
	main.SignalWait("compiled", 0x70, 102, 5*ms, 0) // of the same thread, but for something else
	main.Run(tracetest.Step{Pipeline: early, Encode: 300, Commit: 1000, GPU: ms, Notify: 1000})
	main.Now = 80 * ms
	begin = request("long")
	ready(metal, begin, 88*ms)
	main.Now = 84 * ms
	main.SignalWait("results", 0x71, 103, 5*ms, 0) // another thread's signal
	request("unanswered")
	other.Now = 100 * ms
	other.Run(tracetest.Step{Pipeline: early, Encode: 300, Commit: 1000, GPU: ms, Notify: 1000})
	trace := script.load(t)

	var names, waits []string
	for _, k := range kernels.Summarize(trace) {
		names = append(names, fmt.Sprint(k.Name, " ", k.Dispatches))
	}
	slices.Sort(names)
	if want := []string{"early 2", "k0 1", "k1 1", "k2 1"}; !slices.Equal(names, want) {
		t.Errorf("kernels %q, want %q", names, want)
	}
	for i := range trace.Compilations {
		if c := &trace.Compilations[i]; c.Waits() {
			waits = append(waits, fmt.Sprintf("%s %d %d", c.Selector, c.Thread.ID, c.Length()))
		}
	}
	if want := slices.Repeat([]string{"pthread_cond_wait 101 5000000"}, 3); !slices.Equal(waits, want) {
		t.Errorf("waits for compilations: %q, want %q", waits, want)
	}
	if n := len(trace.CPUWaits.Signals); n != 2 {
		t.Errorf("%d other waits for signals, want 2", n)
	}
	use := compile.Summarize(trace)
	if use.Pipelines != 6 || use.Repeated != 0 {
		t.Errorf("%d pipeline states, %d repeated, want 6 and 0", use.Pipelines, use.Repeated)
	}
	for _, item := range use.Items {
		want := map[string]analyze.Nanos{"k0": 5_040_000, "early": 2_000_000, "long": 8_000_000, "unanswered": 50_000}
		if of := want[item.Name]; of != 0 && item.Total != of {
			t.Errorf("%s took %d ns, want %d", item.Name, item.Total, of)
		}
	}
}
