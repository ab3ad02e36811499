package gate

import (
	"encoding/xml"
	"io"
	"strings"
)

// The elements of JUnit XML, as GitLab, Jenkins and GitHub's reporters read it.
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
		Error   *message `xml:"error"`
		Failure *message `xml:"failure"`
		Skipped *message `xml:"skipped"`
		Output  string   `xml:"system-out,omitempty"`
	}
	message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the cases (claims or comparisons) as JUnit XML. If nothing could be decided, it adds a case with
// an error, so that the CI server does not show success.
func (g *Gate) WriteJUnit(w io.Writer) error {
	s := suite{Name: g.Name, Tests: len(g.Cases), Failures: g.count(Failed), Skipped: g.count(Skipped)}
	class := strings.ReplaceAll(g.Command, " ", ".")
	if g.Undecided != "" {
		s.Tests, s.Errors = s.Tests+1, 1
		s.Cases = append(s.Cases, testCase{Class: class, Name: "the decision", Error: &message{Message: g.Undecided}})
	}
	for _, c := range g.Cases {
		to := testCase{Class: class, Name: c.Name, Output: c.Detail}
		switch c.Outcome {
		case Failed:
			to.Failure = &message{Message: c.Why, Text: c.Detail}
		case Skipped:
			to.Skipped = &message{Message: c.Why}
		}
		s.Cases = append(s.Cases, to)
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
