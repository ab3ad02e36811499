package gate

import (
	"fmt"
	"io"
	"strings"
)

// How a workflow command is escaped: the value after the second colon pair, and properties, of which a comma or a colon
// would be the end (https://github.com/actions/toolkit, packages/core/src/command.ts).
var (
	annotationText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteAnnotations writes a workflow command of GitHub Actions for each case that failed, an error, as where nothing is
// decided, and for each warning.
func (g *Gate) WriteAnnotations(w io.Writer) error {
	var b strings.Builder
	if g.Undecided != "" {
		annotate(&b, "error", g.Command, g.Undecided)
	}
	for _, warning := range g.Warnings {
		annotate(&b, "warning", g.Command, warning)
	}
	for _, c := range g.Cases {
		if c.Outcome == Failed {
			annotate(&b, "error", g.Command+" "+c.Name, c.Why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func annotate(b *strings.Builder, level, title, text string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", level, annotationProperty.Replace(title), annotationText.Replace(text))
}
