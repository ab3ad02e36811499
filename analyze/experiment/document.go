package experiment

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
	"mtrace/collector/wire"
)

// Schema names the document.
const Schema = "mtrace.experiment/1"

// A Measurement has the results of an experiment, in which mtrace delayed calls or locks of the running program. It is
// written as JSON and as text. Times are in nanoseconds, shares are 0 to 1.
type Measurement struct {
	Schema   string  `json:"schema"`
	Path     string  `json:"path"`
	Program  string  `json:"program"`
	PID      int     `json:"pid"`
	Device   string  `json:"device"`
	Software bool    `json:"software_metal"`
	Seed     uint64  `json:"seed"` // seed for the random order of treatments
	Budget   float64 `json:"budget_share"`
	Slowed   float64 `json:"slowed_share"` // how much the delays slowed the program, over the whole experiment
	Progress string  `json:"progress"`     // what counts as a unit of progress: "commands" or "mark:NAME"
	Threads  int     `json:"threads"`      // number of threads that make progress
	WallNS   int64   `json:"wall_ns"`      // time from the begin of the first block to the end of the last
	Blocks   int     `json:"blocks"`       // time ranges with one treatment each
	// number of blocks without delays
	Baselines int `json:"baseline_blocks"`
	// The median time that a thread takes for a unit of progress (such as a command buffer) in blocks (time ranges)
	// without delays.
	UnitNS    int64          `json:"unit_ns"`
	Rate      float64        `json:"false_discovery_rate"`
	LongerNS  int64          `json:"longer_ns"` // how much longer the experiment must run to decide about all targets
	Targets   []TargetResult `json:"targets"`
	Disagrees bool           `json:"replay_disagrees"` // true if replay and measurement disagree about a target
	Warnings  []string       `json:"warnings"`
}

// A TargetResult is the experiment's result for one target: a set of calls, or a lock, that it delayed.
type TargetResult struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // call, lock, wait, own (code between calls) or handler
	Mode    string   `json:"mode"` // delay, or speedup: all other threads are delayed while the target runs
	Calls   []string `json:"calls"`
	Threads []uint64 `json:"tids"` // ids of the threads that are delayed; empty means all threads
	Status  Status   `json:"status"`
	Blocks  int      `json:"blocks"`
	Delays  int64    `json:"occurrences"` // number of calls of the target that were delayed
	DelayNS int64    `json:"delay_ns"`    // mean delay of an occurrence
	UnitNS  int64    `json:"unit_delay_ns"`
	Sleeps  bool     `json:"delays_sleep"` // true if delayed threads sleep; false if they spin and use processor time
	// How many ns longer a thread takes for a unit of progress, for each ns of delay that the experiment adds to the
	// unit. It is null if the experiment has too few blocks (time ranges with delays), or if the mode is speedup.
	Sensitivity *Estimated       `json:"sensitivity"`
	PValue      float64          `json:"p_value"` // p-value of the hypothesis that the delays have no effect
	QValue      float64          `json:"q_value"` // p_value, adjusted for the number of targets
	Curve       []VirtualSpeedup `json:"speedup"` // the gains for several assumed speed-ups; empty unless mode is speedup
	LongerNS    int64            `json:"longer_ns"`
	Replay      *Replayed        `json:"replay"` // null if nothing was measured, or no prediction was requested
}

// An Estimated is an estimate with its 95% interval. An end is null if the interval is unbounded there.
type Estimated struct {
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

// A VirtualSpeedup is the measured gain for an assumed speed-up of the target: the target's calls become shorter by a
// share of their time.
type VirtualSpeedup struct {
	Removed float64 `json:"removed_share"` // assumed speed-up: the share of the target's duration that is removed
	Blocks  int     `json:"blocks"`
	// The gain: by which share of its time a unit of progress gets faster. It is null if there are too few blocks.
	Saved  *Estimated `json:"saved_share"`
	PValue float64    `json:"p_value"`
}

// Replayed is what the replay of the trace predicts for the same delay.
type Replayed struct {
	Sensitivity *Estimated `json:"sensitivity"`   // null if nothing is predicted
	Why         string     `json:"not_predicted"` // the reason if nothing is predicted; otherwise empty
	Disagrees   bool       `json:"disagrees"`     // the measured and the predicted interval do not overlap
	Lacks       string     `json:"may_lack"`      // a possible reason if it disagrees, such as a wait that the trace lacks
}

// Build analyzes the experiment with process p of a trace and returns the results. The results have predictions only
// if the replay `of` is not nil.
func Build(t *analyze.Trace, p *analyze.Process, of *replay.Replay) *Measurement {
	r := Analyze(p.Experiment)
	r.Compare(t, p, of)
	d := r.Document()
	d.Path, d.Program, d.PID = t.Source.Path, p.Program, p.ID
	d.Device, d.Software = t.Source.Device, t.Source.SoftwareMetal
	return d
}

// Of returns the process of the trace with which an experiment was made, or nil.
func Of(t *analyze.Trace) *analyze.Process {
	if i := slices.IndexFunc(t.Processes, func(p *analyze.Process) bool { return p.Experiment != nil }); i >= 0 {
		return t.Processes[i]
	}
	return nil
}

// Document converts the result to the form in which it is written.
func (r *Result) Document() *Measurement {
	e := r.Experiment
	d := &Measurement{Schema: Schema, Seed: e.Seed, Budget: e.Budget, Slowed: r.Slowed, Progress: e.Progress,
		Threads: e.Threads, WallNS: int64((&estimator{Experiment: e}).ran()), Blocks: len(e.Blocks),
		UnitNS: int64(r.Baseline), Rate: policy.FalseDiscovery.Value, Targets: []TargetResult{},
		Disagrees: r.Disagrees(),
		Warnings:  append([]string{}, r.Warnings...)}
	for i := range e.Blocks {
		if e.Blocks[i].Target == 0 {
			d.Baselines++
		}
	}
	for i := range r.Estimates {
		row := r.Estimates[i].row()
		d.LongerNS = max(d.LongerNS, row.LongerNS)
		d.Targets = append(d.Targets, row)
	}
	return d
}

func (x *Estimate) row() TargetResult {
	t := &x.Target
	row := TargetResult{ID: t.ID, Name: targetName(t), Kind: string(t.Kind), Mode: string(t.Mode),
		Calls: append([]string{}, t.Calls...), Threads: []uint64{}, Status: x.Status, Blocks: x.Blocks,
		Delays: x.Occurrences, DelayNS: int64(x.each()), UnitNS: int64(x.Injected), Sleeps: x.sleeps(),
		Sensitivity: x.Sensitivity.interval(),
		PValue:      x.PValue, QValue: x.QValue, Curve: []VirtualSpeedup{}, LongerNS: int64(x.Longer)}
	for _, id := range t.Threads {
		row.Threads = append(row.Threads, uint64(id))
	}
	for _, p := range x.Curve {
		row.Curve = append(row.Curve, VirtualSpeedup{p.Share, p.Blocks, p.Saved.interval(), p.PValue})
	}
	if p := x.Replay; p != nil {
		row.Replay = &Replayed{Why: p.Why, Disagrees: p.Disagrees, Lacks: p.Lacks}
		if s := p.Sensitivity; s != nil {
			row.Replay.Sensitivity = (&Slope{s.Estimate, s.Low, s.High}).interval()
		}
	}
	return row
}

// targetName returns the name that the report shows for a target, such as "commit" or "lock:name".
func targetName(t *analyze.ExperimentTarget) string {
	switch {
	case t.Name != "":
		return t.Name
	case len(t.Calls) > 0:
		return strings.Join(t.Calls, ", ")
	case t.Kind == wire.ExperimentLock && t.Lock != 0:
		return "lock " + hex(t.Lock)
	}
	return string(t.Kind)
}

func hex(n uint64) string { return fmt.Sprintf("%#x", n) }

// interval converts the slope to its form in JSON, where an infinite end of the interval becomes null.
func (s *Slope) interval() *Estimated {
	if s == nil {
		return nil
	}
	end := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return &Estimated{s.Estimate, end(s.Low), end(s.High)}
}

// WriteJSON writes the document as indented JSON.
func (d *Measurement) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}
