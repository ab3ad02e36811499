package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/memory"
	"mtrace/analyze/policy"
)

// inMemoryGrowth are the classes of objects whose growth the rule memory-growth reports. Views, and resources in heaps
// and buffers, are not among them, because they have no memory of their own.
var inMemoryGrowth = []string{"buffer", "texture", "heap", "tensor", "accelerationStructure", "other object"}

// objectGrowth finds classes of objects whose number grows throughout the run: events, pipeline states, encoders,
// texture views. Memory has a rule of its own. If most command buffers are kept, the rule kept-command-buffers reports
// them and their encoders.
func objectGrowth(in *Input) *Insight {
	if in.rounds.most < policy.FewestRounds {
		return skip(tooFew)
	}
	found, class := growthOf(in.Memory, unfreedBuffers(in) != nil)
	if found != nil {
		found.Where = in.makersOf(class)
	}
	return found
}

// growthOf returns the finding about the classes of objects that accumulate, and the first of these classes. `kept`
// is true if the growth of command buffers and encoders is already reported.
func growthOf(use *memory.Use, kept bool) (found *Insight, class string) {
	var words []string
	for i := range use.Objects {
		o := &use.Objects[i]
		counted := o.Class == memory.CommandBuffers || o.Class == memory.Encoders
		if o.Growth() == 0 || kept && counted || slices.Contains(inMemoryGrowth, o.Class) {
			continue
		}
		class = cmp.Or(class, o.Class)
		words = append(words, fmt.Sprintf("%s of %s were not released; %s, %s, %s and %s were alive when 10%%, 40%%, "+
			"70%% and all of the command buffers had been committed",
			analyze.FormatCount(o.Created-o.Released), analyze.Plural(o.Created, o.Class),
			analyze.FormatCount(o.Alive[1]), analyze.FormatCount(o.Alive[4]), analyze.FormatCount(o.Alive[7]),
			analyze.FormatCount(o.Alive[memory.Tenths])))
	}
	if len(words) == 0 {
		return nil, ""
	}
	return &Insight{Severity: Info, Evidence: strings.Join(words, ". ")}, class
}

// WithGrowth replaces the insight object-growth, which was found in some ranges of a run, by its result for the whole
// run.
func WithGrowth(found []Insight, use *memory.Use) []Insight {
	const id = "object-growth"
	kept, at := false, -1
	for i := range found {
		kept = kept || found[i].ID == "kept-command-buffers" && found[i].Severity != Skipped
		if found[i].ID == id && found[i].Severity != Skipped {
			at = i
		}
	}
	grown, _ := growthOf(use, kept)
	switch {
	case grown == nil && at >= 0:
		return slices.Delete(found, at, at+1)
	case grown != nil && at >= 0:
		found[at].Evidence = grown.Evidence
	case grown != nil:
		n := slices.IndexFunc(rules, func(r rule) bool { return r.id == id })
		rules[n].name(grown)
		end := slices.IndexFunc(found, func(i Insight) bool { return i.Severity == Skipped })
		if end < 0 {
			end = len(found)
		}
		return slices.Insert(found, end, *grown)
	}
	return found
}

// makersOf returns the places in the program that created unreleased objects of a class. For command buffers and
// encoders it returns all places that created any, because the trace does not show which of them were released.
func (in *Input) makersOf(class string) []Site {
	var where sites
	switch class {
	case memory.CommandBuffers:
		for b := range in.Trace.Buffers() {
			where.add(&b.Created, "a command buffer made", b.Label, 1, 0, 0)
		}
	case memory.Encoders:
		for b := range in.Trace.Buffers() {
			for i := range b.Encoders {
				where.add(&b.Encoders[i].Created, "an encoder made", b.Encoders[i].Label, 1, 0, 0)
			}
		}
	}
	for i := range in.Trace.Memory.Lifetimes {
		if l := &in.Trace.Memory.Lifetimes[i]; l.Class == class && l.Released == 0 {
			where.add(&analyze.Call{Thread: l.Thread, Stack: l.Stack}, l.Selector, "", 1, 0, 0)
		}
	}
	for a := range analyze.Each(in.Trace.Memory.Allocations) {
		if a.OnHeap && a.Released == 0 && memory.ClassOf(a) == class {
			where.add(&analyze.Call{Thread: a.Thread, Stack: a.Stack}, a.Selector, "", 1, 0, 0)
		}
	}
	return where.most()
}
