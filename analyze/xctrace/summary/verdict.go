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
		from := ""
		if len(s.Threads) > 0 {
			from = fmt.Sprintf(", from %d thread(s)", len(s.Threads))
		}
		say("command buffers in flight: mean %.2f, most %d%s", f.Mean, f.Max, from)
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
	if c := s.Cycle; c != nil && c.Synchronous == c.Threads {
		v.synchronous(s, c)
		return v
	}
	switch {
	case s.InFlight != nil && s.InFlight.Max == 1 && len(s.Threads) > 1:
		v.Summary = fmt.Sprintf("%d threads commit, but never is more than one command buffer in flight: something lets one at a time through (a lock, a device-wide "+
			"synchronisation or a single worker), the GPU is not it.", len(s.Threads))
		v.RuledOut = append(v.RuledOut, "single-submitter: more than one thread commits")
	case len(s.Threads) == 0:
		v.Summary = fmt.Sprintf("The GPU is idle for %s of the time: why is not recorded, and who committed is not in the export.", percent(g.Idle.Share))
	case len(s.Threads) == 1:
		v.Summary = fmt.Sprintf("One thread commits all command buffers and the GPU is idle for %s of the time: whether others wait for that thread is not recorded.",
			percent(g.Idle.Share))
	default:
		v.Summary = fmt.Sprintf("The GPU is idle for %s of the time although %d threads commit: why is not recorded.", percent(g.Idle.Share), len(s.Threads))
	}
	return v
}

// synchronous judges a program whose threads all have one command buffer at a
// time. Their time is then known in parts.
func (v *Verdict) synchronous(s *Summary, c *Cycle) {
	total := c.total()
	handover := c.StartNS + c.NotifyNS
	of := func(n Nanos) string { return percent(share(n, total)) }
	v.Evidence = append(v.Evidence, fmt.Sprintf("each of %d thread(s) makes a command buffer only after its last one completed; of their time, %s is encoding, %s "+
		"from commit to GPU start, %s GPU, %s from GPU end to completion, %s between completion and the next",
		c.Threads, of(c.EncodeNS), of(c.StartNS), of(c.GPUNS), of(c.NotifyNS), of(c.BetweenNS)))
	switch {
	case s.InFlight != nil && s.InFlight.Max == 1 && c.Threads > 1:
		v.Summary = fmt.Sprintf("%d threads commit, each one command buffer at a time, and never is more than one of all in flight: something lets one thread through "+
			"at a time (a lock, a device-wide synchronisation), the GPU is not it.", c.Threads)
		v.RuledOut = append(v.RuledOut, "single-submitter: more than one thread commits")
	case handover > 2*c.GPUNS && 2*handover > total:
		v.Verdict = "launch-bound"
		v.Summary = fmt.Sprintf("Each thread has one command buffer at a time; handing it over and hearing back takes %s of the threads' time, the GPU's work %s.",
			of(handover), of(c.GPUNS))
	case 2*c.BetweenNS > total:
		v.Summary = fmt.Sprintf("For %s of the threads' time nothing of theirs is on its way to the GPU: they work, or wait for something else, which is not recorded.", of(c.BetweenNS))
	default:
		v.Summary = fmt.Sprintf("Each thread has one command buffer at a time and makes no new work while it runs: the GPU is idle for %s of the time.", percent(s.GPU.Idle.Share))
	}
}
