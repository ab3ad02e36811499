// Package docs has the pages that the program prints.
package docs

import (
	_ "embed"
	"strings"
)

// Verdicts is the page verdicts.md, which `mtrace explain` prints: an introduction, and a section "## NAME" for each
// verdict.
//
//go:embed verdicts.md
var Verdicts string

//go:embed terms.md
var termsPage string

// Insights is the page insights.md, which `mtrace explain` prints: an introduction, and a section "## ID" for each rule
// of analyze/insight, whose tests write the page.
//
//go:embed insights.md
var Insights string

// Terms is the first part of the page terms.md, which `mtrace explain` prints: an introduction, and a section "## TERM"
// for each term. The definitions of keys and labels are behind it.
var Terms, _, _ = strings.Cut(termsPage, "\n# Definitions\n")
