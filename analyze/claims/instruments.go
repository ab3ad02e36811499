package claims

import (
	"encoding/json"
	"slices"
)

// unsaid are the parts of a report that are not in recordings without calls, waits, locks and losses, as those of
// Instruments: what is there is not what was found, but that nothing was looked for.
var unsaid = []string{"events", "lost", "overhead", "calls", "call_sites", "fusion_candidates"}

// unsaidOfThreads are those of each thread; of its time only the encoding is recorded.
var unsaidOfThreads = []string{"waits", "events", "dispatches", "signal_wait_ns", "lost_to_others_share", "hands_over"}

// leaveUnsaid makes null what a report on a recording of Instruments does not tell, so that a claim of it is skipped.
func leaveUnsaid(doc any) {
	fields, _ := doc.(map[string]any)
	source := object(fields, "source")
	if lacks, says := source["not_recorded"].([]any); says && !slices.Contains(lacks, any("calls")) || !says &&
		!foreignSource(source) {
		return
	}
	forget(fields, unsaid...)
	for _, part := range []string{"memory", "compile"} { // tables that not every recording has
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
	if verdict["verdict"] == "none" { // it may be any of those that waits and locks would show
		forget(verdict, "verdict", "share", "confidence", "causes")
	}
}

func object(fields map[string]any, name string) map[string]any {
	o, _ := fields[name].(map[string]any)
	return o
}

// nothingIn says that all numbers of an object are 0.
func nothingIn(fields map[string]any) bool {
	for _, v := range fields {
		if n, is := v.(json.Number); is && n != "0" {
			return false
		}
	}
	return true
}

// forget makes fields null that are there.
func forget(fields map[string]any, names ...string) {
	for _, name := range names {
		if _, there := fields[name]; there {
			fields[name] = nil
		}
	}
}

// foreignSource says whether a report that does not say what was not recorded, as older ones, is not of a trace of our
// own.
func foreignSource(source map[string]any) bool {
	kind, _ := source["kind"].(string)
	return kind != "" && kind != "mtrace"
}
