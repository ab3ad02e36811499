package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mtrace/analyze/replay/change"
)

// A Wanted asks for all things of a kind whose names match a pattern, in which * stands for anything.
type Wanted struct {
	Kind, Pattern string
	Factor        float64
}

// Flights are the numbers of rounds in flight that can be asked for.
var Flights = []string{"1", "2", "3", "4", "8", "16"}

// Merges are the numbers of command buffers that are made one, which are tried and can be asked for.
var Merges = []string{"2", "4", "8"}

// Changed adds the things that are wanted to a change.
func (r *Replay) Changed(c Change, wanted []Wanted) Change {
	if len(wanted) == 0 {
		return c
	}
	all := slices.Concat(things(r.program), counted(KindInFlight, Flights), counted(KindMerge, Merges))
	c.Scale = &change.Scale{}
	for _, w := range wanted {
		for i := range all {
			if t := &all[i]; t.kind == w.Kind && Matches(w.Pattern, t.name) {
				t.scale(c.Scale, r.program, w.Factor)
			}
		}
	}
	return c
}

// NotIdentified is the first kernel that is wanted and whose cost the run does not identify; "" if there is none.
func (r *Replay) NotIdentified(wanted []Wanted) string {
	for _, w := range wanted {
		for k, name := range r.program.Names.Kernels {
			if w.Kind == KindKernel && Matches(w.Pattern, name) && !r.program.KernelCosts[k].Identified {
				return name
			}
		}
	}
	return ""
}

// Together names what is wanted as one.
func Together(wanted []Wanted) (g Gain) {
	var names []string
	for _, w := range wanted {
		names = append(names, fmt.Sprintf("%s:%s=%g", w.Kind, w.Pattern, w.Factor))
		g.Factor = w.Factor
	}
	g.Kind, g.Name = "together", strings.Join(names, ", ")
	return g
}

// Matches says whether a pattern stands for a name.
func Matches(pattern, name string) bool {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(name)
}
