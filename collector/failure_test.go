package collector

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A process that starts after the collector's socket was removed, as cleaners of temporary folders do, is not in the
// trace. Its report began with "0 calls, none lost" (found by the torture test). Processes that are already connected
// continue.
func TestSocketRemoved(t *testing.T) {
	r := startRecording(t)
	cmd, truth := task{Threads: 1, PerStep: 50, Pause: time.Millisecond, Calls: 2000, Drain: "yes"}.start(t, r.Address())
	for totalCalls(truth, 1) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := os.RemoveAll(filepath.Dir(r.Address())); err != nil {
		t.Fatal(err)
	}
	r.wait(cmd)
	trace, result := r.finish()
	checkThreads(t, trace, 0, truth, 1, false)
	if ended, _ := trace.Result(); len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0],
		"was removed during the recording") || ended.Unreachable != result.Warnings[0] {
		t.Errorf("%q, in the trace %q", result.Warnings, ended.Unreachable)
	}
	loaded, err := analyze.Load(r.path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !loaded.Recording.Lost.AtLeast || !slices.Contains(loaded.Warnings, result.Warnings[0]) {
		t.Errorf("%+v, %q", loaded.Recording.Lost, loaded.Warnings)
	}
}

// On a full disk the error is reported, the written part reads as a cut trace, and the program continues. Although
// nothing can be written any more, the trace knows to the last record how many it lacks. It used to know nothing:
// reports called 36,838 calls of 405,105 "none lost".
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := mountSmall(dir, 256<<10); err != nil {
		t.Skip("no small file system can be mounted here: ", err)
	}
	t.Cleanup(func() { unmount(dir) })
	path := filepath.Join(dir, "t.mtrace")
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	failed := make(chan error, 1)
	c, err := New(Options{Writer: w, Log: zerolog.New(zerolog.SyncWriter(&log)),
		Failed: func(err error) { failed <- err }})
	if err != nil {
		t.Fatal(err)
	}
	go c.Serve(context.Background())
	cmd, truth := task{Threads: 2, PerStep: 500, Pause: time.Millisecond, Drain: "yes"}.start(t, c.Address())
	select {
	case err := <-failed:
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Failed: %v", err)
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("nobody noticed that the disk is full")
	}
	before := totalCalls(truth, 2)
	time.Sleep(50 * time.Millisecond)
	if after := totalCalls(truth, 2); after == before {
		t.Error("the program stands still")
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := c.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close: %v", err)
	}
	if !strings.Contains(log.String(), "cannot be written") {
		t.Errorf("log %q", log.String())
	}
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut := trace.Cut(); cut == nil || !cut.All || cut.At == 0 || !strings.Contains(cut.Why, "no space left") {
		t.Errorf("%+v", cut)
	}
	n, lost, calls := uint64(0), trace.Processes()[0].End.Lost(), uint64(0)
	for _, s := range trace.Streams() {
		lost += s.Missing
		if err := trace.Read(s, func(records []wire.Record) error { n += uint64(len(records)); return nil }); err != nil {
			t.Error(err)
		}
	}
	// each call that was published, every third with a More record, and the records of the threads' starts
	for i := range 2 {
		c := atomic.LoadUint64(truth.calls(i))
		calls += c + (c+2)/3 + 2 + atomic.LoadUint64(truth.dropped(i))
	}
	if made := n + lost; made+4 < calls || made > calls+4 { // the kill may come between publishing and counting
		t.Errorf("%d records are there and %d are said to be missing, of %d", n, lost, calls)
	}
	if n < 10000 {
		t.Errorf("only %d records can be read", n)
	}
}

// A killed collector loses little more than a second, and the program continues.
func TestCollectorKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	collector := exec.Command(program)
	collector.Env = append(os.Environ(), "MTRACE_TEST_COLLECTOR="+path)
	out, err := collector.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := collector.Start(); err != nil {
		t.Fatal(err)
	}
	defer collector.Process.Kill()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cmd, truth := task{Threads: 2, PerStep: 10, Pause: time.Millisecond, Drain: "yes"}.start(t, strings.TrimSpace(address))
	time.Sleep(1200 * time.Millisecond)
	aSecondAgo := totalCalls(truth, 2)
	time.Sleep(2200 * time.Millisecond)
	collector.Process.Kill()
	collector.Wait()
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut, why := trace.Truncated(); !cut || !strings.Contains(why, "cut off") {
		t.Errorf("%v %q", cut, why)
	}
	n := uint64(0)
	for _, s := range trace.Streams() {
		if err := trace.Read(s, func(records []wire.Record) error {
			for _, r := range records {
				if r.Call == callCommit {
					n++
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	if now := totalCalls(truth, 2); n < aSecondAgo || n > now {
		t.Errorf("%d calls can be read; there were %d more than a second before the kill, %d at it", n, aSecondAgo, now)
	}
	before := totalCalls(truth, 2)
	time.Sleep(20 * time.Millisecond)
	if totalCalls(truth, 2) == before {
		t.Error("the program stands still")
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// collectAlone is the process that TestCollectorKilled kills.
func collectAlone(path string) {
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		panic(err)
	}
	c, err := New(Options{Writer: w})
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Address())
	c.Serve(context.Background())
}
