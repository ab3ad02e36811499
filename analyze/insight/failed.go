package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// failed finds command buffers that ended with an error. Their results are missing, and a program that does not check
// for errors does not notice. If Metal reports that some failed only because of an earlier error, the first failure
// is named as the cause.
func failed(in *Input) *Insight {
	var all []*analyze.CommandBuffer
	var cost analyze.Nanos
	var where sites
	for b := range in.Trace.Buffers() {
		if b.Failed() {
			all = append(all, b)
			cost += b.Took(in.Trace.TimeRange)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *analyze.CommandBuffer) int {
		return cmp.Compare(a.Completed.Begin,
			b.Completed.Begin)
	})
	own, victims := []*analyze.CommandBuffer{}, map[string]int{}
	for _, b := range all {
		if why := victim(b); why != "" {
			victims[why]++
		} else {
			own = append(own, b)
			where.add(&b.Committed, "commit", b.Label, 1, b.Took(in.Trace.TimeRange), 0)
		}
	}
	text := fmt.Sprintf("%d of %s failed", len(all), analyze.Plural(len(in.Trace.CommandBuffers), "command buffer"))
	advice := "their results are missing and their times are meaningless: check the status of command buffers. " +
		"With errorOptions encoderExecutionStatus in the descriptor Metal also reports which encoder failed"
	if len(own) > 0 {
		text += ". " + errors(own) + ". The first was " + firstFailure(in.Trace, own)
	}
	if n := len(all) - len(own); n > 0 {
		if len(own) == 0 {
			text +=
				", all of them because of an earlier error that is not in this trace, perhaps of another program. " +
					"The first was " + firstFailure(in.Trace, all)
			for _, b := range all {
				where.add(&b.Committed, "commit", b.Label, 1, 0, 0)
			}
		} else {
			advice = "repair the first failure: it caused the others. T" + advice[1:]
		}
		text += fmt.Sprintf("; %d failed because of an earlier error: %s", n, reasons(victims))
	}
	return &Insight{Severity: Warning, Cost: cost, Where: where.most(), Evidence: text, Advice: advice}
}

// victim says in words why a command buffer failed through no fault of its own; "" if it failed because of its own
// error.
func victim(b *analyze.CommandBuffer) string {
	const accessRevoked = 4 // MTLCommandBufferErrorAccessRevoked: the process may submit no more
	switch text := strings.ToLower(b.Error); {
	case strings.Contains(text, "innocent victim"), strings.Contains(text, "innocentvictim"):
		return "not at fault: the GPU was recovering"
	case strings.Contains(text, "submissionsignored"), strings.Contains(text, "prior/excessive gpu errors"):
		return "submissions ignored"
	case b.ErrorCode == accessRevoked:
		return "access revoked"
	}
	return ""
}

// errors lists Metal's error messages of the command buffers, each with its count, the most frequent first.
func errors(list []*analyze.CommandBuffer) string {
	times := map[string]int{}
	for _, b := range list {
		times[b.FailureText()]++
	}
	return ranked(times, func(words string, n int) string { return analyze.Plural(n, "time") + ": " + words })
}

func reasons(times map[string]int) string {
	return ranked(times, func(words string, n int) string { return fmt.Sprintf("%d %s", n, words) })
}

// ranked formats the most frequent keys of times, at most policy.ShownNames, each with its count, by calling say.
func ranked(times map[string]int, say func(words string, n int) string) string {
	var said []string
	for words := range times {
		said = append(said, words)
	}
	slices.SortFunc(said, func(x, y string) int { return cmp.Or(times[y]-times[x], strings.Compare(x, y)) })
	more := ""
	if len(said) > policy.ShownNames {
		said, more = said[:3], "; and others"
	}
	for i, words := range said {
		said[i] = say(words, times[words])
	}
	return strings.Join(said, "; ") + more
}

// firstFailure describes the failed command buffer that completed first: when it completed, and what it ran. It names
// the error if others in the list have different ones.
func firstFailure(t *analyze.Trace, list []*analyze.CommandBuffer) string {
	first := list[0]
	text := fmt.Sprintf("%s at %v%s", nameOf(first), first.Completed.Begin-t.Run.Origin, ran(first))
	if slices.ContainsFunc(list, func(b *analyze.CommandBuffer) bool { return b.FailureText() != first.FailureText() }) {
		text += ": " + first.FailureText()
	}
	return text
}

func nameOf(b *analyze.CommandBuffer) string {
	if b.Label != "" {
		return fmt.Sprintf("command buffer %d %q", b.ID, b.Label)
	}
	return fmt.Sprintf("command buffer %d", b.ID)
}

// ran names up to three kernels of a command buffer, as the end of a sentence; "" if none is known.
func ran(b *analyze.CommandBuffer) string {
	var names []string
	for i := range b.Encoders {
		for _, d := range b.Encoders[i].Dispatches {
			if d.Pipeline != nil && d.Pipeline.Kernel != "" && !slices.Contains(names, d.Pipeline.Kernel) {
				names = append(names, d.Pipeline.Kernel)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", with " + strings.Join(names[:min(len(names), 3)], ", ")
}
