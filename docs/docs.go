// Package docs has the pages that the program prints.
package docs

import _ "embed"

// Verdicts is verdicts.md: an introduction, and a section for each verdict, "## NAME".
//
//go:embed verdicts.md
var Verdicts string
