package cause

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/fixtures/handmade"
)

// compilesFirst is a thread that compiles pipeline states for most of its time, each function named step of another
// source, and then makes so many command buffers of 100 µs, one after the other.
func compilesFirst(pipelines, buffers int) *analyze.Trace {
	const took, work = 10_000 * microsecond, 100 * microsecond
	w := handmade.New(analyze.Nanos(pipelines)*took + analyze.Nanos(buffers+2)*2*work)
	at := analyze.Nanos(microsecond)
	for i := range pipelines {
		library, function := uint32(100+2*i), uint32(101+2*i)
		add := func(kind, name string, made, from uint32, length analyze.Nanos) {
			w.Trace.Compilations = append(w.Trace.Compilations, analyze.Compilation{
				Call: analyze.Call{Interval: handmade.At(at, at+length), Thread: w.A}, Kind: kind, Name: name, CreatedObject: made,
				From: from})
			w.A.Exclusive[analyze.PartCompile] += length
			at += length
		}
		add("library", "source "+string(rune('a'+i%26))+string(rune('a'+i/26)), library, 0, 10*microsecond)
		add("function", "step", function, library, 10*microsecond)
		add("pipeline", "step", 0, function, took-20*microsecond)
	}
	working := at
	for range buffers {
		b := w.Buffer(w.A, at+10*microsecond, handmade.At(at+20*microsecond, at+20*microsecond+work))
		w.Wait(w.A, handmade.At(at+12*microsecond, b.GPU.End+5*microsecond), b)
		at = b.GPU.End + 10*microsecond
	}
	w.A.Active, w.B.Active, w.C.Active = handmade.At(0, at), analyze.Interval{}, analyze.Interval{}
	w.Trace.TimeRange, w.A.Working = w.A.Active, handmade.At(working, at)
	w.Trace.Finish()
	return w.Trace
}

// A run that compiles for 98% of its time was predicted to be as fast without compilation (1.00). A run that makes many
// command buffers after compiling was reported to compile everything before them. Functions that differ only in their
// source were reported as compiled repeatedly.
func TestCompileBoundAgreesWithItself(t *testing.T) {
	for name, c := range map[string]struct {
		pipelines, buffers int
		gain               float64
	}{
		"few command buffers":     {60, 40, 600.0 / 5.2},
		"many command buffers":    {60, 3000, 1},
		"hardly any working time": {60, 12, 600.0 / 2.6},
	} {
		trace := compilesFirst(c.pipelines, c.buffers)
		a := Analyze(trace, Options{})
		compiling := 0.0
		for i := range trace.Compilations {
			compiling += float64(trace.Compilations[i].Length())
		}
		window := float64(trace.TimeRange.Length())
		f := a.Verdict.finding(CompileBound)
		if a.Verdict.Cause != CompileBound || f == nil {
			t.Errorf("%s: %s: %s", name, a.Verdict.Cause, a.Verdict.Summary)
			continue
		}
		// The headline's share was a share of the working time (100%); the evidence below it used a share of all time.
		if said := percent(a.Verdict.Share) + " of all their time"; !strings.Contains(strings.Join(f.Evidence, "\n"), said) ||
			a.Verdict.Share > 1.01*compiling/window {
			t.Errorf("%s: the verdict's share is %s, the evidence: %q", name, percent(a.Verdict.Share), f.Evidence)
		}
		gain := window / (window - compiling)
		if s := f.Speedup; s == nil || s.Low > gain || s.High < gain || s.Estimate < 0.8*gain || s.Estimate > 1.2*gain {
			t.Errorf("%s: %.2f of the time is compilation, and without it the run is %+v times as fast (%s), want %.2f", name,
				compiling/window, s, f.Unpredicted, gain)
		}
		if said := strings.Join(f.Evidence, "\n"); strings.Contains(said, "again") || compile.Summarize(trace).Repeated != 0 {
			t.Errorf("%s: all sources differ, and the evidence is: %s", name, said)
		}
	}
}
