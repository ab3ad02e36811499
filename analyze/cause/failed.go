package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
)

// allFailed describes a trace in which every command buffer that ended failed, with the most frequent errors; "" if
// none failed or any completed. The times of such a run do not show what delays the program.
func allFailed(t *analyze.Trace) string {
	ended, times := 0, map[string]int{}
	for b := range t.Buffers() {
		switch {
		case b.Failed():
			ended++
			times[b.FailureText()]++
		case b.Completed.Known() || b.GPU.Known():
			return ""
		}
	}
	if ended == 0 {
		return ""
	}
	var texts []string
	for text := range times {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(x, y string) int { return cmp.Or(times[y]-times[x], strings.Compare(x, y)) })
	all := fmt.Sprintf("all %d command buffers failed", ended)
	if ended == 1 {
		all = "the only command buffer failed"
	}
	if rest := len(t.CommandBuffers) - ended; rest > 0 {
		all = strings.Replace(all, " failed", " that ended failed", 1)
	}
	if len(texts) == 1 {
		return all + ": " + texts[0]
	}
	return fmt.Sprintf("%s; %d of them: %s", all, times[texts[0]], texts[0])
}
