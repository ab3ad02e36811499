package gate

import (
	"fmt"
	"io"
	"strings"
)

// Characters that GitHub's workflow commands require to be escaped. In a property, commas and colons must be escaped
// too, because a property ends at them (https://github.com/actions/toolkit, packages/core/src/command.ts).
var (
	annotationText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteAnnotations writes a workflow command of GitHub Actions for each warning and for each failed case, which
// GitHub shows at the pull request. If nothing could be decided, that is written as an error too.
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
