package convert

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

var writers = regexp.MustCompile(`mtrace/analyze/(timeline|table)\.\S+`)

// TestFailedExportLeavesNoWriter: a failed export ends its writers. Timelines and tables have goroutines that write,
// which waited for more data until the process ended.
func TestFailedExportLeavesNoWriter(t *testing.T) {
	job := ExportJob{Formats: FormatNames(AnyFormat), Output: filepath.Join(t.TempDir(), "out")}
	if err := job.run(cli.Stdio{Out: os.Stdout, Err: os.Stderr},
		[]string{filepath.Join(t.TempDir(), "nowhere.mtrace")}); err == nil {
		t.Fatal("a trace that is not there was exported")
	}
	stacks := make([]byte, 1<<22)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if left := writers.FindAllString(string(stacks), -1); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
}
