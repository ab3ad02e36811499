// Package explain says in plain words what a verdict means, how it is found and what to do: for who does not know Metal.
package explain

import (
	"strings"

	"mtrace/docs"
)

// Verdicts are the names that have a section, in the order of docs/verdicts.md.
func Verdicts() (names []string) {
	for line := range strings.Lines(docs.Verdicts) {
		if name, found := strings.CutPrefix(strings.TrimRight(line, "\n"), "## "); found {
			names = append(names, name)
		}
	}
	return names
}

// Verdict is the paragraphs of a verdict's section, each in one line; none when there is no such section.
func Verdict(name string) (paragraphs []string) {
	_, after, found := strings.Cut(docs.Verdicts, "\n## "+name+"\n")
	if !found {
		return nil
	}
	section, _, _ := strings.Cut(after, "\n## ")
	for paragraph := range strings.SplitSeq(strings.TrimSpace(section), "\n\n") {
		paragraphs = append(paragraphs, strings.Join(strings.Fields(paragraph), " "))
	}
	return paragraphs
}
