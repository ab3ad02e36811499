// Package docs has the pages that the program prints.
package docs

import _ "embed"

// Verdicts is verdicts.md: an introduction, and a section for each verdict, "## NAME".
//
//go:embed verdicts.md
var Verdicts string

// Terms is terms.md: an introduction, and a section for each term, "## TERM".
//
//go:embed terms.md
var Terms string
