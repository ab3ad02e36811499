package summary

import "fmt"

// Verdict is what an export can tell of serialization. It records no waits and
// no locks, so most causes can be neither shown nor ruled out; those are in
// CannotTell, and the verdict is "unknown" rather than a guess.
type Verdict struct {
	Verdict    string   `json:"verdict"` // one of the report's verdicts, or "unknown"
	Summary    string   `json:"summary"`
	Evidence   []string `json:"evidence"`
	RuledOut   []string `json:"ruled_out"`
	CannotTell string   `json:"cannot_tell"`
}

const (
	// saturated is the share of the window from which on the GPU is the limit.
	saturated = 0.90
	// enough command buffers for a verdict.
	enough = 50
)

func verdictOf(s *Summary) Verdict {
	v := Verdict{
		Verdict: "unknown", Evidence: []string{}, RuledOut: []string{},
		CannotTell: "locks, waits and the interpreter: Instruments records neither waitUntilCompleted nor locks; mtrace run does",
	}
	switch {
	case s.GPU == nil || s.GPU.All.Intervals == 0:
		v.Summary = "Cannot tell: there are no GPU intervals."
		return v
	case s.GPU.Own.Intervals < enough:
		v.Summary = fmt.Sprintf("Cannot tell: %d GPU intervals of the subject are too few.", s.GPU.Own.Intervals)
		return v
	}
	g := s.GPU
	busy := g.All.BusyShare
	say := func(format string, args ...any) { v.Evidence = append(v.Evidence, fmt.Sprintf(format, args...)) }
	say("the GPU was busy for %s of the window, with the subject's work for %s", percent(busy), percent(g.Own.BusyShare))
	if f := s.InFlight; f != nil {
		say("command buffers in flight: mean %.2f, most %d, from %d thread(s)", f.Mean, f.Max, len(s.Threads))
	}
	if l := s.Latency.CommitToGPU; l != nil {
		say("from commit to GPU start: median %s", l.P50NS)
	}
	if busy >= saturated {
		v.Verdict = "gpu-saturated"
		v.Summary = fmt.Sprintf("The GPU is the limit: it was busy for %s of the window.", percent(busy))
		if g.ForeignShare > 0.1 {
			v.Summary += fmt.Sprintf(" %s of its time was other processes'.", percent(g.ForeignShare))
		}
		v.RuledOut = append(v.RuledOut, fmt.Sprintf("launch-bound, cpu-bound: the GPU was idle for only %s", percent(g.Idle.Share)))
		return v
	}
	v.RuledOut = append(v.RuledOut, fmt.Sprintf("gpu-saturated: the GPU was idle for %s", percent(g.Idle.Share)))
	one := s.InFlight != nil && s.InFlight.Max == 1
	switch {
	case one && len(s.Threads) > 1:
		v.Summary = fmt.Sprintf("%d threads commit, but never is more than one command buffer in flight: something lets one at a time through (a lock, a device-wide synchronisation or a single worker), the GPU is not it.", len(s.Threads))
		v.RuledOut = append(v.RuledOut, "single-submitter: more than one thread commits")
	case one && launchBound(s):
		v.Verdict = "launch-bound"
		v.Summary = fmt.Sprintf("One command buffer at a time, and each keeps the GPU busy for %s while handing it over and hearing back takes %s.", perBuffer(s), handover(s))
	case one:
		v.Summary = "One thread commits one command buffer at a time and the GPU is idle in between: whether the thread waits or works there is not recorded."
	case len(s.Threads) == 1:
		v.Summary = fmt.Sprintf("One thread commits all command buffers and the GPU is idle for %s of the time: whether others wait for that thread is not recorded.", percent(g.Idle.Share))
	default:
		v.Summary = fmt.Sprintf("The GPU is idle for %s of the time although %d threads commit: why is not recorded.", percent(g.Idle.Share), len(s.Threads))
	}
	return v
}

// launchBound: the way to the GPU and back takes longer than the work there.
func launchBound(s *Summary) bool {
	return s.Latency.CommitToGPU != nil && s.Latency.GPUToCompletion != nil && handover(s) > 2*perBuffer(s)
}

func handover(s *Summary) Nanos { return s.Latency.CommitToGPU.P50NS + s.Latency.GPUToCompletion.P50NS }

func perBuffer(s *Summary) Nanos { return s.GPU.Own.SumNS / Nanos(max(1, s.GPU.CommandBuffers)) }
