package summary_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/report"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
	"mtrace/fixtures/xctrace/export"
)

// exportsVariable names a folder of files that Apple's xctrace wrote, for users who have some: they are not in the
// project.
const exportsVariable = "MTRACE_XCTRACE_EXPORTS"

// TestOneJudge: mtrace xctrace and mtrace report give the same verdict, with the same sentence, and the same figures of
// the GPU. Each had rules of its own: a GPU was saturated at 90% in one and at 93% in the other, and one reported
// launch-bound where the other reported nothing.
func TestOneJudge(t *testing.T) {
	for name, c := range map[string]export.Config{
		"saturated":        {Seed: 1, CommandBuffers: 400, Threads: 4, GPUNanos: 80_000},
		"small work, sync": {Seed: 2, CommandBuffers: 200, Wait: true, GPUNanos: 4_000},
		"large work, sync": {Seed: 3, CommandBuffers: 200, Wait: true, GPUNanos: 400_000},
		"several, sync":    {Seed: 4, CommandBuffers: 200, Threads: 3, Wait: true, GPUNanos: 10_000},
		"too few":          {Seed: 5, CommandBuffers: 5},
		"one waits":        {Seed: 6, CommandBuffers: 200, Threads: 1, GPUNanos: 2_000, EncodeNanos: 60_000},
		"one at a time":    {Seed: 8, CommandBuffers: 300, Threads: 4, Wait: true, Exclusive: true, GPUNanos: 60_000},
		"beside others":    {Seed: 13, CommandBuffers: 300, Threads: 3, Encoders: 2, Compositor: true, Labels: 4},
		"between 90 and 93": {Seed: 21, CommandBuffers: 60, Threads: 3, Encoders: 3, Wait: true, Names: 3, Channels: true,
			Compositor: true, GPUNanos: 9_000},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := export.Record(c).WriteFolder(folder); err != nil {
				t.Fatal(err)
			}
			oneJudge(t, folder)
		})
	}
	t.Run("recording", func(t *testing.T) {
		oneJudge(t, filepath.Join("..", "..", "..", "fixtures", "xctrace",
			"recording"))
	})
	folder := os.Getenv(exportsVariable)
	if folder == "" {
		t.Logf("%s names no folder with exports of Apple's xctrace", exportsVariable)
		return
	}
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".xml" {
			t.Run(filepath.Base(path), func(t *testing.T) { oneJudge(t, path) })
		}
		return nil
	})
}

// oneJudge compares the summary of an export with the report on it.
func oneJudge(t *testing.T, path string) {
	t.Helper()
	inputs, _, err := xctrace.Inputs([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := xctrace.Load(inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		s, err := summary.Of(recording, summary.Filter{All: all})
		if err != nil {
			t.Fatal(err)
		}
		trace, err := summary.Trace(recording, summary.Filter{All: all})
		if err != nil {
			t.Fatal(err)
		}
		r := report.Build(trace, report.Options{})
		v := &r.Serialization
		if v.Verdict != s.Verdict.Verdict || v.Summary != s.Verdict.Summary || len(v.RuledOut) != len(s.Verdict.RuledOut) {
			t.Errorf("the report: %s: %s\nthe summary: %s: %s", v.Verdict, v.Summary, s.Verdict.Verdict, s.Verdict.Summary)
		}
		for _, c := range v.Causes {
			if said := strings.Join(s.Verdict.Evidence, "\n"); !strings.Contains(said, c.Evidence[0]) {
				t.Errorf("the summary does not say %q:\n%s", c.Evidence[0], said)
			}
		}
		if g := s.GPU; g != nil && (int64(g.Own.BusyNS) != r.GPU.BusyNS ||
			math.Abs(g.Own.BusyShare-r.GPU.BusyShare) > 1e-9 || int64(g.Own.SumNS) != r.GPU.SumNS) {
			t.Errorf("GPU of the report %d ns, %.4f, sum %d; of the summary %+v", r.GPU.BusyNS, r.GPU.BusyShare, r.GPU.SumNS,
				g.Own)
		}
	}
}
