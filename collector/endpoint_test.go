package collector

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
)

// endpointOf is a collector's directory while the collector runs; closing the lock is the kernel's action when it is
// killed.
func endpointOf(t *testing.T, parent string) *endpoint {
	t.Helper()
	p, err := newEndpoint(parent, false)
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.listen()
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	t.Cleanup(func() { p.lock.Close() })
	return p
}

// Each killed collector left a directory behind for good. The next collector removes it, and nothing else: no directory
// of a running collector, none of another user, nothing behind a link, and nothing that no collector made.
func TestKilledCollectorsAreSwept(t *testing.T) {
	parent := t.TempDir()
	dead := []*endpoint{endpointOf(t, parent), endpointOf(t, parent), endpointOf(t, parent)}
	alive, full, open, linked := endpointOf(t, parent), endpointOf(t, parent), endpointOf(t, parent),
		endpointOf(t, t.TempDir())
	for _, p := range append(dead, full, open, linked) {
		p.lock.Close()
	}
	outside := filepath.Join(t.TempDir(), "precious")
	kept := []string{filepath.Join(full.createdFolder, "notes"), outside, filepath.Join(parent, folderPrefix+"file"),
		filepath.Join(parent, "mtrace-other")}
	for _, path := range kept {
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		dead[0].path + noticeEnding + "77.0": "/bin/program\nnot traced: why", // nobody is left to hear it
		dead[1].path + noticeEnding + "78.0": outside,
		parent + "/" + folderPrefix + "link": linked.createdFolder,
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(open.createdFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, folderPrefix+"empty"), 0o700); err != nil {
		// its collector has not come to lock it
		t.Fatal(err)
	}
	kept = append(kept, alive.path, alive.path+lockEnding, open.path, linked.path,
		filepath.Join(parent, folderPrefix+"empty"))
	if os.Getuid() == 0 {
		foreign := endpointOf(t, parent)
		foreign.lock.Close()
		if err := os.Chown(foreign.createdFolder, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, foreign.path)
	}
	p, err := newEndpoint(parent, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dead {
		if _, err := os.Lstat(d.createdFolder); !os.IsNotExist(err) {
			t.Errorf("%s of a dead collector is still there: %v", d.createdFolder, err)
		}
	}
	for _, path := range kept {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("swept too much: %v", err)
		}
	}
	p.leave()
	if _, err := os.Lstat(p.createdFolder); !os.IsNotExist(err) {
		t.Errorf("the directory was left behind: %v", err)
	}
}

// Many collectors that start at once remove each other's stale directories while directories are created: each has its
// own in the end.
func TestSweepersDoNotMeet(t *testing.T) {
	parent := t.TempDir()
	places := make(chan *endpoint)
	const collectors = 32
	for range collectors {
		go func() {
			p, err := newEndpoint(parent, false)
			if err != nil {
				t.Error(err)
			}
			places <- p
		}()
	}
	for range collectors {
		p := <-places
		if p == nil {
			continue
		}
		if _, err := os.Stat(p.path + lockEnding); err != nil {
			t.Errorf("a place was swept while it was taken: %v", err)
		}
		defer p.leave()
	}
}

// A collector holds the lock next to its socket while it runs; programs test it briefly, which disturbs nothing.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	looking, err := lockFile(path + lockEnding)
	if err != nil {
		t.Fatal(err)
	}
	go looking.Close()
	r := &recording{path: filepath.Join(t.TempDir(), "t.mtrace"), tb: t}
	w, err := tracefile.Create(r.path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Collector, err = New(Options{Path: path, Writer: w}); err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(path + lockEnding); err != unix.EWOULDBLOCK {
		t.Errorf("the lock of a collector that lives: %v", err)
	}
	r.finish()
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Messages that a process could not send, for lack of a connection, are in the trace.
func TestWords(t *testing.T) {
	r := startRecording(t)
	for name, text := range map[string]string{
		"4711.0": "/bin/program\nnot traced: the collector could not be reached",
		"4711.1": "/bin/other\nprogram\nnot traced: \xff",
		"x":      "nothing like it",
	} {
		if err := os.Symlink(text, r.Address()+noticeEnding+name); err != nil {
			t.Fatal(err)
		}
	}
	trace, result := r.finish()
	checkValid(t, trace)
	var said []string
	for _, p := range trace.Processes() {
		said = append(said, fmt.Sprintf("%d %q %q", p.PID, p.Program, p.NotTraced))
	}
	slices.Sort(said)
	want := []string{
		`0 "" "nothing like it"`,
		`4711 "/bin/other\nprogram" "not traced: ?"`,
		`4711 "/bin/program" "not traced: the collector could not be reached"`,
	}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
	if len(result.Warnings) != 3 || !strings.Contains(strings.Join(result.Warnings, "\n"),
		"process 4711 (/bin/program): not traced: the collector could not be reached") {
		t.Errorf("warnings %q", result.Warnings)
	}
	if _, err := net.Dial("unix", r.Address()); err == nil {
		t.Error("somebody still listens")
	}
}

// A program changed its folder before it started another one that uses Metal. That one did not find a collector with a
// relative folder for temporary files: `TMPDIR=tmp mtrace run -- sh -c 'cd sub; ./train'` recorded nothing, and
// reported no losses.
func TestPlaceIsFoundFromEverywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".")
	p, err := takeEndpoint("", "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.leave()
	if !filepath.IsAbs(p.path) {
		t.Errorf("the socket is %s", p.path)
	}
}
