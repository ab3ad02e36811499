package collector

import (
	"bytes"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// scribble acts like a program that overwrites memory outside its own: every counter is nonsense. Records that are not
// yet drained are lost with the counter that marks their end, so scribble waits for the drainer: on a busy machine the
// last ten records were missing. Records that a drainer has sent and the collector has not read are lost with the
// connection, which nonsense ends, so the task has no drainer. Both are reported: the losses are unknown.
func (t task) scribble(region wiretest.Region) {
	const nonsense = 0x7965746f6c737373
	for !region.Opened(0).Drained() {
		time.Sleep(time.Millisecond)
	}
	for _, offset := range []int{wire.RegionUnringedOffset, wire.RegionUnnumberedOffset, wire.RegionForksOffset,
		wire.RegionRejectedOffset} {
		region.Count(offset, nonsense)
	}
	for i := range t.Threads {
		thread := region.Opened(i)
		for _, offset := range []int{wire.RingDroppedOffset, wire.RingFactsDroppedOffset, wire.RingCommitsOffset,
			wire.RingCommitsMissedOffset,
			wire.RingCompletionsOffset, wire.RingNestedOffset, wire.RingNestedOffset + 8} {
			thread.Count(offset, nonsense+uint64(i))
		}
	}
	region.Opened(0).Count(wire.RingHeadOffset, math.MaxInt64/4)
}

// TestNonsense: impossible counters are reported and left out, the records are kept, and the other process has exactly
// its own numbers. Reports used to add them up: "8,747,898,258,578,197,657 records dropped", or a total below zero.
func TestNonsense(t *testing.T) {
	r := startRecording(t)
	honest, truth := task{Threads: 2, PerStep: 10, Pause: time.Millisecond, Calls: 500, Drain: "yes"}.start(t, r.Address())
	odd, made := task{Threads: 2, PerStep: 10, Pause: time.Millisecond, Calls: 500, Drain: "no", Nonsense: true}.start(t,
		r.Address())
	for _, cmd := range []*exec.Cmd{odd, honest} {
		r.wait(cmd)
	}
	trace, result := r.finish()
	if result.Lost != 0 {
		t.Errorf("%d lost: %q", result.Lost, result.Warnings)
	}
	if said := strings.Join(result.Warnings, "\n"); !strings.Contains(said,
		"dropped records, more than its running time allows") {
		t.Errorf("not said: %s", said)
	}
	for i, p := range trace.Processes() {
		of := made
		if p.PID == honest.Process.Pid {
			of = truth
			if p.End.Lost() != 0 || len(p.End.Distrusted) != 0 || p.End.Note != "" {
				t.Errorf("the honest process: %+v", p.End)
			}
		} else if len(p.End.Distrusted) < 8 ||
			p.End.Unringed+p.End.Unnumbered+p.End.Forks+p.End.Rejected+p.End.Nested+p.End.Commits.Reached != 0 {
			t.Errorf("the other one: %+v", p.End)
		}
		checkThreads(t, trace, tracefile.ProcessIndex(i), of, 2, false)
	}
	loaded, err := analyze.Load(r.path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if l := loaded.Recording.Lost; l.Records != 0 || !l.AtLeast || l.Facts != 0 || l.Nested != 0 || l.Children != 0 {
		t.Errorf("%+v", l)
	}
	var text bytes.Buffer
	if err := report.Build(loaded, report.Options{}).WriteText(&text, report.Options{All: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "LOSSES NOT KNOWN") || strings.Contains(text.String(), "none lost") {
		t.Errorf("%s", text.String())
	}
}

// TestNonsenseInFile: a file that an older mtrace wrote, or that was made up, is believed no more than a process.
func TestNonsenseInFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		p := w.AddProcess(wiretest.Hello())
		w.EndProcess(p, tracefile.End{Unringed: math.MaxUint64, Rejected: 1 << 63,
			Rings: []tracefile.RingEnd{{Head: math.MaxUint64 - 3, Dropped: 1 << 63,
				Losses: []tracefile.Loss{{Records: 1 << 63}}}, {Ring: 1, Dropped: 7}}})
	}
	if err := w.Close(tracefile.Result{}); err != nil {
		t.Fatal(err)
	}
	loaded, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if l := loaded.Recording.Lost; l.Records != 21 || !l.AtLeast || l.Rejected != 0 {
		t.Errorf("%+v", l)
	}
	if said := strings.Join(loaded.Warnings, "\n"); strings.Count(said, "which is impossible") != 15 {
		t.Errorf("%s", said)
	}
}
