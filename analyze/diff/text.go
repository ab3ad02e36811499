package diff

import (
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// WriteText writes the comparison: the answer in one sentence, the changes with the largest first, and how many items
// did not change or could not be tested.
func (d *Document) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nA: %s\nB: %s\n", d.Answer(), d.A.line(), d.B.line())
	if runs := d.Runs(); runs != "" {
		fmt.Fprintf(&b, "%s\n", runs)
	}
	if title := d.Title(); !strings.Contains(title, "B compared with A") {
		fmt.Fprintf(&b, "programs: %s\n", title)
	}
	if tokens := d.Tokens(); tokens != "" {
		fmt.Fprintf(&b, "%s\n", tokens)
	}
	if d.A.verdict() == d.B.verdict() {
		fmt.Fprintf(&b, "verdict: %s on both sides\n", d.A.verdict())
	} else {
		fmt.Fprintf(&b, "verdict: %s → %s\n", d.A.verdict(), d.B.verdict())
		for _, line := range d.Summaries() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	quiet := map[Status]int{}
	reasons := map[string]int{}
	var shown []Change
	minor := 0
	for _, c := range d.Changes {
		switch {
		case c.Status == Same, c.Status == Unclear, c.Status == Untested:
			quiet[c.Status]++
			if c.Why != "" {
				reasons[c.Why]++
			}
		case c.Minor && c.Ratio != nil:
			minor++
		default:
			shown = append(shown, c)
		}
	}
	if len(shown) > 0 {
		b.WriteByte('\n')
		writeChanges(&b, shown)
	}
	b.WriteByte('\n')
	if len(shown) == 0 {
		b.WriteString("no relevant change exceeds the noise\n")
	}
	if minor > 0 {
		fmt.Fprintf(&b, "minor changes, in items with under %.1f%% of the time: %d (listed by --json)\n",
			100*policy.MinorShare, minor)
	}
	fmt.Fprintf(&b, "%d compared with the noise %s: "+
		"false discovery rate %.0f%%, changes under %.0f%% count as the same; %d the same, "+
		"%d too noisy to tell, %d not testable\n",
		d.Tested, d.Noise, 100*d.Rate, 100*d.Least, quiet[Same], quiet[Unclear], quiet[Untested])
	fmt.Fprintf(&b, "  %s\n  minor: under %.1f%% of the time\n", d.Columns(), 100*policy.MinorShare)
	for _, c := range d.Changes {
		if n := reasons[c.Why]; n > 0 {
			fmt.Fprintf(&b, "  %d not testable: %s\n", n, c.Why)
			delete(reasons, c.Why)
		}
	}
	if d.FailOver != nil {
		if len(d.Failed) == 0 {
			fmt.Fprintf(&b, "PASS: nothing relevant became slower by more than %g%%\n", 100**d.FailOver)
		} else {
			fmt.Fprintf(&b, "FAIL: slower by more than %g%%: %s\n", 100**d.FailOver, strings.Join(d.Failed, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summaries returns the sentence that explains the verdict of each side, with the side's letter in front.
func (d *Document) Summaries() (lines []string) {
	for _, line := range []string{d.A.summary("A"), d.B.summary("B")} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Title names the compared programs with their arguments; it names a program once if both sides ran the same.
func (d *Document) Title() string {
	a, b := d.A.command(), d.B.command()
	if a == b || a == "" {
		return b + ": B compared with A"
	}
	return b + " compared with " + a
}

// command returns the side's program with its arguments. If the arguments are not known, it returns the program's
// name.
func (s Side) command() string {
	if len(s.Args) == 0 && s.Program == "" {
		return ""
	}
	if len(s.Args) == 0 {
		return analyze.Printable(path.Base(s.Program))
	}
	return analyze.Printable(strings.Join(s.Args, " "))
}

// Tokens compares the median time for a token of a language model, as a line of text. It is empty if a side has no
// tokens, or if the time was tested: then the answer already has it.
func (d *Document) Tokens() string {
	if d.A.TokenNS <= 0 || d.B.TokenNS <= 0 || d.unit().Kind == KindToken {
		return ""
	}
	return fmt.Sprintf("median time for each token: %s → %s (%+.0f%%, not tested)", analyze.Nanos(d.A.TokenNS),
		analyze.Nanos(d.B.TokenNS), 100*(float64(d.B.TokenNS)/float64(d.A.TokenNS)-1))
}

func (s Side) line() string {
	line := strings.Join(s.Paths, ", ")
	if len(s.Paths) > policy.ShownNames {
		line = fmt.Sprintf("%s and %d more", strings.Join(s.Paths[:policy.ShownNames], ", "),
			len(s.Paths)-policy.ShownNames)
	}
	return line
}

// verdict returns the verdict that most runs of the side have, and how many runs agree if not all do.
func (s Side) verdict() string {
	if s.Agree == len(s.Paths) {
		return s.Verdict
	}
	return fmt.Sprintf("%s (%d of %d runs)", s.Verdict, s.Agree, len(s.Paths))
}

func writeChanges(b *strings.Builder, changes []Change) {
	kind, name := 0, len("what")
	for _, c := range changes {
		kind, name = max(kind, len(c.Kind)), max(name, utf8.RuneCountInString(c.Name))
	}
	fmt.Fprintf(b, "%-7s  %-*s  %-*s  %10s  %10s  %8s  %-17s  %7s\n", "change", kind, "", name, "what", "A", "B", "B/A",
		"95% interval", "q")
	for _, c := range changes {
		fmt.Fprintf(b, "%-7s  %-*s  %-*s  %10s  %10s", c.Status, kind, c.Kind, name, analyze.Printable(c.Name),
			duration(c.CountA, c.A), duration(c.CountB, c.B))
		if c.Ratio != nil {
			fmt.Fprintf(b, "  %7.3fx  %-17s  %7s", *c.Ratio, c.interval(),
				small(*c.QValue))
		}
		if c.Ratio == nil {
			fmt.Fprintf(b, "%*s", 9+2+17+2+8+1, "")
		}
		if c.CountA != c.CountB && (c.Kind == KindCall || c.Kind == KindKernel) {
			fmt.Fprintf(b, "  count %d → %d", c.CountA, c.CountB)
		}
		if c.Because != "" {
			fmt.Fprintf(b, "  %s", c.Because)
		}
		if c.Minor {
			b.WriteString("  minor")
		}
		b.WriteByte('\n')
	}
}

// interval returns the 95% interval of the ratio: "[0.912, 0.987]". It is "[any]" if the interval is too wide to be of
// use, and has only one number if the ends are equal when rounded.
func (c *Change) interval() string {
	low, high := fmt.Sprintf("%.3f", *c.Low), fmt.Sprintf("%.3f", *c.High)
	switch {
	case *c.High > policy.WidestInterval**c.Low:
		return "[any]"
	case low == high:
		return "[" + low + "]"
	}
	return "[" + low + ", " + high + "]"
}

func duration(count int64, typical float64) string {
	if count == 0 {
		return "–"
	}
	return analyze.Nanos(math.Round(typical)).String()
}

func small(q float64) string {
	if q < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", q)
}
