package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/bench"
)

// Every row of the field reports has a command that the tool accepts as it is: with its values, and names of
// benchmarks.
func TestFieldReportsHaveCommands(t *testing.T) {
	known := map[string]bool{"all": true}
	for _, b := range bench.All() {
		known[b.Name] = true
	}
	rows := 0
	for line := range strings.Lines(documents(t)["fixtures/claims/field-reports.md"]) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[2]) == "here" {
			continue
		}
		rows++
		shown := strings.Trim(strings.TrimSpace(cells[2]), "`")
		words := strings.Fields(shown)
		if len(words) < 2 || words[0] != "mtrace" {
			t.Errorf("%q is no command of the tool", shown)
			continue
		}
		for _, c := range commands() {
			if c.Name != words[1] {
				continue
			}
			flags := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
			flags.SetInterspersed(!c.Whole)
			c.Setup(flags)
			if err := flags.Parse(words[2:]); err != nil {
				t.Errorf("%s: %v", shown, err)
			}
			for _, name := range flags.Args() {
				if c.Name == "bench" && !known[name] {
					t.Errorf("%s: there is no benchmark %q", shown, name)
				}
			}
		}
	}
	if rows < 25 {
		t.Errorf("%d rows", rows)
	}
}
