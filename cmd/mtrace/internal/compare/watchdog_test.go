package compare

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// A benchmark on a GPU that hangs prints nothing more: the watchdog must notice.
func TestWatchdog(t *testing.T) {
	in, out := io.Pipe()
	w := watch(in, 50*time.Millisecond, func() { out.CloseWithError(os.ErrDeadlineExceeded) })
	go out.Write([]byte("x"))
	if text, err := io.ReadAll(w); string(text) != "x" || err != os.ErrDeadlineExceeded || !w.stop() {
		t.Errorf("read %q, %v", text, err)
	}
	quick := watch(strings.NewReader("x"), time.Hour, func() {})
	if text, err := io.ReadAll(quick); string(text) != "x" || err != nil || quick.stop() {
		t.Errorf("read %q, %v", text, err)
	}
}

// TestReportedThroughput finds the last figure that a program printed of itself.
func TestReportedThroughput(t *testing.T) {
	for printed, want := range map[string]float64{
		`{"ops_per_s": 12.5}`:                        12.5,
		"hello\n{\"ops_per_s\": 3, \"x\": [1]}\nbye": 3,
		"{\"ops_per_s\": 1}\n{\"ops_per_s\": 2}\n":   2,
		"{\n \"ops_per_s\": 4\n}\n":                  4,
		"ops_per_s 5\n":                              0,
		`{"ops": 6}`:                                 0,
		"":                                           0,
	} {
		if got, found := reportedThroughput([]byte(printed)); got != want || found != (want != 0) {
			t.Errorf("%q: %v, %v", printed, got, found)
		}
	}
}
