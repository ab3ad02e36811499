package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/handmade"
)

// TestStages: the second stage of a pipeline was reported to starve, and to be four times as fast without its waits for
// the first. But the first stage waited for its own GPU work: a stage that uses the GPU is no producer outside of it.
// How the stages pass their items makes no difference. A loader still starves both stages.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		name    string
		pipe    bool
		submits bool // the first stage does
		runs    analyze.Nanos
		starves bool
	}{
		{"a stage that waits for the GPU, by a signal", false, true, 400_000, false},
		{"a stage that waits for the GPU, by a pipe", true, true, 400_000, false},
		{"a stage that computes, by a signal", false, true, 50_000, true},
		{"a stage that computes, by a pipe", true, true, 50_000, true},
		{"a loader, by a signal", false, false, 0, true},
		{"a loader, by a pipe", true, false, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := handmade.New(60 * inputPeriod)
			for i := range analyze.Nanos(59) {
				begin := 1000 + i*inputPeriod
				if c.submits {
					b := w.Buffer(w.B, begin+10_000, handmade.At(begin+50_000, begin+50_000+c.runs))
					w.Wait(w.B, handmade.At(begin+12_000, begin+60_000+c.runs), b)
				}
				if c.pipe {
					w.Blocked(w.A, handmade.At(begin, begin+640_000), analyze.BlockedPipe, wire.DescriptorOwnPipe, "")
				} else {
					w.SignalWait(w.A, handmade.At(begin, begin+640_000), 0x100, w.B, begin+620_000, 0)
				}
				b := w.Buffer(w.A, begin+650_000, handmade.At(begin+660_000, begin+900_000))
				w.Wait(w.A, handmade.At(begin+652_000, begin+905_000), b)
			}
			w.Trace.Finish()
			if v := Analyze(w.Trace, Options{}).Verdict; (v.Cause == Starvation) != c.starves {
				t.Errorf("%s: %s", v.Cause, v.Summary)
			}
		})
	}
}

// TestStageWithFewCommandBuffers: a stage that commits eleven command buffers for each one of the stage before it was
// reported to starve. Only threads with a considerable share of all command buffers counted as stages.
func TestStageWithFewCommandBuffers(t *testing.T) {
	w := handmade.New(60 * inputPeriod)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*inputPeriod
		b := w.Buffer(w.B, begin+10_000, handmade.At(begin+50_000, begin+450_000))
		w.Wait(w.B, handmade.At(begin+12_000, begin+460_000), b)
		w.SignalWait(w.B, handmade.At(begin+462_000, begin+620_000), 0x200, w.C, begin+615_000, 0)
		w.Blocked(w.A, handmade.At(begin, begin+640_000), analyze.BlockedPipe, wire.DescriptorOwnPipe, "")
		for k := range analyze.Nanos(11) {
			at := begin + 650_000 + 30_000*k
			b := w.Buffer(w.A, at, handmade.At(at+5_000, at+20_000))
			w.Wait(w.A, handmade.At(at+2_000, at+25_000), b)
		}
	}
	w.Trace.Finish()
	if v := Analyze(w.Trace, Options{}).Verdict; v.Cause == Starvation {
		t.Errorf("%s: %s", v.Cause, v.Summary)
	}
}

// TestWaitsForRoom: a stage that waits to write, until the next stage has taken earlier items, was reported to starve
// although the next stage polled for its command buffers. The thread also reads from another pipe of
// that name, which is filled at other times.
func TestWaitsForRoom(t *testing.T) {
	w := handmade.New(60 * inputPeriod)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*inputPeriod
		b := w.Buffer(w.A, begin+5_000, handmade.At(begin+10_000, begin+110_000))
		w.Wait(w.A, handmade.At(begin+7_000, begin+115_000), b)
		w.Blocked(w.A, handmade.At(begin+130_000, begin+920_000), analyze.BlockedPipe, wire.DescriptorOwnPipe, "")
		waits := w.Trace.CPUWaits.Blocked
		waits[len(waits)-1].Selector = "write"
		w.Blocked(w.A, handmade.At(begin+940_000, begin+960_000), analyze.BlockedPipe, wire.DescriptorOwnPipe, "")
		b = w.Buffer(w.B, begin+5_000, handmade.At(begin+110_000, begin+210_000))
		w.Wait(w.B, handmade.At(begin+7_000, begin+885_000), b)
		w.SignalWait(w.B, handmade.At(begin+900_000, begin+990_000), 0x200, w.C, begin+980_000, 0)
	}
	w.Trace.Finish()
	if v := Analyze(w.Trace, Options{}).Verdict; v.Cause == Starvation {
		t.Errorf("%s: %s", v.Cause, v.Summary)
	}
}

// TestLaunchesOfAStageThatWaits: the last stage of a pipeline submits many short command buffers, but waits for each
// item of the stage before it, which is the slower one. Merging its command buffers was predicted to bring 1.5x and
// brought nothing: in the replay, its waits at the pipe took their recorded time.
func TestLaunchesOfAStageThatWaits(t *testing.T) {
	w := handmade.New(60 * inputPeriod)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*inputPeriod
		b := w.Buffer(w.B, begin+10_000, handmade.At(begin+50_000, begin+550_000))
		w.Wait(w.B, handmade.At(begin+12_000, begin+560_000), b)
		w.Blocked(w.A, handmade.At(begin, begin+580_000), analyze.BlockedPipe, wire.DescriptorOwnPipe, "")
		for k := range analyze.Nanos(10) {
			at := begin + 590_000 + 40_000*k
			b := w.Buffer(w.A, at, handmade.At(at+12_000, at+18_000))
			w.Wait(w.A, handmade.At(at+2_000, at+35_000), b)
		}
	}
	w.Trace.Finish()
	for _, f := range Analyze(w.Trace, Options{}).Verdict.Causes {
		if f.Cause == LaunchBound && (f.Speedup == nil || f.Speedup.Estimate > 1.1) {
			t.Errorf("merging command buffers is predicted to bring %+v (%s)", f.Speedup, f.Unpredicted)
		}
	}
}
