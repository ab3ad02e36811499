package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze/query"
	"mtrace/cmd/mtrace/internal/convert"
)

// TestExportPartition: the exports of two runs are in one dataset, each in the folder of its host and run, with the
// same content as the plain export; a repeated export replaces its own.
func TestExportPartition(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		trace := smallTrace(t)
		for _, force := range []string{"--force=false", "--force"} {
			if got := sh(t, dir, nil, tool.mtrace, "export", force, "--format", "parquet", "--partition", "run", "-o", "set",
				trace); got.exit != 0 || got.stdout != "set\n" {
				t.Fatalf("%+v", got)
			}
		}
		if got := sh(t, dir, nil, tool.mtrace, "export", "--force", "--format", "parquet", "-o", "plain",
			trace); got.exit != 0 {
			t.Fatalf("%+v", got)
		}
	}
	runs, err := filepath.Glob(filepath.Join(dir, "set", "calls", "host="+convert.HiveValue(host), "run=*",
		"calls.parquet"))
	if err != nil || len(runs) != 2 {
		t.Fatalf("%v: %q", err, runs)
	}
	slices.Sort(runs)
	ask := query.Query{Table: "calls", GroupBy: []string{"selector"}}
	last, err := query.Run(filepath.Dir(runs[1]), ask)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := query.Run(filepath.Join(dir, "plain"), ask)
	if err != nil || plain.Matched == 0 || plain.Matched != last.Matched {
		t.Errorf("%v: plain %+v, in the dataset %+v", err, plain, last)
	}
	if parts, err := filepath.Glob(filepath.Join(dir, "set", "*", "*", "*", "*.part")); err != nil || len(parts) > 0 {
		t.Errorf("left behind: %q", parts)
	}
	for _, c := range [][]string{{"--format", "parquet", "--partition", "colour"}, {"--format", "perfetto", "--partition",
		"run"}, {"--format", "parquet,csv", "--partition", "run"}} {
		got := sh(t, dir, nil, tool.mtrace, append(append([]string{"export", "-o", "x"}, c...), "t.mtrace")...)
		if got.exit != 2 || !strings.Contains(got.stderr, "--partition") {
			t.Errorf("%q: %+v", c, got)
		}
	}
}

func TestHiveValue(t *testing.T) {
	for value, want := range map[string]string{"mac-1.local": "mac-1.local", "a/b=c%": "a%2Fb%3Dc%25", "..": "%2E.",
		"": "__HIVE_DEFAULT_PARTITION__"} {
		if got := convert.HiveValue(value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}
