package main

import (
	"path/filepath"
	"strings"
	"testing"

	"mtrace/fixtures/schema"
)

// The schema that is published is the one of what is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", "mtrace.version/1", "What `mtrace version --json` says.", versions{}, *update); err != nil {
		t.Error(err)
	}
}

// Every document that a command prints is one of its published schema: programs read them by it.
func TestDocumentsAreOfTheirSchemas(t *testing.T) {
	needTruth(t)
	needRawmetal(t)
	dir := t.TempDir()
	trace, claims := filepath.Join(dir, "t.mtrace"), filepath.Join("..", "..", "fixtures", "claims", "workload.json")
	program := []string{"python3", workload(t), "--op", "matmul", "--size", "16", "--threads", "2", "--iters", "20", "--json"}
	if r := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "-o", trace, "--"}, program...)...); r.exit != 0 {
		t.Fatalf("%+v", r)
	}
	sweep := append([]string{"sweep", "--json", "--threads", "1,2,3", "--"}, program...)
	sweep[len(sweep)-4] = "{threads}"
	for name, args := range map[string][]string{
		"mtrace.version/1": {"version", "--json"},
		"mtrace.report/1":  {"report", "--json", trace},
		"mtrace.diff/1":    {"diff", "--json", trace, trace},
		"mtrace.check/1":   {"check", "--json", "--claims", claims, trace},
		"mtrace.scaling/1": sweep,
		"mtrace.xctrace/1": {"xctrace", "--json", filepath.Join("..", "..", "fixtures", "xctrace", "recording")},
		"mtrace.doctor/1":  {"doctor", "--json"},
		"mtrace.bench/1":   {"bench", "--json", "--quick", "--iters", "8", "--threads", "1", "--shaders", shaders, "scaling"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sh(t, "", nil, tool.mtrace, args...)
			if r.exit > 1 || !strings.Contains(r.stdout, `"`+name+`"`) {
				t.Fatalf("%+v", r)
			}
			if err := schema.Validate("../..", []byte(r.stdout)); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("mtrace.events/1", func(t *testing.T) {
		t.Parallel()
		r := sh(t, "", nil, tool.mtrace, "export", "--format", "jsonl", "-o", "-", trace)
		if r.exit != 0 || r.stdout == "" {
			t.Fatalf("%+v", r)
		}
		kinds := map[string]bool{} // one line of each kind is enough
		for line := range strings.Lines(r.stdout) {
			kind := kindOfLine(line)
			if kinds[kind] {
				continue
			}
			kinds[kind] = true
			if err := schema.ValidateAs("../..", "mtrace.events/1", []byte(line)); err != nil {
				t.Errorf("%s%v", line, err)
			}
		}
	})
}

// kindOfLine is a line without its values.
func kindOfLine(line string) string {
	words := strings.Split(line, `"`)
	var keys []string
	for i := 1; i+1 < len(words); i += 2 {
		if strings.HasPrefix(words[i+1], ":") {
			keys = append(keys, words[i])
		}
	}
	return strings.Join(keys, " ")
}
