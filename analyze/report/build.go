package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/insight"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/serial"
)

// Options steer what a report holds and how it is written.
type Options struct {
	Seed uint64 // of what is random in the analysis

	// Part reads the trace again, from one time after its Origin to another, to judge parts of the run. Nil: that is not done.
	Part func(from, to analyze.Nanos) (*analyze.Trace, error)

	Threads  []analyze.ThreadID // threads to list; empty is all
	Queues   []uint32           // queues to list; empty is all
	Sections []string           // of WriteText and WriteHTML; empty is all
	Color    bool               // of WriteText
}

// Build asks all analyses and fills the document.
func Build(t *analyze.Trace, opts Options) *Report {
	a := serial.Analyze(t, serial.Options{Seed: opts.Seed})
	ks := kernels.Summarize(t)
	fusions := kernels.Fusions(t, ks, kernels.Costs{Launch: a.LaunchTime(), Dispatch: a.DispatchTime()})
	compiled, allocated := compile.Summarize(t), memory.Summarize(t)
	r := &Report{Schema: Schema, Events: t.Events}
	r.source(t)
	r.losses(t)
	r.overhead(t)
	r.coverage(t)
	r.Warnings = append(append([]string{}, t.Warnings...), a.Warnings...)
	r.Missing = list(t.Missing, func(m analyze.Missing) Missing { return Missing(m) })
	r.calls(t)
	r.callSites(t)
	r.threads(a, opts)
	r.queues(a, opts)
	r.gpu(a)
	r.kernels(ks, fusions)
	r.memory(allocated)
	r.compile(compiled)
	r.scopes(t)
	r.serialization(a)
	r.phases(a, opts)
	found := insight.Find(&insight.Input{Trace: t, Serial: a, Kernels: ks, Fusions: fusions, Compile: compiled, Memory: allocated})
	r.Insights = list(found, func(i insight.Insight) Insight {
		return Insight{i.ID, i.Severity, i.Title, i.Evidence, i.Advice, int64(i.Cost), list(i.Where, site)}
	})
	return r
}

func site(s insight.Site) Site {
	out := Site{Call: s.Call, Of: s.Of, TIDs: list(s.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) }), Count: s.Count, NS: int64(s.Time), Bytes: s.Bytes,
		Share: s.Share, Text: s.String()}
	if s.At != nil {
		out.At, out.Function, out.File, out.Line = s.At.String(), s.At.Name, s.At.File, s.At.Line
	}
	if s.From != nil {
		out.From = s.From.String()
	}
	return out
}

// list maps a slice; the result is never nil, so that JSON has an empty list.
func list[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

func (r *Report) source(t *analyze.Trace) {
	s := t.Source
	r.Source = Source{Kind: s.Kind, Path: s.Path, Program: s.Program, Args: append([]string{}, s.Args...), Host: s.Host, OS: s.OS, Device: s.Device,
		SoftwareMetal: s.SoftwareMetal, Started: s.Started, WallNS: int64(s.Wall), WindowNS: int64(t.Window.Length()), Truncated: s.Truncated}
	r.Source.PIDs = []int{}
	for _, p := range t.Processes { // those that used Metal
		if slices.ContainsFunc(t.Threads, func(th *analyze.Thread) bool { return th.Process == p }) {
			r.Source.PIDs = append(r.Source.PIDs, p.ID)
		}
	}
}

func (r *Report) losses(t *analyze.Trace) {
	l := t.Lost
	r.Lost = Lost{Total: l.Records, PerThread: map[string]int64{}, Facts: l.Facts, Unnamed: l.Unnamed, Rejected: l.Rejected, Nested: l.Nested, Children: l.Children}
	for _, th := range t.Threads {
		if th.Lost > 0 {
			r.Lost.PerThread[fmt.Sprint(th.ID)] += th.Lost
		}
	}
}

func (r *Report) overhead(t *analyze.Trace) {
	o := &r.Overhead
	o.Source = "unknown"
	if t.Source.Kind != "mtrace" {
		return
	}
	o.Source = "estimated"
	if t.Recording.Measured {
		o.Source = "measured"
	}
	o.RecordingNS, o.Stacks, o.StacksNS = int64(t.Recording.Took), t.Capture.Stacks, int64(t.Capture.Took)
	o.NSPerEvent = float64(o.RecordingNS) / float64(max(1, t.Events))
	o.NSPerStack = float64(o.StacksNS) / float64(max(1, o.Stacks))
	var time analyze.Nanos
	for _, th := range t.Threads {
		time += th.Active.Length()
	}
	if time > 0 {
		o.Share = min(1, float64(o.RecordingNS+o.StacksNS)/float64(time))
	}
}

func (r *Report) calls(t *analyze.Trace) {
	r.Calls = []Call{}
	for _, s := range t.Calls {
		if s.Count == 0 {
			continue
		}
		c := Call{Selector: s.Selector, Class: s.Class, Count: s.Count, TotalNS: int64(s.Total), MeanNS: int64(s.Total) / s.Count,
			MinNS: int64(s.Min), MaxNS: int64(s.Max)}
		for _, n := range s.Exclusive {
			c.ExclusiveNS += int64(n)
		}
		for _, n := range s.Counts {
			if n > 0 {
				c.Threads++
			}
		}
		if s.Durations != nil {
			at := func(q float64) int64 { return min(max(s.Durations.ValueAtQuantile(q), c.MinNS), c.MaxNS) }
			c.P50NS, c.P95NS, c.P99NS = at(50), at(95), at(99)
		}
		r.Calls = append(r.Calls, c)
	}
	slices.SortStableFunc(r.Calls, func(a, b Call) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
}

// mostSites bounds the call sites that are listed.
const mostSites = 50

func (r *Report) callSites(t *analyze.Trace) {
	sites := t.CallSites(func(*analyze.CallStat) bool { return true })
	r.CallSites = list(sites[:min(len(sites), mostSites)], func(s analyze.CallSite) CallSite {
		out := CallSite{At: s.Frame.String(), Function: s.Frame.Name, File: s.Frame.File, Line: s.Frame.Line, Selector: s.Selector, Count: s.Count,
			ExclusiveNS: int64(s.Time), Threads: len(s.Threads), ThreadIDs: list(s.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) })}
		if s.Frame.Image != nil {
			out.Image = s.Frame.Image.Path
		}
		return out
	})
}

func (r *Report) threads(a *serial.Analysis, opts Options) {
	r.Threads = []Thread{}
	for _, t := range a.Threads {
		if len(opts.Threads) > 0 && !slices.Contains(opts.Threads, t.Thread.ID) {
			continue
		}
		th := Thread{TID: uint64(t.Thread.ID), Name: t.Thread.Name, WindowNS: int64(t.Window), CommandBuffers: t.CommandBuffers, Encoders: t.Encoders,
			Dispatches: t.Dispatches, Waits: t.Waits, Events: t.Thread.Events, GPUNS: int64(t.GPU), LostToOthers: t.LostToOthers(),
			SignalWaitNS: int64(t.SignalWaits), HandsOver: t.HandsOver, Time: map[string]int64{}}
		if t.Thread.Process != nil {
			th.PID = t.Thread.Process.ID
		}
		for p, n := range t.Time {
			th.Time[analyze.Part(p).Key()] = int64(n)
		}
		th.processorTimes(t)
		r.Threads = append(r.Threads, th)
	}
}

// processorTimes says how long the thread ran and waited for a processor, as far as that is known.
func (th *Thread) processorTimes(t *serial.ThreadTime) {
	cpu := t.Thread.CPUIn(t.Thread.Active)
	if cpu.Covered == 0 {
		return
	}
	th.CPUCovered = float64(cpu.Covered) / float64(t.Window)
	ran, waited := int64(cpu.Ran), int64(cpu.Waited)
	if th.CPUNS = &ran; cpu.Waited != analyze.NotKnown {
		th.RunnableNS = &waited
	}
}

func (r *Report) queues(a *serial.Analysis, opts Options) {
	r.Queues = []Queue{}
	for _, u := range a.Queues {
		if len(opts.Queues) > 0 && !slices.Contains(opts.Queues, u.Queue.ID) {
			continue
		}
		q := Queue{ID: u.Queue.ID, Label: u.Queue.Label, Threads: len(u.Threads), CommandBuffers: u.CommandBuffers, InFlightMean: u.InFlightMean,
			InFlightMax: u.InFlightMax, Capacity: u.Queue.Capacity, AtCapacityNS: int64(u.AtCapacity),
			ThreadIDs: list(u.Threads, func(t analyze.ThreadID) uint64 { return uint64(t) })}
		if u.Queue.Process != nil {
			q.PID = u.Queue.Process.ID
		}
		r.Queues = append(r.Queues, q)
	}
}

func (r *Report) gpu(a *serial.Analysis) {
	g := &a.GPU
	tid := func(t *analyze.Thread) uint64 {
		if t == nil {
			return 0
		}
		return uint64(t.ID)
	}
	r.GPU = GPU{BusyNS: int64(g.Busy), BusyShare: g.BusyShare, SumNS: int64(g.Sum), Overlap: g.Overlap, IdleNS: int64(g.Idle)}
	if h := g.StartLatency; h.TotalCount() > 0 {
		r.GPU.StartLatency = Quantiles{Count: h.TotalCount(), MeanNS: int64(h.Mean()), MinNS: h.Min(), P50NS: h.ValueAtQuantile(50),
			P95NS: h.ValueAtQuantile(95), P99NS: h.ValueAtQuantile(99), MaxNS: h.Max()}
	}
	timing := kernels.TimingOf(a.Trace)
	r.GPUTiming = timing.Source
	r.GPU.Encoders = Encoders{Asked: a.Trace.EncoderTiming, Measured: timing.Measured, Estimated: timing.Estimated,
		Because: list(timing.Because, func(why kernels.Reason) Unmeasured { return Unmeasured(why) })}
	r.GPU.IdleGaps = list(g.IdleGaps, func(i serial.Gap) IdleGap {
		return IdleGap{BeginNS: int64(i.Begin - a.Trace.Window.Begin), NS: int64(i.Length()), TID: tid(i.Thread), Doing: i.Doing}
	})
	r.GPU.IdleBy = list(g.IdleBy, func(i serial.IdleCause) IdleBy { return IdleBy{tid(i.Thread), i.Doing, int64(i.Time), i.Gaps} })
	r.GPU.Devices = list(g.Devices, func(d serial.DeviceUse) Device {
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

func (r *Report) kernels(ks []*kernels.Kernel, fusions []kernels.Fusion) {
	r.Kernels = list(ks, func(k *kernels.Kernel) Kernel {
		out := Kernel{Name: k.Name, Layer: strings.Join(k.Layers, ", "), Dispatches: k.Dispatches, GPUNS: int64(k.GPU), Share: k.Share, Source: kernels.Estimated, MeanThreads: k.MeanThreads,
			CommandBuffers: k.Buffers, MeanNS: int64(k.GPU) / int64(max(1, k.Dispatches))}
		if k.Measured {
			out.Source = kernels.Measured
		}
		return out
	})
	r.FusionCandidates = list(fusions, func(f kernels.Fusion) FusionCandidate {
		return FusionCandidate{Kernels: f.Kernels, Count: f.Count, Share: f.Share, Across: f.Across, GPUNS: int64(f.GPU), SavedNS: int64(f.Saved)}
	})
}

func (r *Report) memory(m *memory.Use) {
	r.Memory = Memory{Allocations: m.Allocations, Bytes: m.Bytes, PeakBytes: m.Peak, PeakSource: "upper bound", ByStorageMode: map[string]Storage{}}
	if m.PeakExact {
		r.Memory.PeakSource = "measured"
	}
	r.Memory.Releases, r.Memory.DeviceSamples = m.Releases, m.Samples
	if m.Samples > 0 {
		r.Memory.DeviceBytes = &m.Device
	}
	if s, known := m.ReuseShare(); known {
		r.Memory.ReuseShare = &s
	}
	for mode, t := range m.ByStorage {
		r.Memory.ByStorageMode[mode] = Storage(t)
	}
}

// scopes sums the scopes by name, and the GPU time of what was committed in each. A mark is a scope without a length.
func (r *Report) scopes(t *analyze.Trace) {
	by := map[string]*Scope{}
	var order []string
	for i := range t.Scopes {
		s := &t.Scopes[i]
		sum := by[s.Name]
		if sum == nil {
			sum = &Scope{Name: s.Name, MinNS: int64(s.Length())}
			by[s.Name] = sum
			order = append(order, s.Name)
		}
		sum.Count++
		sum.TotalNS += int64(s.Length())
		sum.MinNS, sum.MaxNS = min(sum.MinNS, int64(s.Length())), max(sum.MaxNS, int64(s.Length()))
	}
	if len(order) > 0 {
		scopes := analyze.NewScopesAt(t)
		for _, b := range t.CommandBuffers {
			if b.Committed.Thread == nil || !b.GPU.Known() {
				continue
			}
			seen := map[string]bool{}
			for _, name := range scopes.Names(b.Committed.Thread, b.Committed.Begin) {
				if !seen[name] {
					by[name].GPUNS += int64(b.GPU.Length())
					seen[name] = true
				}
			}
		}
	}
	r.Scopes = list(order, func(name string) Scope {
		s := by[name]
		s.MeanNS = s.TotalNS / int64(s.Count)
		return *s
	})
	slices.SortStableFunc(r.Scopes, func(a, b Scope) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
}

// mostItems bounds the compilations that are listed one by one.
const mostItems = 50

func (r *Report) compile(c *compile.Use) {
	r.Compile = Compile{Libraries: c.Libraries, Functions: c.Functions, Pipelines: c.Pipelines, Archives: c.Archives, Unique: c.Unique, Repeated: c.Repeated, Late: c.Late,
		Failed: c.Failed, TotalNS: int64(c.Total), LostNS: int64(c.Lost)}
	if s, known := c.HitShare(); known {
		r.Compile.HitShare = &s
	}
	r.Compile.Items = list(c.Items[:min(len(c.Items), mostItems)], func(i *compile.Item) CompileItem {
		return CompileItem{i.Kind, i.Name, i.Count, int64(i.Total), int64(i.First), i.SourceSize}
	})
}

func (r *Report) serialization(a *serial.Analysis) {
	v := &a.Verdict
	total := a.ThreadTimeTotal()
	r.Serialization = Serialization{Verdict: v.Cause, Share: v.Share, Confidence: v.Confidence, Summary: v.Summary,
		WaitMatrix: matrix(a.WaitMatrix), QueuedMatrix: matrix(a.QueuedMatrix), LockMatrix: matrix(a.LockMatrix)}
	r.Serialization.Causes = list(v.Causes, func(f serial.Finding) Cause {
		c := Cause{Cause: f.Cause, LostNS: int64(f.Lost), Confidence: f.Confidence, Evidence: append([]string{}, f.Evidence...), Advice: f.Advice, NotPredicted: f.Unpredicted}
		if total > 0 {
			c.Share = min(1, float64(f.Lost)/float64(total))
		}
		if f.Speedup != nil {
			c.SpeedupIfRemoved, c.SpeedupInterval = &f.Speedup.Estimate, &Speedup{f.Speedup.Low, f.Speedup.High}
		}
		return c
	})
	r.Serialization.RuledOut = list(v.RuledOut, func(f serial.Finding) RuledOut { return RuledOut{f.Cause, f.Why} })
	r.Serialization.MutualExclusion = list(a.Exclusion, func(e serial.Exclusion) Exclusion {
		return Exclusion{e.What, e.Index, e.PValue, e.QValue, e.Low, e.High, e.Threads, e.Intervals}
	})
	r.Serialization.ReplayError = a.ReplayError
	if t := v.Together; t != nil {
		r.Serialization.Together = &Together{t.Causes, t.Estimate, [2]float64{t.Low, t.High}}
	}
	r.Serialization.CriticalPath = CriticalPath{LengthNS: int64(a.Path.Length), Parts: list(a.Path.Parts, func(p serial.PathPart) PathPart {
		out := PathPart{What: p.What, NS: int64(p.Time), Share: float64(p.Time) / float64(max(1, a.Path.Length))}
		if p.Thread != nil {
			out.TID = uint64(p.Thread.ID)
		}
		return out
	})}
	r.Serialization.Chains = list(a.Chains, func(c serial.Chain) Chain {
		return Chain{list(c.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) }), c.Root, int64(c.Time), c.Waits}
	})
	r.Serialization.Interference = list(a.Interference, func(i serial.Interference) Interference {
		out := Interference{What: i.What, Calls: i.Calls, Rho: i.Rho, RhoLow: i.RhoLow, RhoHigh: i.RhoHigh, PValue: i.PValue, QValue: i.QValue,
			OneServer: i.OneServer, HandOff: i.HandOff, Kind: "none"}
		switch {
		case i.OneAtATime():
			out.Kind = "one at a time"
		case i.Interferes():
			out.Kind = "unknown"
		}
		if out.Kind != "none" {
			out.SoloNS, out.LostNS = int64(i.Solo), int64(i.Lost)
		}
		return out
	})
}

func matrix(m *serial.Matrix) Matrix {
	return Matrix{
		TIDs: list(m.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) }),
		NS:   list(m.NS, func(row []analyze.Nanos) []int64 { return list(row, func(n analyze.Nanos) int64 { return int64(n) }) }),
	}
}
