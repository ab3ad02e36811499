package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Schema names the document of results.
const Schema = "mtrace.check/1"

// A Status is the result of checking a claim (a condition that a report's numbers must fulfil): passed, failed or
// skipped.
type Status string

// The statuses.
const (
	Pass    Status = "PASS"
	Fail    Status = "FAIL"
	Skipped Status = "SKIPPED" // the document lacks a value that the claim needs
)

// A Result is the result of checking one claim (a condition such as "gpu.busy_share >= 0.9"): its status and the
// compared values.
type Result struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Expr   string `json:"expr"`
	Status Status `json:"status"`
	Target string `json:"target"` // "< 100 µs"; empty if the claim consists of several comparisons
	Result string `json:"result"` // "620 ns"
	// Ratio is how many times better the result is than its target: 161 for 0.62 µs with a target of less than 100
	// µs. Below 1 the result is worse than the target. Null if a ratio has no meaning for the claim.
	Ratio       *float64 `json:"ratio"`
	ResultValue *float64 `json:"result_value"` // nanoseconds, bytes or a plain number
	TargetValue *float64 `json:"target_value"`
	Tolerance   string   `json:"tolerance,omitempty"`
	Reason      string   `json:"reason,omitempty"` // why it was skipped
	// Figures are the values from which a failed claim was computed: "gpu.busy_share = 0.71"
	Figures []string `json:"figures,omitempty"`
}

// A Document holds the results of all claims (conditions that a report must fulfil) of one file, as mtrace prints
// them as JSON.
type Document struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`
	Claims  string   `json:"claims"`  // path of the claims
	Checked string   `json:"checked"` // path of the checked file
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Results []Result `json:"results"`

	Software bool `json:"software_metal"` // the times were measured on a software Metal, not on a GPU
	// one line on data that is missing in the checked trace; a PASS says nothing about the missing data
	Incomplete string `json:"incomplete,omitempty"`
}

// Check evaluates all claims (conditions on numbers) against a JSON document, such as a report. It returns an error,
// not a failed claim, if a claim cannot be evaluated, for instance because it compares a text with a number.
func (f *File) Check(document []byte, checked string) (*Document, error) {
	var doc any
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading %s: not JSON: %w", checked, err)
	}
	leaveUnsaid(doc)
	out := &Document{Schema: Schema, Name: f.Name, Claims: f.Path, Checked: checked, Software: ofSoftware(doc),
		Results: []Result{}}
	for i := range f.Claims {
		c := &f.Claims[i]
		r, err := c.check(doc)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: claim %d%s: %w", f.Path, c.line, i+1, c.called(), err)
		}
		switch r.Status {
		case Pass:
			out.Passed++
		case Fail:
			out.Failed++
		default:
			out.Skipped++
		}
		out.Results = append(out.Results, r)
	}
	return out, nil
}

// ofSoftware reports whether a document was measured on a software Metal, whose times say nothing about a GPU. A
// report has this in its source, other documents at the top level.
func ofSoftware(doc any) bool {
	fields, _ := doc.(map[string]any)
	source, _ := fields["source"].(map[string]any)
	return fields["software_metal"] == true || source["software_metal"] == true
}

func (c *Claim) check(doc any) (Result, error) {
	r := Result{ID: c.ID, Title: c.Title, Expr: c.Expr, Tolerance: c.Tolerance.text}
	o, err := c.expression.root.evaluate(doc, c.Tolerance)
	var missing missingError
	switch {
	case errors.As(err, &missing):
		r.Status, r.Reason = Skipped, missing.what
		return r, nil
	case err != nil:
		return r, err
	}
	r.Status = Fail
	if o.holds {
		r.Status = Pass
	} else {
		r.Figures = c.expression.root.figures(doc)
	}
	if !o.isComparison {
		return r, nil
	}
	r.Result = o.result.show(o.dim)
	r.Target = o.operator + " " + o.target.show(o.dim)
	if !o.result.isText {
		r.ResultValue, r.TargetValue = finite(o.result.number), finite(o.target.number)
		r.Ratio = ratio(o)
	}
	return r, nil
}

// ratio returns how many times better the result is than its target; nil where a ratio has no meaning.
func ratio(o outcome) *float64 {
	a, b := o.result.number, o.target.number
	switch o.operator {
	case "<", "<=":
		a, b = b, a
	case "!=":
		return nil
	}
	if a < 0 || b <= 0 {
		return nil
	}
	return finite(a / b)
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
