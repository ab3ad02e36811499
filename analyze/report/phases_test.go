package report

import (
	"bytes"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

const (
	us = 1_000
	ms = 1_000_000
)

// phased runs four threads that compile for so many of 400 rounds, and then wait for all threads' work.
func phased(t *testing.T, compiling int) *Report {
	t.Helper()
	s := tracesim.NewSim(8, 1)
	last := make([]*tracesim.Buffer, 4)
	for i := range 4 {
		q := s.NewQueue("work", 0)
		s.Thread(func(th *tracesim.Thread) {
			for n := range 400 {
				if n < compiling {
					th.Compile(strings.Repeat("k", n%50+1), 1500*us)
				}
				b := th.CommandBuffer(q)
				th.Encode(b, "step", 300*us+int64(th.Random()*300*us))
				th.Commit(b)
				last[i] = b
				if n < compiling {
					th.Wait(b)
					continue
				}
				for _, other := range last {
					if other != nil {
						th.Wait(other)
					}
				}
			}
		})
	}
	path := s.Run(t)
	load := func(from, to analyze.Nanos) (*analyze.Trace, error) {
		return analyze.Load(path, analyze.Options{From: from, To: to})
	}
	trace, err := load(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return Build(trace, Options{Range: load})
}

// The verdict on the whole run names one of two causes that slowed it down one after the other, and not when.
func TestPhases(t *testing.T) {
	r := phased(t, 120)
	p := r.Serialization.Phases
	if len(p) != 2 || p[0].Verdict != "compile-bound" || p[1].Verdict != "device-wide-sync" ||
		p[0].EndNS != p[1].BeginNS || p[0].BeginNS != 0 || p[1].EndNS != r.Source.WindowNS {
		t.Fatalf("%+v", p)
	}
	truth := 120 * int64(2*ms+100*us) // compiling, and the work on the GPU
	if d := p[0].EndNS - truth; d < -truth/5 || d > truth/5 {
		t.Errorf("the change is at %d, and was at about %d", p[0].EndNS, truth)
	}
	var text, page bytes.Buffer
	if err := r.WriteText(&text, Options{Sections: []string{"verdict"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(&page, Pictures{}); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{strings.Join(strings.Fields(text.String()), " "), page.String()} {
		if !strings.Contains(got, "It changes over time: compile-bound (") ||
			!strings.Contains(got, ", then device-wide-sync (") {
			t.Error(got)
		}
	}
	for _, all := range []int{0, 400} {
		if r := phased(t, all); len(r.Serialization.Phases) != 0 || r.Serialization.Verdict == "none" {
			t.Errorf("%d of 400 rounds compile: %s, %+v", all, r.Serialization.Verdict, r.Serialization.Phases)
		}
	}
}
