package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Answer returns the comparison in one sentence: "B is 1.31x faster (1.24x to 1.38x): kernel matmul -22%, call
// waitUntilCompleted -60%". After the colon come the calls and kernels that changed the time per command buffer most.
func (d *Document) Answer() string {
	var whole *Change
	var reasons []*Change
	for i := range d.Changes {
		switch c := &d.Changes[i]; {
		case c.Kind == KindRun:
			whole = c
		case c.Kind != KindThread && c.Ratio != nil && !c.Minor &&
			(c.Status == Slower && c.lost > 0 || c.Status == Faster && c.lost < 0):
			reasons = append(reasons, c)
		}
	}
	text := "It is unknown whether B is faster than A: there are too few command buffers"
	if whole != nil && whole.Ratio != nil && whole.Low != nil && whole.High != nil {
		text = whole.faster(d.Least)
		if whole.Status == Slower || whole.Status == Faster { // changes in the same direction explain it
			reasons = slices.DeleteFunc(reasons, func(c *Change) bool {
				return c.Status != whole.Status || math.Abs(c.lost) < policy.ReasonNamed*math.Abs(whole.B-whole.A)
			})
		}
	}
	if len(reasons) == 0 {
		return text
	}
	slices.SortStableFunc(reasons, func(x, y *Change) int {
		return cmp.Compare(math.Abs(y.lost), math.Abs(x.lost))
	})
	var words []string
	for _, c := range reasons[:min(policy.ShownNames, len(reasons))] {
		words = append(words, fmt.Sprintf("%s %s %+.0f%%", c.Kind, analyze.Printable(c.Name), 100*(*c.Ratio-1)))
	}
	if whole != nil && whole.unclear(d.Least) {
		return text + "; clearly changed: " + strings.Join(words, ", ")
	}
	return text + ": " + strings.Join(words, ", ")
}

// unclear reports whether the test found no change of the run, but its interval still includes changes that are large
// enough to count.
func (c *Change) unclear(least float64) bool {
	return c.Status == Same && c.Low != nil && c.High != nil && (*c.Low < 1-least || *c.High > 1+least)
}

// faster returns how much faster or slower B is than A, judged by the time per command buffer.
func (c *Change) faster(least float64) string {
	switch c.Status {
	case Faster:
		return fmt.Sprintf("B is %.2fx faster (%.2fx to %.2fx)", 1 / *c.Ratio, 1 / *c.High, 1 / *c.Low)
	case Slower:
		return fmt.Sprintf("B is %.2fx slower (%.2fx to %.2fx)", *c.Ratio, *c.Low, *c.High)
	}
	if c.unclear(least) {
		return fmt.Sprintf("No clear difference: B takes %.2fx the time of A (%.2fx to %.2fx)", *c.Ratio, *c.Low, *c.High)
	}
	return fmt.Sprintf("B is as fast as A: %.2fx its time (%.2fx to %.2fx); changes under %.0f%% count as none",
		*c.Ratio, *c.Low, *c.High, 100*least)
}

// Cost returns the change of the time per command buffer, and the part of the threads' time that changed most: "2.04
// ms → 1.20 ms per command buffer, outside Metal −870 µs". It is empty if that time was not compared.
func (d *Document) Cost() string {
	for _, c := range d.Changes {
		if c.Kind != KindRun || c.Ratio == nil {
			continue
		}
		text := fmt.Sprintf("%s → %s per command buffer", duration(c.CountA, c.A), duration(c.CountB, c.B))
		if c.part != "" {
			text += fmt.Sprintf(", %s %s", c.part, c.partChange)
		}
		return text
	}
	return ""
}
