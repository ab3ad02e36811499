package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal/truth"
)

// sampled runs a check of the software Metal's client under --gpu-timing encoder, with durations that are known.
func sampled(t *testing.T, check string, env ...string) (r run, file *truth.File, plain string) {
	t.Helper()
	_, client := softMetal(t)
	env = append([]string{"SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=1"}, env...)
	untraced := exec.Command(client, check)
	untraced.Env = append(os.Environ(), env...)
	out, err := untraced.Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(client, check)
	cmd.Env = append(env, "MTRACE_GPU_TIMING=encoder")
	r, file = traceSoft(t, cmd)
	if !r.state.Success() || r.stdout != string(out) {
		t.Errorf("ended with %v and wrote\n%s%s\nwithout the tracer it writes\n%s", r.state, r.stdout, r.stderr, out)
	}
	return r, file, string(out)
}

// An encoderTime is the trace's information on one encoder.
type encoderTime struct {
	label      string
	asked      wire.Sampling // when it was made
	got        wire.Sampling // when its command buffer completed; SamplingOff if nothing was recorded
	begin, end uint64
}

// encoderTimes are the encoders of the trace, by number.
func encoderTimes(t *testing.T, p *tracee) map[wire.ObjectID]*encoderTime {
	t.Helper()
	encoders := map[wire.ObjectID]*encoderTime{}
	times := []event{}
	for _, e := range p.events(t) {
		switch row := e.Call.Row(); {
		case row.Makes(wire.KindEncoder):
			encoders[wire.ObjectID(e.Arg)] = &encoderTime{}
			if e.more != nil {
				encoders[wire.ObjectID(e.Arg)].asked = wire.Sampling(e.more.X1)
			}
		case e.Call == wire.CallEncoderTimes:
			times = append(times, e)
		case row.Effect == wire.EffectLabels && row.Object.Kind == wire.KindEncoder:
			if encoders[e.Object] != nil {
				encoders[e.Object].label = p.text(t, e.Arg)
			}
		}
	}
	for _, e := range times {
		got := encoders[e.Object]
		if got == nil || got.got != wire.SamplingOff {
			t.Fatalf("times of encoder %d, which was not made, or twice", e.Object)
		}
		got.got, got.begin, got.end = wire.Sampling(e.Arg), e.more.X0, e.more.X1
	}
	return encoders
}

// trueTimes are the encoders' true times, by label.
func trueTimes(file *truth.File) map[string]truth.Encoder {
	by := map[string]truth.Encoder{}
	for _, l := range file.Labels {
		i, found := slices.BinarySearchFunc(file.Encoders, l.Object,
			func(e truth.Encoder, id truth.ObjectID) int { return int(e.ID) - int(id) })
		if found {
			by[l.Text] = file.Encoders[i]
		}
	}
	return by
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// Each encoder's measured time is its true one, on a device with the processor's clock and on one with a clock of its
// own, with and without the validation layer. The program, which prints the retain counts of its objects, notices
// nothing.
func TestEncoderTimesAreTrue(t *testing.T) {
	for name, env := range map[string][]string{"nanoseconds": nil, "ticks": {"SOFTMETAL_GPU_TICK_NS=41.6667"},
		"debug-layer": {"MTL_DEBUG_LAYER=1"}} {
		t.Run(name, func(t *testing.T) {
			r, file, _ := sampled(t, "unequal-encoders", env...)
			encoders, want := encoderTimes(t, r.traced(t)), trueTimes(file)
			if len(encoders) != 30 || len(want) != 30 {
				t.Fatalf("%d encoders, %d of them in truth, not 30", len(encoders), len(want))
			}
			worst := uint64(0)
			for id, e := range encoders {
				w, known := want[e.label]
				if e.asked != wire.SamplingMeasured || e.got != wire.SamplingMeasured || !known {
					t.Errorf("encoder %d %q: %v, then %v", id, e.label, e.asked, e.got)
					continue
				}
				worst = max(worst, distance(e.begin, uint64(w.GPUStart)), distance(e.end, uint64(w.GPUEnd)))
			}
			t.Logf("off by %d ns at most", worst)
			if worst > 50_000 {
				t.Errorf("times are off by up to %d ns", worst)
			}
		})
	}
}

// Encoders that cannot be measured are reported with the reason, and encoders that are left alone stay as the program
// set them up. A command buffer that is never committed must not keep its sample slots: there are slots for 8192
// encoders.
func TestEncodersThatAreNotMeasured(t *testing.T) {
	r, file, _ := sampled(t, "other-encoders")
	want := trueTimes(file)
	counts := map[wire.Sampling]int{}
	for id, e := range encoderTimes(t, r.traced(t)) {
		outcome := e.got
		if e.asked != wire.SamplingMeasured {
			outcome = e.asked
		}
		switch {
		case strings.HasPrefix(e.label, "encoder 0 "):
			if outcome != wire.SamplingTaken {
				t.Errorf("the encoder that samples itself: %v", outcome)
			}
		case strings.Contains(e.label, "us=700"):
			if outcome != wire.SamplingOff {
				t.Errorf("the render encoder: %v", outcome)
			}
		case e.label != "":
			counts[outcome]++
			if w := want[e.label]; outcome == wire.SamplingMeasured && distance(e.begin, uint64(w.GPUStart)) > 50_000 {
				t.Errorf("encoder %d %q began at %d, not %d", id, e.label, e.begin, w.GPUStart)
			}
		}
	}
	if counts[wire.SamplingMeasured] != 41 {
		t.Errorf("%v, not 41 measured", counts)
	}
}

// If the samples are implausible nothing is called measured, and the trace has the reason.
func TestSamplesThatAreNoGood(t *testing.T) {
	for _, c := range []struct {
		env, warning string
		measured     int
	}{
		{"SOFTMETAL_COUNTERS=off", "the device does not sample counters at the boundaries of encoders", 0},
		{"SOFTMETAL_COUNTERS=zero", "the self-test found no values", 0},
		{"SOFTMETAL_COUNTERS=error", "the self-test found no values", 0},
		{"SOFTMETAL_COUNTERS=wrong", "outside of their command buffer's time", 0},
		{"SOFTMETAL_COUNTERS=late", "", 30},
		{"SOFTMETAL_COUNTER_BUFFERS=0", "no space for counter samples", 0},
		{"SOFTMETAL_COUNTER_ERRORS_AFTER=36", "", 15}, // 6 of the self-test's, 30 of the first 15 encoders
	} {
		t.Run(c.env, func(t *testing.T) {
			r, _, _ := sampled(t, "unequal-encoders", c.env)
			p := r.traced(t)
			got := map[wire.Sampling]int{}
			for _, e := range encoderTimes(t, p) {
				if e.asked != wire.SamplingMeasured {
					e.got = e.asked
				}
				got[e.got]++
				if e.got != wire.SamplingMeasured && (e.begin != 0 || e.end != 0) {
					t.Errorf("times of an encoder that was not measured: %+v", e)
				}
			}
			rest := wire.SamplingDevice
			if c.measured > 0 {
				rest = wire.SamplingMissing
			}
			if got[wire.SamplingMeasured] != c.measured || got[rest] != 30-c.measured {
				t.Errorf("%v", got)
			}
			warnings := ""
			for _, f := range p.facts(t) {
				if f.Kind == wire.FactWarning {
					warnings += f.Text
				}
			}
			if !strings.Contains(warnings, c.warning) || c.warning == "" && warnings != "" {
				t.Errorf("warned %q, not of %q", warnings, c.warning)
			}
		})
	}
}
