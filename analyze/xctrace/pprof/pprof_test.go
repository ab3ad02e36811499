package pprof

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/pprof/profile"

	"mtrace/analyze/xctrace/summary"
	"mtrace/fixtures/xctrace/export"
	"mtrace/fixtures/xctracetest"
)

// again writes a profile and reads it, as go tool pprof would.
func again(t *testing.T, p *profile.Profile) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func stackOf(s *profile.Sample) (names []string) {
	for _, l := range s.Location {
		names = append(names, l.Line[0].Function.Name)
	}
	return names
}

// The sums of the GPU profile equal the simulation's sums, per label and thread.
func TestGPUProfileSums(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 1, CommandBuffers: 300, Threads: 3, Encoders: 2, Labels: 2,
		Compositor: true})
	r := xctracetest.Load(t, simulated, "metal-gpu-intervals", "metal-application-command-buffer-submissions")
	built, err := GPU(r, summary.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	p := again(t, built)
	want := map[string][3]int64{}
	for _, b := range simulated.Buffers {
		if b.Process != 1 {
			continue
		}
		for i, e := range b.Encoders {
			key := fmt.Sprint([]string{fmt.Sprintf("encoder %q", e.Label), e.Label, b.Label, "Compute channel", "(all queues)"},
				" ", b.Thread.TID)
			v := want[key]
			v[1] += int64(e.Stages[0].Duration)
			if i == 0 {
				v[0]++
				v[2] += int64(e.Stages[0].Latency)
			}
			want[key] = v
		}
	}
	if len(p.Sample) != len(want) {
		t.Errorf("%d samples, want %d", len(p.Sample), len(want))
	}
	for _, s := range p.Sample {
		key := fmt.Sprint(stackOf(s), " ", s.NumLabel["tid"][0])
		if got := [3]int64(s.Value); got != want[key] {
			t.Errorf("%s: %v, want %v", key, got, want[key])
		}
		if s.Label["process"][0] != "workload" || s.NumLabel["pid"][0] != 5265 {
			t.Errorf("%s: labels %v %v", key, s.Label, s.NumLabel)
		}
	}
	if p.TimeNanos == 0 || p.DurationNanos == 0 || p.DefaultSampleType != "gpu" {
		t.Errorf("time %d, duration %d, shown %s", p.TimeNanos, p.DurationNanos, p.DefaultSampleType)
	}
}

// CPU samples keep their stacks, leaf first; if both tables are there they are counted once.
func TestCPUProfileStacks(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 2, CommandBuffers: 600, Threads: 1, Wait: true})
	r := xctracetest.Load(t, simulated, "time-profile", "time-sample")
	built, err := CPU(r, summary.Filter{})
	if err != nil || built == nil {
		t.Fatal(err)
	}
	p := again(t, built)
	samples, leaf := int64(0), map[string]int64{}
	for _, s := range p.Sample {
		samples += s.Value[0]
		leaf[stackOf(s)[0]] += s.Value[0]
		if s.Value[1] != s.Value[0]*1_000_000 {
			t.Errorf("%d samples stand for %d ns", s.Value[0], s.Value[1])
		}
		if root := s.Location[len(s.Location)-1]; root.Line[0].Function.Name != "start" || root.Mapping.File != "dyld" {
			t.Errorf("stack %v", stackOf(s))
		}
		for _, l := range s.Location[:len(s.Location)-1] {
			if l.Mapping == nil || l.Mapping.File != "workload" {
				t.Errorf("frame %s is of %v", l.Line[0].Function.Name, l.Mapping)
			}
		}
	}
	if n := int64(len(r.CPU.Samples)); samples != n/2 || leaf["encode<T>(int)"] != (2*samples+2)/3 ||
		leaf["main"] != samples/3 {
		t.Errorf("%d samples of %d rows, leaves %v", samples, n, leaf)
	}
	only, err := CPU(xctracetest.Load(t, simulated, "time-sample"), summary.Filter{})
	if err != nil || only == nil || stackOf(only.Sample[0])[0] != "0x100004000" {
		t.Errorf("addresses alone: %v, %v", only, err)
	}
	none, err := CPU(xctracetest.Load(t, simulated, "metal-gpu-intervals"), summary.Filter{})
	if none != nil || err != nil {
		t.Errorf("no samples: %v, %v", none, err)
	}
}
