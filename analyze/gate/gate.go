// Package gate writes what was decided of a change in the forms that servers for continuous integration show: JUnit's
// XML, Markdown for a pull request, and GitHub's annotations. What decides is elsewhere: claims, and comparisons of
// runs.
package gate

// An Outcome is what became of one case.
type Outcome int

// The outcomes.
const (
	Passed Outcome = iota
	Failed
	Skipped // there is too little to decide
)

// String is the word for an outcome in tables.
func (o Outcome) String() string {
	return [...]string{"pass", "FAIL", "skipped"}[o]
}

// A Case is one thing that was decided.
type Case struct {
	Name    string
	Outcome Outcome
	Why     string   // why it failed or was skipped, one line
	Detail  string   // what was looked at, one line; empty is nothing more
	Cells   []string // of the table, one for each of the gate's columns
	Quiet   bool     // there is nothing to see: it is counted, and not in the table
}

// A Gate is what decides whether a change may go in.
type Gate struct {
	Command  string   // "mtrace check"
	Name     string   // of the list of claims, or of what was compared
	Warnings []string // what the decision does not cover, a line each
	Notes    []string // what else is reported above the table, a line each
	Columns  []string // heads of the cells
	Cases    []Case

	Undecided string // why all of this decides nothing, one line; empty is decided
}

// word is the decision, in a word.
func (g *Gate) word() string {
	switch {
	case g.Undecided != "":
		return "UNDECIDED"
	case g.count(Failed) > 0:
		return "FAIL"
	}
	return "PASS"
}

// count is how many cases came out so.
func (g *Gate) count(o Outcome) (n int) {
	for _, c := range g.Cases {
		if c.Outcome == o {
			n++
		}
	}
	return n
}
