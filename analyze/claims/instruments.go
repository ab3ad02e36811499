package claims

import (
	"encoding/json"
	"slices"
)

// unsaid are the parts of a report that recordings without calls, waits, locks and losses, such as those of
// Instruments, do not have. An empty value in such a report means that nothing was recorded, not that nothing happened.
var unsaid = []string{"events", "lost", "overhead", "calls", "call_sites", "fusion_candidates"}

// unsaidOfThreads are the parts that each thread lacks in such a report; of its time only the encoding is recorded.
var unsaidOfThreads = []string{"waits", "events", "dispatches", "signal_wait_ns", "lost_to_others_share", "hands_over"}

// leaveUnsaid sets the parts to null that a recording of Instruments does not have, so that claims about them are
// skipped.
func leaveUnsaid(doc any) {
	fields, _ := doc.(map[string]any)
	source := object(fields, "source")
	if lacks, says := source["not_recorded"].([]any); says && !slices.Contains(lacks, any("calls")) || !says &&
		!foreignSource(source) {
		return
	}
	forget(fields, unsaid...)
	for _, part := range []string{"memory", "compile"} { // tables that some recordings lack
		if nothingIn(object(fields, part)) {
			forget(fields, part)
		}
	}
	threads, _ := fields["threads"].([]any)
	for i := range threads {
		thread, _ := threads[i].(map[string]any)
		forget(thread, unsaidOfThreads...)
		time := object(thread, "time")
		for part := range time {
			if part != "encode_ns" {
				time[part] = nil
			}
		}
	}
	verdict := object(fields, "serialization")
	forget(verdict, "wait_matrix", "mutual_exclusion")
	if verdict["verdict"] == "none" { // waits and locks are not recorded; with them the verdict might be another one
		forget(verdict, "verdict", "share", "confidence", "causes")
	}
}

func object(fields map[string]any, name string) map[string]any {
	o, _ := fields[name].(map[string]any)
	return o
}

// nothingIn reports whether all numbers of an object are 0.
func nothingIn(fields map[string]any) bool {
	for _, v := range fields {
		if n, is := v.(json.Number); is && n != "0" {
			return false
		}
	}
	return true
}

// forget sets existing fields to null.
func forget(fields map[string]any, names ...string) {
	for _, name := range names {
		if _, there := fields[name]; there {
			fields[name] = nil
		}
	}
}

// foreignSource reports whether a report without a list of missing parts, from an older version, comes from another
// source than mtrace.
func foreignSource(source map[string]any) bool {
	kind, _ := source["kind"].(string)
	return kind != "" && kind != "mtrace"
}
