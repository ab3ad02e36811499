package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mtrace/analyze/replay/change"
)

// A Wanted selects all items of a kind whose names match a pattern, in which * matches any text. A prediction
// multiplies the time of these items by Factor.
type Wanted struct {
	Kind, Pattern string
	Factor        float64
}

// Flights are the numbers of rounds in flight that users can request a prediction for.
var Flights = []string{"1", "2", "3", "4", "8", "16"}

// Merges are the numbers of command buffers to merge into one that the replay tries and that users can request.
var Merges = []string{"2", "4", "8"}

// Changed returns the change c with the factors of all selected items added.
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

// NotIdentified returns the first selected kernel whose cost the trace does not determine, or "". For such a kernel
// nothing can be predicted.
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

// Polling returns the first selected kernel that waits on the GPU for another queue's work, or for which another
// queue's kernel waits; "" if there is none. For such a kernel nothing can be predicted.
func (r *Replay) Polling(wanted []Wanted) string {
	for _, w := range wanted {
		for k, name := range r.program.Names.Kernels {
			if w.Kind == KindKernel && Matches(w.Pattern, name) && r.program.KernelCosts[k].Polls {
				return name
			}
		}
	}
	return ""
}

// Together returns an empty Gain that names all selected items, for the prediction of their combined effect.
func Together(wanted []Wanted) (g Gain) {
	var names []string
	for _, w := range wanted {
		names = append(names, fmt.Sprintf("%s:%s=%g", w.Kind, w.Pattern, w.Factor))
		g.Factor = w.Factor
	}
	g.Kind, g.Name = "together", strings.Join(names, ", ")
	return g
}

// Matches reports whether the whole name matches a pattern, in which * matches any text.
func Matches(pattern, name string) bool {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(name)
}
