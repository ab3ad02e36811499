package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
	"mtrace/fixtures/longtrace"
)

// TestExportLong: a trace that does not fit into memory is exported slice by slice, in every format, with each call
// once.
func TestExportLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	calls, err := longtrace.Write(path, longtrace.Shapes[0], 60_000, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer func(was report.Limits) { loading.Sliced = was }(loading.Sliced)
	loading.Sliced = report.Limits{Whole: 10_000, Summed: 10_000}
	out := filepath.Join(t.TempDir(), "out")
	job := ExportJob{Formats: FormatNames(AnyFormat), Output: out}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if err := job.run(cli.Stdio{Out: null, Err: os.Stderr}, []string{path}); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(filepath.Join(out, "long.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(lines), `{"table":"calls"`); int64(n) != calls {
		t.Errorf("%d calls of %d were written", n, calls)
	}
	for _, name := range []string{"long.pftrace", "long.chrome.json", "long.csv/calls.csv", "long.parquet/calls.parquet"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < calls {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}
