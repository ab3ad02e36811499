package claims

import (
	"encoding/json"
	"slices"
)

// unsaid are the fields of a report that are empty if the recording has no calls, waits and locks, such as a recording
// of Instruments. Their emptiness means that data is missing, not that nothing happened.
var unsaid = []string{"events", "lost", "overhead", "calls", "call_sites", "fusion_candidates"}

// unsaidOfThreads are the fields of each thread for which a recording without calls has no data. The only part of a
// thread's time that such a recording has is encoding.
var unsaidOfThreads = []string{"waits", "events", "dispatches", "signal_wait_ns", "lost_to_others_share", "hands_over"}

// leaveUnsaid sets those fields of a report to null for which the report's source (Instruments) records no data.
// Claims (conditions to check) about these fields are then skipped. Otherwise a claim such as "no time is lost to
// locks" would pass without data.
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
	if verdict["verdict"] == "none" { // waits and locks are not recorded; if they were, the verdict might be another one
		forget(verdict, "verdict", "share", "confidence", "causes")
	}
}

func object(fields map[string]any, name string) map[string]any {
	o, _ := fields[name].(map[string]any)
	return o
}

// nothingIn reports whether all numbers directly in an object are 0.
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

// foreignSource reports whether a report comes from another source than mtrace's own traces. It is only used for
// reports of older versions, which do not list what was not recorded.
func foreignSource(source map[string]any) bool {
	kind, _ := source["kind"].(string)
	return kind != "" && kind != "mtrace"
}
