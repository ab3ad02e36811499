package claims

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The form of JUnit's XML that GitLab, Jenkins and GitHub's reporters read.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *message `xml:"failure"`
		Skipped *message `xml:"skipped"`
		Output  string   `xml:"system-out,omitempty"`
	}
	message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the results as JUnit XML.
func (d *Document) WriteJUnit(w io.Writer) error {
	name := d.Name
	if name == "" {
		name = d.Claims
	}
	s := suite{Name: name, Tests: len(d.Results), Failures: d.Failed, Skipped: d.Skipped}
	for _, r := range d.Results {
		c := testCase{Class: "mtrace.check", Name: r.name(), Output: r.Expr}
		if r.Result != "" {
			c.Output = fmt.Sprintf("%s: %s, target %s", r.Expr, r.Result, r.Target)
		}
		switch r.Status {
		case Fail:
			what := r.Expr + " does not hold"
			if r.Result != "" {
				what = fmt.Sprintf("%s, target %s", r.Result, r.Target)
			}
			c.Failure = &message{Message: what, Text: c.Output}
		case Skipped:
			c.Skipped = &message{Message: r.Reason}
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suites{Suites: []suite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
