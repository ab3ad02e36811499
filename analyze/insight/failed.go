package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// failed: what a command buffer with an error was to compute is not there, or not whole, and a program that does not ask never learns it. Its
// times are those of work that did not happen.
func failed(in *Input) *Insight {
	times := map[string]int{} // by what was said
	var cost analyze.Nanos
	var where sites
	n := 0
	for b := range in.Trace.Buffers() {
		if b.Status != analyze.StatusError {
			continue
		}
		n++
		took := b.Took(in.Trace.Window)
		cost += took
		words := fmt.Sprintf("error %d", b.ErrorCode)
		if b.Error != "" {
			words += ", " + b.Error
		}
		times[words]++
		where.add(&b.Committed, "commit", b.Label, 1, took, 0)
	}
	if n == 0 {
		return nil
	}
	var said []string
	for words := range times {
		said = append(said, words)
	}
	slices.SortFunc(said, func(x, y string) int { return cmp.Or(times[y]-times[x], strings.Compare(x, y)) })
	more := ""
	if len(said) > 3 {
		said, more = said[:3], "; and others"
	}
	for i, words := range said {
		said[i] = fmt.Sprintf("%d times: %s", times[words], words)
	}
	return &Insight{Severity: Warning, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %s failed. %s%s", n, analyze.Plural(len(in.Trace.CommandBuffers), "command buffer"), strings.Join(said, "; "), more),
		Advice: "what they compute is not there, and their times say nothing: ask for the status of command buffers. With errorOptions encoderExecutionStatus in the " +
			"descriptor Metal also says which encoder failed"}
}
