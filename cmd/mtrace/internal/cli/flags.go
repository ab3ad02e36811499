package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Values of --color. With auto the environment variables NO_COLOR and FORCE_COLOR decide, in this order; without them
// only terminals get colours.
const (
	ColourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// colourMode is the type of the flag --color, which all commands have.
type colourMode string

// ChosenColour is the value of --color on the command line.
var ChosenColour colourMode = ColourAuto

var ColourModes = []string{ColourAuto, colourAlways, colourNever}

// Set implements pflag.Value.
func (m *colourMode) Set(text string) error {
	if !slices.Contains(ColourModes, text) {
		return fmt.Errorf("give one of %s", strings.Join(ColourModes, ", "))
	}
	*m = colourMode(text)
	return nil
}

// Type implements pflag.Value.
func (*colourMode) Type() string { return "when" }

// String implements pflag.Value.
func (m *colourMode) String() string { return string(*m) }

// Colour reports whether output to f is coloured: --color decides, then NO_COLOR and FORCE_COLOR, then whether f is a
// terminal.
func Colour(f *os.File) bool {
	forced := os.Getenv("FORCE_COLOR")
	switch {
	case ChosenColour != ColourAuto:
		return ChosenColour == colourAlways
	case os.Getenv("NO_COLOR") != "":
		return false
	case forced != "":
		return forced != "0"
	}
	return term.IsTerminal(int(f.Fd()))
}

// FlagError returns the error for an invalid flag. For an unknown long flag it suggests the most similar flag, if one
// is close.
func FlagError(err error, flags *pflag.FlagSet) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return err
	}
	name := missing.GetSpecifiedName()
	if missing.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag -%s", name)
	}
	var known []string
	flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	like := nearest(name, known)
	if like == "" {
		return fmt.Errorf("unknown flag --%s", name)
	}
	return fmt.Errorf("unknown flag --%s (did you mean --%s?)", name, like)
}

// DidYouMean returns " (did you mean NAME?)" with the known name that is most similar to name, or "" if none is close.
func DidYouMean(name string, known []string) string {
	if like := nearest(name, known); like != "" {
		return fmt.Sprintf(" (did you mean %s?)", like)
	}
	return ""
}

// nearest returns the known name that is most similar to name, or "" if none is close.
func nearest(name string, known []string) (like string) {
	distance := max(2, len(name)/3) + 1
	for _, k := range known {
		if d := editDistance(name, k); d < distance && d < len(name) {
			like, distance = k, d
		}
	}
	return like
}

// editDistance returns how many single-letter changes turn a into b: insertions, deletions, replacements, and swaps
// of neighbouring letters.
func editDistance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differs(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}

func differs(a, b byte) int {
	if a != b {
		return 1
	}
	return 0
}

// completeValues registers what shells complete for the command's flags and arguments.
func (c Command) completeValues(cmd *cobra.Command) {
	for flag, values := range c.Values {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, begun string) ([]string,
			cobra.ShellCompDirective) {
			before := begun[:strings.LastIndex(begun, ",")+1] // in a list of values, only the last one is completed
			var list []string
			for _, v := range values {
				list = append(list, before+v)
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		})
	}
	if c.Arguments != nil {
		cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return c.Arguments(), cobra.ShellCompDirectiveNoFileComp
		}
	}
}
