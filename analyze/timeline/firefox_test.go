package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/fixtures/consumers"
	"mtrace/fixtures/tracetest"
)

func firefoxOf(b *bytes.Buffer) *Writer { return NewFirefox(b) }

// firefoxMarkers reads a file as Firefox's profiler does: tables are lists of rows, and a schema gives the position of
// each value in a row.
func firefoxMarkers(t testing.TB, data []byte) (shown []string) {
	t.Helper()
	var file struct {
		Meta struct {
			Version      int
			Categories   []struct{ Name, Color string }
			MarkerSchema []struct{ Name string }
		}
		Threads []struct {
			Name        string
			PID, TID    int64
			StringTable []string
			Markers     struct {
				Schema map[string]int
				Data   [][]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil || file.Meta.Version != 31 || len(file.Meta.MarkerSchema) != 1 {
		t.Fatalf("%v, %+v:\n%.500s", err, file.Meta, data)
	}
	for _, th := range file.Threads {
		for _, row := range th.Markers.Data {
			var name, phase, category int
			var begin, end json.Number
			var payload struct{ Type, Details string }
			for column, into := range map[string]any{"name": &name, "startTime": &begin, "endTime": &end, "phase": &phase,
				"category": &category, "data": &payload} {
				if err := json.Unmarshal(row[th.Markers.Schema[column]], into); err != nil {
					t.Fatalf("%s of %s: %v", column, row, err)
				}
			}
			if phase != 1 || payload.Type != file.Meta.MarkerSchema[0].Name || file.Meta.Categories[category].Name == "" ||
				th.Name == "" {
				t.Fatalf("%s on %q", row, th.Name)
			}
			shown = append(shown, fmt.Sprintf("%s %s-%s", th.StringTable[name], nanosOf(begin), nanosOf(end)))
		}
	}
	slices.Sort(shown)
	return shown
}

// nanosOf is a number of milliseconds with six places as nanoseconds.
func nanosOf(n json.Number) string {
	whole, rest, _ := strings.Cut(n.String(), ".")
	return strings.TrimLeft(whole+rest, "0")
}

// Firefox's profiler shows the slices that Perfetto shows, at the same times from the first on.
func TestFirefoxShowsEveryCall(t *testing.T) {
	path := tracetest.Small(t)
	data, _ := write(t, path, firefoxOf)
	perfetto, _ := write(t, path, perfettoOf)
	same, _ := replay(t, perfetto)
	first := same[0].begin
	for _, s := range same {
		first = min(first, s.begin)
	}
	var want []string
	for _, s := range same {
		want = append(want, fmt.Sprintf("%s %s-%s", s.name, nanosOf(json.Number(fmt.Sprint(s.begin-first))),
			nanosOf(json.Number(fmt.Sprint(s.end-first)))))
	}
	slices.Sort(want)
	if got := firefoxMarkers(t, data); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("Firefox shows\n%s\nPerfetto\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Mozilla's own reader takes the file, and has every marker of it.
func TestFirefoxIsReadByMozillas(t *testing.T) {
	cli := consumers.Program(t, "profiler-cli")
	path := filepath.Join(t.TempDir(), "t.json")
	data, _ := write(t, tracetest.Small(t), firefoxOf)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	run := func(args ...string) string {
		out, err := exec.Command(cli, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("load", path)
	defer run("stop", "--all")
	all := run("profile", "markers", "--limit", "500")
	for _, name := range []string{"commit", "waitUntilCompleted", "axpy", "matmul"} {
		if !strings.Contains(all, name) {
			t.Errorf("there is no %s:\n%s", name, all)
		}
	}
}
