package scaling

import (
	"encoding/json"
	"math"
	"strings"

	"mtrace/analyze/policy"
)

// Schema names the JSON document that Document describes.
const Schema = "mtrace.scaling/1"

// A Document is the analysis of how throughput scales with threads, for one or several series of measurements.
type Document struct {
	Schema    string   `json:"schema"`
	Source    string   `json:"source"`    // the command that was run, or where the figures come from
	Reference bool     `json:"reference"` // figures published by others: not measured here
	Software  bool     `json:"software_metal"`
	Series    []Result `json:"series"`

	Warnings []string `json:"warnings"`
	// how operations were counted: from the trace or from the program's output
	Counted string `json:"ops_source,omitempty"`
	// the causes that limit throughput: one element for each measured number of threads. Only a sweep, which has one
	// series, has verdicts
	Verdicts []Verdict `json:"verdicts,omitempty"`
	Times    []Time    `json:"times,omitempty"` // one element for each number of threads of a sweep
}

// A Result holds the scaling table of one series and the laws fitted to it.
type Result struct {
	Table
	Amdahl  *Fit   `json:"amdahl"`
	USL     *Fit   `json:"usl"`
	Refused string `json:"fit_refused,omitempty"` // why amdahl, usl or both are null
}

// A Time states how the threads spent their time in all runs that had the same number of threads.
type Time struct {
	Threads int `json:"threads"`
	// The share of each part (such as waiting for locks) in the time of all threads that made calls. The key is the
	// part's name in the report's table of threads. The shares add up to 1.
	Shares map[string]float64 `json:"shares"`
}

// Analyze returns a document with the table and the fitted laws of each series. If baseline has samples, the
// speed-ups of all series are relative to it.
func Analyze(source string, baseline Point, series ...Series) (*Document, error) {
	doc := &Document{Schema: Schema, Source: source, Warnings: []string{}}
	for _, s := range series {
		t, err := Tabulate(s, baseline)
		if err != nil {
			return nil, err
		}
		points := s.Points
		if len(baseline.Samples) > 0 && t.Rows[0].Threads > baseline.Threads {
			points = append([]Point{baseline}, points...)
		}
		r := Result{Table: t}
		if r.USL, err = FitUSL(points); err == nil {
			r.Amdahl, err = FitAmdahl(points)
		}
		if err != nil {
			r.USL, r.Amdahl, r.Refused = nil, nil, err.Error()
		}
		r.refuse()
		doc.Series = append(doc.Series, r)
	}
	return doc, nil
}

// refuse removes fitted laws that do not describe the measurements, and stores the reason in Refused. Otherwise a
// report would show predictions of a law that does not hold for this program.
func (r *Result) refuse() {
	for _, fit := range []**Fit{&r.Amdahl, &r.USL} {
		if *fit == nil {
			continue
		}
		if why := (*fit).Unfit(); why != "" {
			*fit = nil
			r.Refused = strings.TrimPrefix(r.Refused+"; "+why, "; ")
		}
	}
}

// fitJSON is the JSON form of a Fit. JSON has no infinity, so infinite and unknown values become null.
type fitJSON struct {
	Lambda  estimateJSON  `json:"lambda_ops_per_s"`
	Sigma   estimateJSON  `json:"sigma"`
	Kappa   *estimateJSON `json:"kappa,omitempty"`
	Peak    *estimateJSON `json:"peak_threads,omitempty"`
	Beyond  *bool         `json:"peak_is_extrapolated,omitempty"`
	R2      *float64      `json:"r2"`
	Points  int           `json:"points"`
	Method  string        `json:"interval_method"`
	Percent int           `json:"interval_percent"`
}

type estimateJSON struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// JSONSchemaAlias returns the type from which the JSON schema of a Fit is generated, because MarshalJSON writes a Fit
// in another form than its struct.
func (Fit) JSONSchemaAlias() any { return fitJSON{} }

func (e Estimate) json() estimateJSON {
	return estimateJSON{orNull(e.Value), orNull(e.Low), orNull(e.High)}
}

func orNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// MarshalJSON writes the fit as JSON, with null for infinite or unknown values.
func (f *Fit) MarshalJSON() ([]byte, error) {
	j := fitJSON{Lambda: f.Lambda.json(), Sigma: f.Sigma.json(), R2: orNull(f.R2), Points: f.Points, Method: f.Method,
		Percent: policy.SweepConfidence * 100}
	if f.Law == usl.name {
		kappa, peak := f.Kappa.json(), f.Peak.json()
		j.Kappa, j.Peak, j.Beyond = &kappa, &peak, &f.Beyond
	}
	return json.Marshal(j)
}
