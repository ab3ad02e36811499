// Package explain finds the meaning of a verdict, an insight or a term of the report.
package explain

import (
	"regexp"
	"slices"
	"strings"

	"mtrace/docs"
)

// otherNames maps other words, such as columns of the report and JSON keys, to the verdict or term under which they
// are explained.
var otherNames = map[string]string{
	"foreign": "cross-thread", "others": "cross-thread", "wait-foreign": "cross-thread", "run": "executing",
	"exec": "executing",
	"wake": "notify", "start": "scheduling", "sched": "scheduling", "q.own": "queued", "q.oth": "queued",
	"q.other":        "queued",
	"wait-executing": "executing", "wait-queued-own": "queued", "wait-queued-other": "queued", "wait-notify": "notify",
	"wait-scheduling": "scheduling",
	"slot":            "acquire", "outside": "outside-metal", "softmetal": "software-metal", "clear": "confidence",
	"likely": "confidence", "close-call": "confidence",
	"global-interpreter-lock": "gil", "-pyruntime": "gil", "prediction": "replay", "predicted": "replay",
	"lock":     "lock-contention",
	"measured": "kernel-time", "fitted": "kernel-time", "not-identified": "kernel-time", "estimated": "kernel-time",
	"ns-per-event": "overhead", "records-lost": "lost", "device-wide": "device-wide-sync",
	"single-submission": "single-submitter", "compile": "compile-bound", "idle": "idle-gap", "gap": "idle-gap",
	"idle-gaps": "idle-gap", "causes": "cause", "faults": "fault", "limits": "limit", "insights": "insight",
	"notes": "insight", "site": "call-site", "call-sites": "call-site", "pipeline": "pipeline-state",
	"hangs": "hang", "deadlock": "hang", "not-signalled": "hang", "not-committed": "hang",
}

// Verdicts returns the names of all verdicts, in the order of docs/verdicts.md.
func Verdicts() []string { return sections(docs.Verdicts) }

// Insights returns the ids of all insights, in the order of docs/insights.md.
func Insights() []string { return sections(docs.Insights) }

// All returns the names of all verdicts, insights and terms.
func All() []string { return slices.Concat(Verdicts(), Insights(), Terms()) }

// Terms returns the other terms that `mtrace explain` knows, in the order of docs/terms.md.
func Terms() []string { return sections(docs.Terms) }

// Find looks up `asked`, the name of a verdict, insight or term. It returns the name as documented and the paragraphs
// that explain it, each as one line; none if the name is unknown. Case, blanks, dashes, underscores and a final "_ns"
// make no difference.
func Find(asked string) (name string, paragraphs []string) {
	key := strings.TrimSuffix(normalized(asked), "-ns")
	if other := otherNames[key]; other != "" {
		key = other
	}
	for _, page := range []string{docs.Verdicts, docs.Insights, docs.Terms} {
		for _, name := range sections(page) {
			if normalized(name) == key {
				return name, section(page, name)
			}
		}
	}
	return "", nil
}

// normalized returns a name in lower case, with dashes for blanks and underscores.
func normalized(name string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// sections returns the titles of a Markdown page's sections (## lines).
func sections(page string) (names []string) {
	for line := range strings.Lines(page) {
		if name, found := strings.CutPrefix(strings.TrimRight(line, "\n"), "## "); found {
			names = append(names, name)
		}
	}
	return names
}

// link matches a link to another page of the documentation.
var link = regexp.MustCompile(`\[([^\]]*)\]\(([a-z-]+\.md)(?:#[^)]*)?\)`)

// section returns the paragraphs of the section with this title, each as one line. A link becomes its text,
// followed by the name of the page.
func section(page, name string) (paragraphs []string) {
	_, after, _ := strings.Cut(page, "\n## "+name+"\n")
	text, _, _ := strings.Cut(after, "\n## ")
	text = link.ReplaceAllString(text, "$1 (docs/$2)")
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		paragraphs = append(paragraphs, strings.Join(strings.Fields(paragraph), " "))
	}
	return paragraphs
}
