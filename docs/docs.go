// Package docs has the pages that the program prints.
package docs

import _ "embed"

// Verdicts is the page verdicts.md, which `mtrace explain` prints: an introduction, and a section "## NAME" for each
// verdict.
//
//go:embed verdicts.md
var Verdicts string

// Terms is the page terms.md, which `mtrace explain` prints: an introduction, and a section "## TERM" for each term.
//
//go:embed terms.md
var Terms string
