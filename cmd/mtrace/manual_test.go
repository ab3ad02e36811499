package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
)

// markdownPage is a command's page for the web.
func markdownPage(t *testing.T, c *cobra.Command) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := doc.GenMarkdown(c, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// manPage is a command's page for man. It has no date, or it would be another one each month.
func manPage(c *cobra.Command) []byte {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, "%% %q \"1\" \"\" \"mtrace\" \"mtrace\"\n", strings.ToUpper(name))
	fmt.Fprintf(&b, "# NAME\n%s \\- %s\n\n# SYNOPSIS\n**%s**\n\n# DESCRIPTION\n%s\n\n", name, c.Short,
		plain.Replace(c.UseLine()), c.Long)
	if c.HasAvailableFlags() {
		b.WriteString("# OPTIONS\n")
		c.Flags().VisitAll(func(f *pflag.Flag) { writeOption(&b, f) })
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "# EXAMPLE\n```\n%s\n```\n\n", c.Example)
	}
	b.WriteString("# SEE ALSO\n")
	var others []string
	if c.HasParent() {
		others = append(others, "**"+c.Root().Name()+"**(1)")
	}
	for _, child := range c.Commands() {
		if !child.Hidden {
			others = append(others, "**"+name+"-"+child.Name()+"**(1)")
		}
	}
	b.WriteString(strings.Join(others, ", ") + "\n")
	return md2man.Render([]byte(b.String()))
}

// writeOption writes the description of a flag under its names.
func writeOption(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	argument, usage := pflag.UnquoteUsage(f)
	if f.Shorthand != "" {
		fmt.Fprintf(b, "**-%s**, ", f.Shorthand)
	}
	fmt.Fprintf(b, "**--%s**", f.Name)
	if argument != "" {
		fmt.Fprintf(b, " _%s_", plain.Replace(argument))
	}
	fmt.Fprintf(b, "\n: %s", plain.Replace(usage))
	switch f.DefValue {
	case "", "[]", "false", "0", "0s": // nothing was asked for
	default:
		fmt.Fprintf(b, " (default %s)", plain.Replace(f.DefValue))
	}
	b.WriteString("\n\n")
}

// plain keeps Markdown from reading a text of help as more than a text.
var plain = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "]", `\]`, "|", `\|`)

// The pages of docs/commands and docs/man are made from the table of commands, and there are no others.
func TestManualIsCurrent(t *testing.T) {
	root := tree(cli.Stdio{})
	root.Short, root.Long = "trace a program's use of Metal and say why it does not go faster", about
	root.DisableAutoGenTag = true
	want := map[string][]byte{}
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		if c.Hidden {
			continue
		}
		c.DisableAutoGenTag = true
		c.Flags().VisitAll(cli.PlainDefault)
		want["../../docs/commands/"+strings.ReplaceAll(c.CommandPath(), " ", "_")+".md"] = markdownPage(t, c)
		want["../../docs/man/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = manPage(c)
	}
	for _, pattern := range []string{"../../docs/commands/*", "../../docs/man/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if _, made := want[path]; made {
				continue
			}
			if t.Errorf("%s is the page of no command", path); *update {
				os.Remove(path)
			}
		}
	}
	for path, text := range want {
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not current: run go test ./cmd/mtrace -run Manual -update", path)
		}
	}
}
