package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// ClaimsSchema must be the "schema" of a file for --claims; ReadClaims rejects any other.
const ClaimsSchema = "mtrace.bench-claims/1"

// Claims is the content of a --claims file: statements about benchmarks, each with a target and the value that its
// source published.
type Claims struct {
	Schema string  `json:"schema"`
	Title  string  `json:"title"`
	Claims []Claim `json:"claims"`
}

// A Claim is a statement that a benchmark can confirm or refute, such as "MPS is 2x as fast as the naive kernel".
type Claim struct {
	ID    string `json:"id"`
	Claim string `json:"claim"`
	// About is "gpu" if the claim is about a GPU or its driver: it is skipped if Metal is emulated on the CPU. "host"
	// claims are about the program itself and are judged everywhere.
	About    string    `json:"about"`
	Measure  Measure   `json:"measure"`
	Target   Target    `json:"target"`
	Reported *Reported `json:"reported,omitempty"`
}

// Measure defines which benchmark result the claim's target is compared with.
type Measure struct {
	Bench string `json:"bench"`
	// Kind is how the medians of Of and To are combined: "median" (Of alone), "ratio" (Of/To), "reduction" (1 −
	// Of/To), "difference" (Of − To), or "rate" (Of's Work divided by its time in nanoseconds, so GB/s or GFLOP/s).
	Kind string   `json:"kind"`
	Work string   `json:"work,omitempty"` // of a rate: "flop" or "bytes"
	Of   Selector `json:"of"`
	To   Selector `json:"to,omitzero"`
}

// Selector chooses one measured value: Metric ("wall_ns") of the first case whose name contains all of Case
// ("size=256 dtype=f32").
type Selector struct {
	Case   string `json:"case"`
	Metric string `json:"metric"`
}

// Target is the bound that the measured value must meet: below an upper bound, or at least a minimum. Exactly one is
// set.
type Target struct {
	Below   *float64 `json:"below,omitempty"`
	AtLeast *float64 `json:"at_least,omitempty"`
	Unit    string   `json:"unit"` // ns, x, share, GB/s, GFLOP/s, bytes
}

// Reported is the result that the claim's author published: the value, the machine, and whether it met the target.
type Reported struct {
	Result float64 `json:"result"`
	Status string  `json:"status"`
	Where  string  `json:"where"`
}

// Status of a claim.
const (
	Pass = "PASS"
	Fail = "FAIL"
	Skip = "SKIPPED"
)

// Score is a claim with the result measured now and its status.
type Score struct {
	Claim  Claim    `json:"claim"`
	Result *float64 `json:"result,omitempty"` // in the target's unit
	Low    *float64 `json:"result_low,omitempty"`
	High   *float64 `json:"result_high,omitempty"`
	// Ratio is how many times better the result is than the target; below 1 the target was missed.
	Ratio  *float64 `json:"ratio,omitempty"`
	Status string   `json:"status"`
	Reason string   `json:"reason,omitempty"`
}

// Scorecard is all claims, judged.
type Scorecard struct {
	Title  string  `json:"title"`
	Scores []Score `json:"scores"`
}

// ReadClaims reads a --claims file. It returns an error for invalid JSON, unknown fields, and claims that no
// benchmark can decide.
func ReadClaims(in io.Reader) (*Claims, error) {
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	var c Claims
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("not a file of claims: %w", err)
	}
	if c.Schema != ClaimsSchema {
		return nil, fmt.Errorf("not a file of claims: its schema is %q, not %q", c.Schema, ClaimsSchema)
	}
	for i := range c.Claims {
		if err := c.Claims[i].valid(); err != nil {
			return nil, fmt.Errorf("claim %d (%.40s): %w", i+1, c.Claims[i].ID, err)
		}
	}
	return &c, nil
}

func (c *Claim) valid() error {
	if _, ok := Find(c.Measure.Bench); !ok {
		return fmt.Errorf("there is no benchmark %.40q; there are: %s", c.Measure.Bench, Names())
	}
	if c.About != "gpu" && c.About != "host" {
		return fmt.Errorf("\"about\" must be gpu or host, not %.40q", c.About)
	}
	if (c.Target.Below == nil) == (c.Target.AtLeast == nil) {
		return fmt.Errorf("the target must have either \"below\" or \"at_least\"")
	}
	switch c.Measure.Kind {
	case "median", "ratio", "reduction", "difference":
	case "rate":
		if c.Measure.Work != "flop" && c.Measure.Work != "bytes" {
			return fmt.Errorf("\"work\" of a rate must be flop or bytes, not %.40q", c.Measure.Work)
		}
	default:
		return fmt.Errorf("\"kind\" must be median, ratio, rate, reduction or difference, not %.40q", c.Measure.Kind)
	}
	return nil
}

// Judge compares every claim with the results, by benchmark name. A claim whose benchmark is not in results is
// skipped.
func (c *Claims) Judge(results map[string]*Results) *Scorecard {
	card := &Scorecard{Title: c.Title}
	for _, claim := range c.Claims {
		card.Scores = append(card.Scores, claim.judge(results[claim.Measure.Bench]))
	}
	return card
}

// Failed reports whether any claim failed.
func (s *Scorecard) Failed() bool { return s.count(Fail) > 0 }

func (s *Scorecard) count(status string) int {
	n := 0
	for _, score := range s.Scores {
		if score.Status == status {
			n++
		}
	}
	return n
}

func (c Claim) judge(r *Results) Score {
	score := Score{Claim: c, Status: Skip}
	if r == nil {
		score.Reason = "the benchmark was not run"
		return score
	}
	figure := c.Measure.figure(r)
	if math.IsNaN(figure.Value) {
		score.Reason = c.missing(r)
		return score
	}
	known := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	score.Result, score.Low, score.High, score.Ratio = known(figure.Value), known(figure.Low), known(figure.High),
		known(c.Target.ratio(figure.Value))
	switch {
	case c.About == "gpu" && r.Host.Software:
		score.Reason = "measured on a software Metal, which says nothing about a GPU"
	case c.Target.met(figure.Value):
		score.Status = Pass
	default:
		score.Status = Fail
	}
	return score
}

// missing returns a text for the user: why this run has no measured value for the claim.
func (c Claim) missing(r *Results) string {
	keys := parseCase(c.Measure.Of.Case + " " + c.Measure.To.Case)
	for _, s := range r.Skipped {
		for _, value := range keys {
			if strings.Contains(s.Part, value) {
				return s.Reason
			}
		}
	}
	bench, _ := Find(c.Measure.Bench)
	if r.measures(bench.Program, c.Measure.Of) && (c.Measure.To.Case == "" || r.measures(bench.Program, c.Measure.To)) {
		return "this run did not measure the claim's sizes (as with --quick, or on a software Metal)"
	}
	return fmt.Sprintf("no measured case matches %q %s", c.Measure.Of.Case, c.Measure.Of.Metric)
}

// measures reports whether a case of the benchmark has the selector's metric and keys (such as size), with whatever
// values. If so, a claim without a result lacks it only because this run used other sizes.
func (r *Results) measures(bench string, s Selector) bool {
	return slices.ContainsFunc(r.Of(bench), func(c *Case) bool {
		for key := range parseCase(s.Case) {
			if _, has := c.Keys[key]; !has {
				return false
			}
		}
		return c.Series(s.Metric) != nil
	})
}

func (m Measure) figure(r *Results) Ratio {
	bench, _ := Find(m.Bench)
	of := r.Find(bench.Program, m.Of.Case)
	to := r.Find(bench.Program, m.To.Case)
	s := of.Series(m.Of.Metric).Summarize()
	switch m.Kind {
	case "median":
		return Ratio{s.Median, s.Low, s.High, s.Rounds}
	case "difference":
		return DifferenceOf(of.Series(m.Of.Metric), to.Series(m.To.Metric))
	case "rate":
		work := flopWork(of)
		if m.Work == "bytes" {
			work = bytesWork(of)
		}
		return Ratio{work / s.Median, work / s.High, work / s.Low, s.Rounds}
	}
	ratio := RatioOf(of.Series(m.Of.Metric), to.Series(m.To.Metric))
	if m.Kind == "reduction" {
		ratio.Value, ratio.Low, ratio.High = 1-ratio.Value, 1-ratio.High, 1-ratio.Low
	}
	return ratio
}

func (t Target) met(v float64) bool {
	if t.Below != nil {
		return v < *t.Below
	}
	return v >= *t.AtLeast
}

func (t Target) ratio(v float64) float64 {
	if t.Below != nil {
		return *t.Below / v
	}
	return v / *t.AtLeast
}

// show formats a measured or target value with the target's unit.
func (t Target) show(v float64) string {
	switch t.Unit {
	case "ns":
		return duration(v)
	case "x":
		return times(v)
	case "share":
		return percent(v)
	case "bytes":
		return bytesText(v)
	}
	return significant(v) + " " + t.Unit
}

func (t Target) text() string {
	if t.Below != nil {
		return "< " + t.show(*t.Below)
	}
	return "≥ " + t.show(*t.AtLeast)
}

// table returns the scorecard as a table, one claim per row. A reason for skipping is printed once, as a numbered
// note below the table.
func (s *Scorecard) table() Table {
	t := Table{Title: s.Title, Columns: []string{"claim", "target", "reported", "result", "ratio", "status"},
		Left: []string{"status"}}
	var reasons []string
	bracketed := false
	for _, score := range s.Scores {
		reported, result, ratio, status := unknown, unknown, unknown, score.Status
		if r := score.Claim.Reported; r != nil {
			reported = score.Claim.Target.show(r.Result) + " " + r.Status
		}
		if score.Result != nil {
			result = score.Claim.Target.show(*score.Result)
		}
		// The result of a skipped claim is printed in brackets and without a ratio, because it says nothing about the
		// target.
		if score.Status == Skip && score.Result != nil {
			result, bracketed = "["+result+"]", true
		} else if score.Ratio != nil {
			ratio = times(*score.Ratio)
		}
		if score.Reason != "" {
			n := slices.Index(reasons, score.Reason)
			if n < 0 {
				n = len(reasons)
				reasons = append(reasons, score.Reason)
			}
			status += fmt.Sprintf(" (%d)", n+1)
		}
		t.row(score.Claim.ID+" "+score.Claim.Claim, score.Claim.Target.text(), reported, result, ratio, status)
	}
	for i, reason := range reasons {
		t.note("(%d) %s", i+1, reason)
	}
	if bracketed {
		t.note("[…] was measured but not judged.")
	}
	t.note("%d PASS, %d FAIL, %d SKIPPED. Ratio: how many times better the result is than its target. "+
		"Reported: the value that the claim's author published.",
		s.count(Pass), s.count(Fail), s.count(Skip))
	return t
}
