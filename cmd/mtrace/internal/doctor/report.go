// Package doctor determines whether a machine can trace and whether the library can be injected into a command, with
// advice if not. On a Mac it also answers questions that need one: which classes the driver has, whether every call is
// recorded once, and how much the tracer costs.
package doctor

import (
	"encoding/json"
	"io"
)

// Schema is the "schema" of the document that mtrace doctor --json prints.
const Schema = "mtrace.doctor/1"

// Status is the outcome of a check.
type Status string

// Statuses, from good to bad. Only fail means that tracing will not work.
const (
	OK      Status = "ok"
	Info    Status = "info"
	Warn    Status = "warn"
	Skipped Status = "skipped"
	Fail    Status = "fail"
)

// Check is the result of one check.
type Check struct {
	// ID names the check: lower-case words joined by dashes. It does not change between versions.
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Text is what was found, in one line.
	Text string `json:"text"`
	// Advice is what the user can do about it; empty if nothing is needed.
	Advice string `json:"advice,omitempty"`
	// Details are further lines, which help to find the cause.
	Details []string `json:"details,omitempty"`
	// Data is the same result as Text in a form for programs; nil if Text says everything.
	Data any `json:"data,omitempty"`
}

// Report has the results of all checks of mtrace doctor.
type Report struct {
	Schema string   `json:"schema"`
	Tool   string   `json:"tool"`
	OS     string   `json:"os"`
	Arch   string   `json:"arch"`
	Args   []string `json:"command,omitempty"`
	Can    bool     `json:"can_trace"`
	Checks []Check  `json:"checks"`
}

// finish sets can_trace: it is true if no check failed.
func (r *Report) finish() {
	r.Can = true
	for _, c := range r.Checks {
		if c.Status == Fail {
			r.Can = false
		}
	}
}

// WriteJSON writes the report as an indented JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}
