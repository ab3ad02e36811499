package relay

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// onDisk is how much a folder's files take, in bytes.
func onDisk(t *testing.T, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// A full spool leaves records out, counts them, and notes that in the trace; it never exceeds its limit.
func TestSpoolFull(t *testing.T) {
	const limit = 1 << 20
	trace := record(t, send(t, "127.0.0.1:1", limit))
	trace.add(t, 200_000)
	trace.end(t)
	if n := onDisk(t, trace.sender.Dir()); n > limit+200<<10 || n < limit/2 {
		t.Errorf("%d bytes on disk, the limit is %d", n, limit)
	}
	left, why := trace.LeftOut()
	if left == 0 || !strings.Contains(why.Error(), "the spool of 1 MiB was full: the collector at 127.0.0.1:1") {
		t.Errorf("%d left out: %v", left, why)
	}
	trace.sender.Deliver(context.Background(), 0)
	file, err := os.Create(filepath.Join(t.TempDir(), "saved.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := trace.sender.Save(file); err != nil {
		t.Fatal(err)
	}
	saved, err := tracefile.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	result, _ := saved.Result()
	if s := saved.Streams()[0]; s.Records+left != 200_000 || s.Missing != left ||
		!strings.Contains(result.Note, "records were left out: the spool of 1 MiB was full") {
		t.Errorf("%d records and %d missing, %d left out; %q", s.Records, s.Missing, left, result.Note)
	}
}

// The delivered part is removed from the spool: a trace may be longer than its spool.
func TestTraceLargerThanItsSpool(t *testing.T) {
	t.Parallel() // it waits most of the time
	const limit = 1 << 20
	r := receive(t)
	trace := record(t, send(t, r.Address(), limit))
	for range 100 {
		trace.add(t, 5000)
		for confirmed := int64(0); confirmed < trace.Size(); confirmed, _, _ = trace.sender.progress() {
			time.Sleep(time.Millisecond)
		}
		if n := onDisk(t, trace.sender.Dir()); n > limit+200<<10 {
			t.Fatalf("%d bytes on disk, the limit is %d", n, limit)
		}
	}
	if first, _, written := trace.sender.state(); first == 0 || written < 2*limit {
		t.Fatalf("%d bytes were written, all from %d on are here", written, first)
	}
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
}

// The receiver has the first part, which was removed from the spool, and does not return: the rest is a trace that
// names the place of the first part, and each call is in exactly one of them.
func TestRestOfTrace(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := receive(t)
	trace := record(t, send(t, r.Address(), 1<<20))
	for range 40 {
		trace.add(t, 5000)
		for confirmed := int64(0); confirmed < trace.Size(); confirmed, _, _ = trace.sender.progress() {
			time.Sleep(time.Millisecond)
		}
	}
	r.end()
	trace.add(t, 10_000)
	trace.end(t)
	if err := trace.sender.Deliver(context.Background(), 100*time.Millisecond); err == nil {
		t.Fatal("delivered to nobody")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "rest.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	elsewhere, err := trace.sender.Save(file)
	if err != nil || elsewhere == 0 {
		t.Fatalf("%d bytes elsewhere, %v", elsewhere, err)
	}
	rest, err := tracefile.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	s := rest.Streams()[0]
	if cut, _ := rest.Truncated(); cut || s.Records == 0 || s.Records+s.Missing != trace.next {
		t.Errorf("cut %v: %d records, %d missing of %d", cut, s.Records, s.Missing, trace.next)
	}
	if result, _ := rest.Result(); !strings.Contains(result.Note,
		"the first calls of this trace are missing: only the collector at "+r.Address()) {
		t.Errorf("%+v", result)
	}
	if n := len(rest.Processes()[0].Strings); n != int(trace.next/5000) {
		t.Errorf("%d of %d facts are there", n, trace.next/5000)
	}
	if _, far := recordsIn(t, filepath.Join(r.dir, "run.mtrace")); uint64(far) < s.Missing {
		t.Errorf("%d records are missing here, and there are %d", s.Missing, far)
	}
}

// spoolAndWait is the process that TestSweep kills: it has written a trace that no receiver has accepted.
func spoolAndWait() {
	s, err := NewSender(SenderOptions{Address: "127.0.0.1:1", Token: testToken, Name: "victim", Limit: 1 << 20})
	if err != nil {
		panic(err)
	}
	s.Start()
	w, err := tracefile.NewWriter(s, tracefile.Info{Tool: "test"})
	if err != nil {
		panic(err)
	}
	p := w.AddProcess(wire.Hello{PID: 9, Program: "p"})
	w.Records(p, 0, 0, make([]wire.Record, 77))
	w.Flush()
	os.Stdout.WriteString("ready\n")
	select {}
}

// A spool whose mtrace was killed becomes a trace, once, when the next mtrace looks; the spool of a running mtrace is
// left alone.
func TestSweep(t *testing.T) {
	if _, err := Sweep(); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	victim := exec.Command(program)
	victim.Env = append(os.Environ(), "MTRACE_TEST_SPOOL=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Process.Kill()
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	if found, err := Sweep(); err != nil || len(found) > 0 {
		t.Fatalf("one that runs was swept: %v %v", found, err)
	}
	victim.Process.Kill()
	victim.Wait()
	found, err := Sweep()
	if err != nil || len(found) != 1 || found[0].Name != "victim" || found[0].PID != victim.Process.Pid ||
		found[0].Address != "127.0.0.1:1" {
		t.Fatalf("%+v %v", found, err)
	}
	if cut, n := recordsIn(t, found[0].Path); !cut || n != 77 {
		t.Errorf("cut %v, %d records", cut, n)
	}
	folder, _ := spoolsFolder()
	if stat, err := os.Stat(folder); err != nil || stat.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", stat.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, placePrefix+"*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if again, err := Sweep(); err != nil || len(again) > 0 {
		t.Errorf("swept twice: %v %v", again, err)
	}
}

// A folder for spools that others can look into, or that is a link, is not used.
func TestFolderOfOthers(t *testing.T) {
	caches := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", caches)
	t.Setenv("HOME", caches)
	t.Setenv("TMPDIR", t.TempDir())
	folder, err := spoolsFolder()
	if err != nil || !strings.HasPrefix(folder, caches) {
		t.Fatalf("%s %v", folder, err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	second, err := spoolsFolder()
	if err != nil || !strings.HasPrefix(second, os.TempDir()) {
		t.Fatalf("%s %v", second, err)
	}
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), second); err != nil {
		t.Fatal(err)
	}
	if third, err := spoolsFolder(); err == nil || !strings.Contains(err.Error(), "open to other users") {
		t.Errorf("%s %v", third, err)
	}
}
