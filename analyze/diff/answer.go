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

// unit returns the change of the quantity that stands for the whole run: the time for each token of a language model if
// that was tested, otherwise the time for each command buffer. Its Kind is "" if the runs have neither.
func (d *Document) unit() (c *Change) {
	c = &Change{}
	for i := range d.Changes {
		switch x := &d.Changes[i]; {
		case x.Kind == KindToken && x.Name == eachToken && x.Ratio != nil:
			return x
		case x.Kind == KindRun:
			c = x
		}
	}
	return c
}

// perUnit returns the number of command buffers in one unit of the comparison. If the comparison is by token, that is
// run B's mean number of command buffers per token; otherwise the unit is a command buffer, and the result is 1.
func (d *Document) perUnit(unit *Change) float64 {
	for i := range d.Changes {
		if c := &d.Changes[i]; unit.Kind == KindToken && unit.CountB > 0 && c.Kind == KindRun && c.CountB > 0 {
			return float64(c.CountB) / float64(unit.CountB)
		}
	}
	return 1
}

// Answer returns the comparison in one sentence: "B is 1.31x faster (1.24x to 1.38x): kernel matmul -22%, call
// waitUntilCompleted -60%". After the colon it names the calls and kernels that explain most of the change. If the run
// as a whole did not change clearly, the calls and kernels that did change are named in a second sentence.
func (d *Document) Answer() string {
	text, separator := "It is unknown whether B is faster than A: there are too few command buffers", ": "
	whole := d.unit()
	known := whole.Ratio != nil && whole.Low != nil && whole.High != nil
	if known {
		text = whole.faster(d.Least)
	}
	if !known || whole.Status != Slower && whole.Status != Faster {
		separator = ". Clearly changed: "
	}
	var words []string
	reasons := d.reasons(whole)
	for _, c := range reasons[:min(policy.ShownNames, len(reasons))] {
		words = append(words, fmt.Sprintf("%s %+.0f%%",
			analyze.Printable(strings.TrimPrefix(c.name(), string(KindToken)+" ")),
			100*(*c.Ratio-1)))
		if c.Kind == KindKernel {
			words[len(words)-1] += d.explained(whole, c.lost)
		}
	}
	if share := d.explained(whole, d.unidentified); share != "" {
		words = append(words, "kernels whose times are not identified"+share)
	}
	if len(words) == 0 {
		return text
	}
	return text + separator + strings.Join(words, ", ")
}

// explained returns the share of the run's change that one call or kernel explains, such as " (17% of the change)".
// `lost` is the change of its time per command buffer. The result is empty if the run did not change, or if the share
// is too small to be named.
func (d *Document) explained(whole *Change, lost float64) string {
	if whole.Status != Slower && whole.Status != Faster || whole.B == whole.A {
		return ""
	}
	share := lost * d.perUnit(whole) / (whole.B - whole.A)
	if share < policy.ReasonNamed {
		return ""
	}
	return fmt.Sprintf(" (%s of the change)", analyze.FormatShare(min(1, share)))
}

// reasons returns the changed calls and kernels, ordered by how much they changed the run's time, the largest change
// first. If the run became slower, only slower calls and kernels explain it, and correspondingly for a faster run.
func (d *Document) reasons(whole *Change) (reasons []*Change) {
	per := d.perUnit(whole)
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Kind != KindCall && c.Kind != KindKernel && c.Kind != KindToken || c == whole || c.Ratio == nil || c.Minor ||
			!(c.Status == Slower && c.lost > 0 || c.Status == Faster && c.lost < 0) {
			continue
		}
		if (whole.Status == Slower || whole.Status == Faster) && (c.Status != whole.Status ||
			math.Abs(c.lost)*per < policy.ReasonNamed*math.Abs(whole.B-whole.A)) {
			continue
		}
		reasons = append(reasons, c)
	}
	slices.SortStableFunc(reasons, func(x, y *Change) int {
		return cmp.Compare(math.Abs(y.lost), math.Abs(x.lost))
	})
	return reasons
}

// faster returns how much faster or slower B is than A, judged by the time per token or command buffer.
func (c *Change) faster(least float64) string {
	per := ""
	if c.Kind == KindToken {
		per = " per token"
	}
	switch c.Status {
	case Faster:
		return fmt.Sprintf("B is %.2fx faster%s (%.2fx to %.2fx)", 1 / *c.Ratio, per, 1 / *c.High, 1 / *c.Low)
	case Slower:
		return fmt.Sprintf("B is %.2fx slower%s (%.2fx to %.2fx)", *c.Ratio, per, *c.Low, *c.High)
	case Unclear:
		return fmt.Sprintf("Too noisy to tell: B takes %.2fx the time of A%s (%.2fx to %.2fx)", *c.Ratio, per, *c.Low,
			*c.High)
	}
	return fmt.Sprintf("B is as fast as A%s: %.2fx its time (%.2fx to %.2fx); changes under %.0f%% count as none",
		per, *c.Ratio, *c.Low, *c.High, 100*least)
}

// Cost returns the change of the time per token or command buffer, and the part of that time that changed most: "2.04
// ms → 1.20 ms per command buffer, outside Metal −870 µs". It is empty if that time was not compared.
func (d *Document) Cost() string {
	c := d.unit()
	if c.Ratio == nil {
		return ""
	}
	unit := "command buffer"
	if c.Kind == KindToken {
		unit = "token"
	}
	text := fmt.Sprintf("%s → %s per %s", duration(c.CountA, c.A), duration(c.CountB, c.B), unit)
	if c.part != "" {
		text += fmt.Sprintf(", %s %s", c.part, c.partChange)
	}
	return text
}
