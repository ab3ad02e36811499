package report

import (
	"cmp"
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
)

// GPU is what the GPUs did.
type GPU struct {
	BusyNS       int64     `json:"busy_ns"` // union of the command buffers' times
	BusyShare    float64   `json:"busy_share"`
	SumNS        int64     `json:"sum_ns"`
	Overlap      float64   `json:"overlap"` // sum / busy
	StartLatency Quantiles `json:"start_latency"`
	Encoders     Encoders  `json:"encoders"`
	IdleNS       int64     `json:"idle_ns"` // between command buffers
	IdleGaps     []IdleGap `json:"idle_gaps"`
	IdleBy       []IdleBy  `json:"idle_by"`
	Devices      []Device  `json:"devices"`
}

// InUse returns the time from the first commit to the last completion, summed over all GPUs, and the share of it in
// which the GPUs were busy. Verdicts quote this share. BusyShare refers to the whole run and is lower if the program
// begins or ends without GPU work.
func (g *GPU) InUse() (ns int64, share float64) {
	for _, d := range g.Devices {
		ns += d.ActiveNS
	}
	if ns == 0 {
		return 0, 0
	}
	return ns, float64(g.BusyNS) / float64(ns)
}

// BusyText returns the GPUs' busy time and its share: "busy 1.2 ms (71% from first commit to last completion)".
func (g *GPU) BusyText() string {
	text := "busy " + ns(g.BusyNS)
	if _, share := g.InUse(); share > 0 {
		text += fmt.Sprintf(" (%s from first commit to last completion)", analyze.FormatShare(share))
	}
	return text
}

// Encoders states how the GPU times of encoders were determined. gpu_timing of the report is "measured" only if all
// were measured.
type Encoders struct {
	Asked    bool `json:"asked"`    // --gpu-timing encoder
	Measured int  `json:"measured"` // number of encoders whose time the GPU's own clock measured
	// number of encoders whose GPU time is only estimated: a part of their command buffer's time, in proportion to
	// the threads they dispatched
	Estimated int          `json:"estimated"`
	Because   []Unmeasured `json:"because"`
}

// Unmeasured is a reason why GPU times of encoders are missing although they were requested, and the number of such
// encoders.
type Unmeasured struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// An IdleGap is a time between two command buffers in which a GPU was idle.
type IdleGap struct {
	BeginNS int64  `json:"begin_ns"` // after the window's beginning
	NS      int64  `json:"ns"`
	TID     uint64 `json:"tid"` // the thread whose commit ended the gap
	Doing   string `json:"doing"`
}

// IdleBy sums idle gaps by the thread whose commit ended the gap, and by what that thread was doing during the gap.
type IdleBy struct {
	TID   uint64 `json:"tid"`
	Doing string `json:"doing"`
	NS    int64  `json:"ns"`
	Gaps  int    `json:"gaps"`
}

// A Device has the activity of one GPU from the first commit to it until its last completion (active_ns).
type Device struct {
	Name         string  `json:"name"`
	ActiveNS     int64   `json:"active_ns"`
	BusyNS       int64   `json:"busy_ns"`
	BusyShare    float64 `json:"busy_share"` // share of active_ns in which the GPU was busy
	BacklogShare float64 `json:"backlog_share"`
	Capacity     int     `json:"concurrent_max"`
}

// Quantiles summarize a distribution of durations.
type Quantiles struct {
	Count  int64 `json:"count"`
	MeanNS int64 `json:"mean_ns"`
	MinNS  int64 `json:"min_ns"`
	P50NS  int64 `json:"p50_ns"`
	P95NS  int64 `json:"p95_ns"`
	P99NS  int64 `json:"p99_ns"`
	MaxNS  int64 `json:"max_ns"`
}

func buildGPU(r *Report, a *cause.Analysis, timing kernels.Timing) {
	g := &a.Totals.GPU
	tid := func(t *analyze.Thread) uint64 {
		if t == nil {
			return 0
		}
		return uint64(t.ID)
	}
	r.GPU = GPU{BusyNS: int64(g.Busy), BusyShare: g.BusyShare, SumNS: int64(g.Sum), Overlap: g.Overlap,
		IdleNS: int64(g.Idle)}
	if h := &g.StartLatency; h.Count() > 0 {
		r.GPU.StartLatency = Quantiles{Count: h.Count(), MeanNS: int64(h.Mean()), MinNS: int64(h.Min()),
			P50NS: int64(h.At(50)), P95NS: int64(h.At(95)), P99NS: int64(h.At(99)), MaxNS: int64(h.Max())}
	}
	r.GPUTiming = timing.Source
	r.GPU.Encoders = Encoders{Asked: a.Totals.Trace.Recording.EncoderTiming, Measured: timing.Measured,
		Estimated: timing.Estimated,
		Because:   list(timing.Because, func(why kernels.Reason) Unmeasured { return Unmeasured(why) })}
	r.GPU.IdleGaps = list(g.IdleGaps, func(i evidence.Gap) IdleGap {
		return IdleGap{BeginNS: int64(i.Begin - a.Totals.Trace.TimeRange.Begin), NS: int64(i.Length()), TID: tid(i.Thread),
			Doing: i.Doing}
	})
	r.GPU.IdleBy = list(g.IdleBy, func(i evidence.IdleCause) IdleBy {
		return IdleBy{tid(i.Thread), i.Doing, int64(i.Time),
			i.Gaps}
	})
	r.GPU.Devices = list(g.Devices, func(d evidence.DeviceUse) Device {
		out := Device{ActiveNS: int64(d.Active.Length()), BusyNS: int64(d.Busy), Capacity: d.Capacity}
		if d.Device != nil {
			out.Name = d.Device.Name
		}
		if out.ActiveNS > 0 {
			out.BusyShare = float64(d.Busy) / float64(out.ActiveNS)
			out.BacklogShare = float64(d.Backlog) / float64(out.ActiveNS)
		}
		return out
	})
}

func writeGPU(w *sheet, r *Report) {
	g := &r.GPU
	if g.BusyNS == 0 {
		writeHeading(w, "gpu", "no GPU times in this trace")
		return
	}
	writeHeading(w, "gpu", "")
	wrap(w, fmt.Sprintf("%s; command buffers' GPU times add up to %s: on average %.2f ran at once", g.BusyText(),
		ns(g.SumNS), g.Overlap), "  ", "  ")
	l := &g.StartLatency
	if l.Count > 0 {
		wrap(w, fmt.Sprintf("from commit to the GPU's start: median %s, 95%% within %s, 99%% within %s, longest %s",
			ns(l.P50NS), ns(l.P95NS), ns(l.P99NS), ns(l.MaxNS)), "  ", "  ")
	}
	if text := g.Encoders.Text(); text != "" {
		wrap(w, text, "  ", "  ")
	}
	if len(g.Devices) > 1 {
		for _, d := range g.Devices {
			wrap(w, fmt.Sprintf("%s: busy %s, %s of %s", cmp.Or(d.Name, "device not known"), ns(d.BusyNS),
				analyze.FormatShare(d.BusyShare), ns(d.ActiveNS)), "  ", "    ")
		}
	}
	if g.IdleNS > 0 && len(g.IdleBy) > 0 {
		wrap(w, fmt.Sprintf("idle for %s between command buffers, by what the thread that submitted next was doing",
			ns(g.IdleNS)), "  ", "  ")
		t := &table{heads: []string{"doing", "thread", "idle", "gaps"}, left: 2}
		for _, i := range g.IdleBy[:min(len(g.IdleBy), 8)] {
			thread := "·" // not known
			if i.TID != 0 {
				thread = r.NameOf(i.TID)
			}
			t.add(i.Doing, thread, ns(i.NS), formatCount(i.Gaps))
		}
		t.write(w)
	}
}

// IdleText is a sentence with the sum of the page's table of the GPU's idle time.
func (d pageData) IdleText() string {
	g := &d.GPU
	text := "Idle for " + ns(g.IdleNS)
	if used, _ := g.InUse(); used > 0 && len(g.Devices) == 1 {
		text += fmt.Sprintf(", %s of the %s from first commit to last completion",
			analyze.FormatShare(float64(g.IdleNS)/float64(used)), ns(used))
	}
	return text + ". Each gap is attributed to what the thread that submitted next did for most of the gap."
}

// IdleGapCount is the number of idle gaps that the table of idle time counts in all its rows.
func (d pageData) IdleGapCount() (n int) {
	for _, i := range d.GPU.IdleBy {
		n += i.Gaps
	}
	return n
}

// Text describes how the encoders' GPU times were determined; "" if encoder times were not requested.
func (e Encoders) Text() string {
	if !e.Asked {
		return ""
	}
	text := fmt.Sprintf("times of encoders: %s measured by the GPU's own clock, %s estimated", formatCount(e.Measured),
		formatCount(e.Estimated))
	separator := ";"
	for _, why := range e.Because {
		text += fmt.Sprintf("%s %s: %s", separator, formatCount(why.Count), why.Why)
		separator = ","
	}
	return text + ". To measure them, mtrace added counter samples to encoders that the program created without any"
}
