package bench

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const end = `{"type":"end"}` + "\n"

// An output that is cut short, or contains something unknown, is refused: half a result printed as a whole one would be
// believed.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, stream, says string }{
		{"nothing", "", "results are incomplete"},
		{"cut", `{"type":"case","bench":"b","case":"k=1","flop":0,"bytes":0}` + "\n", "results are incomplete"},
		{"cut in a line", `{"type":"case","bench":"b"`, "line 1"},
		{"no JSON", "hello\n" + end, "line 1"},
		{"unknown type", `{"type":"surprise"}` + "\n" + end, `unknown type "surprise"`},
		{"more after the end", end + end, "must be the last"},
		{"no number", `{"type":"series","bench":"b","case":"k=1","metric":"wall_ns","round":0,"samples":["x"]}` + "\n" + end,
			"line 1"},
		{"not finite", `{"type":"series","bench":"b","case":"k=1","metric":"wall_ns","round":0,"samples":[1e999]}` + "\n" +
			end, "line 1"},
		{"no metric", `{"type":"series","bench":"b","case":"k=1","round":0,"samples":[1]}` + "\n" + end, "metric"},
		{"no case", `{"type":"series","bench":"b","metric":"wall_ns","round":0,"samples":[1]}` + "\n" + end,
			"names no benchmark or no case"},
		{"round below 0", `{"type":"series","bench":"b","case":"c","metric":"wall_ns","round":-1,"samples":[1]}` + "\n" +
			end, "round -1"},
		{"a round too many", `{"type":"series","bench":"b","case":"c","metric":"wall_ns","round":1000000000,"samples":[1]}` +
			"\n" + end, "round 1000000000"},
		{"a fact that is no number", `{"type":"case","bench":"b","case":"c","flop":null,"bytes":0}` + "\n" + end,
			"without flop"},
	} {
		err := new(Results).Read(strings.NewReader(c.stream), Process{}, nil)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.says)
		}
	}
}

func TestReadJoinsProcesses(t *testing.T) {
	var r Results
	for round := range 3 {
		for _, label := range []string{"traced=no", "traced=yes"} {
			stream := `{"type":"series","bench":"calls","case":"call=x","metric":"call_ns","round":0,"samples":[1,2]}` + "\n" +
				`{"type":"skipped","bench":"calls","part":"p","reason":"because"}` + "\n" + end
			if err := r.Read(strings.NewReader(stream), Process{Round: round, Label: label}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := r.Find("calls", "call=x", "traced=yes")
	if c == nil || len(c.Series("call_ns").Rounds) != 3 || len(c.Series("call_ns").Rounds[2]) != 2 {
		t.Errorf("rounds of processes are not joined: %+v", c)
	}
	if len(r.Skipped) != 1 {
		t.Errorf("%d remarks, want the same one once", len(r.Skipped))
	}
	if r.Find("calls", "call=y") != nil || r.Find("other", "call=x") != nil {
		t.Error("found what is not there")
	}
}

// FuzzRead feeds the reader anything: it must refuse or understand, and whatever it understood must make tables.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("no streams: %v", err)
	}
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(stream) > 3000 { // the golden files contain whole streams
			stream = append(stream[:bytes.LastIndexByte(stream[:3000], '\n')+1], end...)
		}
		f.Add(stream)
	}
	f.Add([]byte(`{"type":"check","bench":"b","case":"c","ok":false,"compared":1,"worst":1e308}` + "\n" + end))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var r Results
		if r.Read(bytes.NewReader(stream), Process{}, func(Progress) {}) != nil {
			return
		}
		// of one benchmark, whatever the results are of
		report := Report{Runs: []Run{{Bench: All()[len(stream)%len(All())], Results: &r}}}
		for _, b := range All() {
			if slices.ContainsFunc(r.Cases, func(c *Case) bool { return c.Bench == b.Program || c.Bench == b.Name }) {
				report.Runs = append(report.Runs, Run{Bench: b, Results: &r})
			}
		}
		if err := report.WriteText(io.Discard); err != nil {
			t.Error(err)
		}
		if err := report.WriteMarkdown(io.Discard); err != nil {
			t.Error(err)
		}
		if err := report.WriteJSON(io.Discard); err != nil {
			t.Error(err)
		}
	})
}
