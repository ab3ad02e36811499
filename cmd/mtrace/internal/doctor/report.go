// Package doctor determines whether a machine can trace and whether the library can be injected into a command, with
// advice if not. On a Mac it also answers questions that need one: which classes the driver has, whether every call is
// recorded once, and how much the tracer costs.
package doctor

import (
	"encoding/json"
	"io"
)

// Schema names the JSON form of a Report.
const Schema = "mtrace.doctor/1"

// Status is the outcome of a check.
type Status string

// Outcomes, best first. Only Fail means that tracing will not work.
const (
	OK      Status = "ok"
	Info    Status = "info"
	Warn    Status = "warn"
	Skipped Status = "skipped"
	Fail    Status = "fail"
)

// Check is the result of one check.
type Check struct {
	// ID is stable: a lower-case word or two, joined by a dash.
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Text states what was found, one line.
	Text string `json:"text"`
	// Advice states what the user can do about it; empty if there is nothing to do.
	Advice string `json:"advice,omitempty"`
	// Details are further lines, for reading and for bug reports.
	Details []string `json:"details,omitempty"`
	// Data is the result for programs; nil if Text is complete.
	Data any `json:"data,omitempty"`
}

// Report is everything that was found out.
type Report struct {
	Schema string   `json:"schema"`
	Tool   string   `json:"tool"`
	OS     string   `json:"os"`
	Arch   string   `json:"arch"`
	Args   []string `json:"command,omitempty"`
	Can    bool     `json:"can_trace"`
	Checks []Check  `json:"checks"`
}

// finish decides whether the machine, or the command, can be traced.
func (r *Report) finish() {
	r.Can = true
	for _, c := range r.Checks {
		if c.Status == Fail {
			r.Can = false
		}
	}
}

// WriteJSON writes the report as one JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}
