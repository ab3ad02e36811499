// Package gate writes decisions about a change in the formats that CI servers display: JUnit XML, Markdown for a pull
// request, and GitHub's annotations. The decisions are made elsewhere: by claims, and by comparisons of runs.
package gate

// An Outcome tells whether a case (a claim or a comparison of two runs) passed, failed or was skipped.
type Outcome int

// The outcomes.
const (
	Passed Outcome = iota
	Failed
	Skipped // there is too little data to decide
)

// String returns the word that tables show for an outcome.
func (o Outcome) String() string {
	return [...]string{"pass", "FAIL", "skipped"}[o]
}

// A Case is one claim (a condition on a report's numbers) or one comparison that was decided.
type Case struct {
	Name    string
	Outcome Outcome
	Why     string   // why it failed or was skipped, in one line
	Detail  string   // what was examined, in one line; may be empty
	Cells   []string // the case's cells in the table, one for each of the gate's Columns
	Quiet   bool     // it is counted but not listed in the table, because its result is unremarkable
}

// A Gate is the decision whether a change may be merged, with the cases that it consists of.
type Gate struct {
	Command  string   // "mtrace check"
	Name     string   // name of the list of claims, or of the compared runs
	Warnings []string // what the decision does not cover, one line each
	Notes    []string // further information above the table, one line each
	Columns  []string // headings of the cells
	Cases    []Case

	Undecided string // why nothing could be decided, in one line; empty otherwise
}

// word returns the decision in a word.
func (g *Gate) word() string {
	switch {
	case g.Undecided != "":
		return "UNDECIDED"
	case g.count(Failed) > 0:
		return "FAIL"
	}
	return "PASS"
}

// count returns the number of cases that have outcome o.
func (g *Gate) count(o Outcome) (n int) {
	for _, c := range g.Cases {
		if c.Outcome == o {
			n++
		}
	}
	return n
}
