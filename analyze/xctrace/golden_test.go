package xctrace

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// The figures read from every export of the generated recording.
func TestGoldens(t *testing.T) {
	for _, file := range exportFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".xml")
		t.Run(name, func(t *testing.T) {
			inputs, _, err := Inputs([]string{file}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Load(inputs, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, filepath.Join("testdata", "golden", name+".txt"), figures(r))
		})
	}
}

func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err, " (go test -update makes it)")
	}
	if got != string(want) {
		t.Errorf("differs from %s (go test -update, then git diff):\n%s", path, got)
	}
}

// figures writes what a recording holds.
func figures(r *Recording) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, d := range r.Documents {
		line("bytes %d, roots %d, truncated %v, illegal names %d, roots without a node %d", d.Bytes, d.Roots, d.Truncated,
			d.IllegalNames, d.EmptyRoot)
		for _, t := range d.Tables {
			line("table %q %s", t.Schema, t.XPath)
			line("  documented %v, detail %v, %d columns, %d rows, %d rejected, %d dangling, read %v", t.Documentation != "",
				t.Shape == ShapeDetail, len(t.Columns), t.Rows, t.Rejected, t.Dangling, t.Decoded)
			for _, p := range t.Problems {
				line("  %s", p)
			}
			for _, c := range t.Columns {
				line("  column %s %s", c.Mnemonic, c.Type)
			}
		}
	}
	if run := r.Run; run != nil {
		line("run %d, Instruments %s, template %s, duration %d ns, started %v, ended: %s, mode %s, limit %s", run.Number,
			run.Version, run.Template, run.Duration.Nanoseconds(),
			!run.Started.IsZero(), run.EndReason, run.Mode, run.TimeLimit)
		line("device %s, %s %s; target %s, exit status %s, %s; %d variables", run.Device.Model, run.Device.Platform,
			run.Device.OS, run.Target.Type, run.Target.ExitStatus,
			run.Target.Termination, len(run.Environment))
		line("%d processes, %d tables, %d tracks", len(run.Processes), len(run.Tables), len(run.Tracks))
		for _, s := range run.Settings {
			line("setting %s = %s", s.Key, s.Value)
		}
	}
	line("%d texts, %d processes, %d threads, %d frames, %d stacks", len(r.Texts)-1, len(r.Processes)-1, len(r.Threads)-1,
		len(r.Frames)-1, len(r.Stacks)-1)
	if len(r.GPU.Intervals) > 0 {
		var start, duration, latency int64
		var buffers, encoders, submissions uint64
		channels := map[string]int{}
		byPID := map[uint64]int{}
		for _, g := range r.GPU.Intervals {
			start += int64(g.Start)
			duration += int64(g.Duration)
			latency += int64(g.StartLatency)
			buffers += uint64(g.CommandBuffer)
			encoders += uint64(g.Encoder)
			submissions += uint64(g.Submission)
			channels[r.Text(g.Channel)]++
			byPID[r.Processes[g.Process].PID]++
		}
		line("GPU intervals %d: starts %d, durations %d, latencies %d, ids %x %x %x, channels %v, by pid %v",
			len(r.GPU.Intervals),
			start, duration, latency, buffers, encoders, submissions, channels, byPID)
	}
	if len(r.Commands.Submissions) > 0 {
		var start, duration, encoding int64
		var buffers, encoders uint64
		labels := map[string]int{}
		for _, s := range r.Commands.Submissions {
			start += int64(s.Start)
			duration += int64(s.Duration)
			encoding += int64(s.EncoderTime)
			encoders += s.Encoders
			buffers += uint64(s.CommandBuffer)
			labels[r.Text(s.Label)]++
		}
		line("submissions %d: starts %d, durations %d, encoding %d, encoders %d, ids %x, labels %v",
			len(r.Commands.Submissions),
			start, duration, encoding, encoders, buffers, labels)
	}
	if len(r.CPU.Samples) > 0 {
		var at int64
		depth := 0
		for _, s := range r.CPU.Samples {
			at += int64(s.Time)
			depth += len(r.Stacks[s.Stack])
		}
		line("CPU samples %d: times %d, frames %d", len(r.CPU.Samples), at, depth)
	}
	for _, s := range r.CPU.Signposts {
		line("signpost %s at %d for %d", r.Text(s.Name), int64(s.Start), int64(s.Duration))
	}
	return b.String()
}
