package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze/hang"
	"mtrace/analyze/policy"
	"mtrace/cmd/mtrace/internal/cli"
)

// A hanging is a program of fixtures/hangs that is being traced.
type hanging struct {
	*exec.Cmd
	input   io.Closer
	said    lockedBuffer  // standard error
	started time.Duration // from the program's start until it hangs
}

// hangs lets the program hang for so long that it is reported: longer than policy.QuietBeforeHang, and longer than
// policy.HangTimesUsual times any command buffer before. On a busy machine one took 0.6 s.
func (h *hanging) hangs() {
	time.Sleep(max(1500*time.Millisecond, (policy.HangTimesUsual+1)*h.started))
}

// startHanging traces a program of fixtures/hangs and returns when the program prints that it hangs, or only seems to.
func startHanging(t *testing.T, name string, flags ...string) *hanging {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the programs need the software Metal's timed mode")
	}
	program := filepath.Join(filepath.Dir(workload(t)), "hangs", "hangs.py")
	h := &hanging{Cmd: exec.Command(tool.mtrace, append(append([]string{"run"}, flags...), "--", "python3", program,
		name)...)}
	h.Env = append(os.Environ(), "SOFTMETAL_TIMED=1", "SOFTMETAL_LIBRARY="+filepath.Join(tool.dir, "softmetal",
		"libsoftmetal.so"), "SOFTMETAL_UNCOMMITTED_WAITS=endless", "PYTHONDONTWRITEBYTECODE=1")
	h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h.Stderr = &h.said
	input, err := h.StdinPipe() // which stays open: nothing comes
	if err != nil {
		t.Fatal(err)
	}
	h.input = input
	out, err := h.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-h.Process.Pid, syscall.SIGKILL) })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "stuck\n" {
		t.Fatalf("%s said %q (%v) and %s", name, line, err, h.said.String())
	}
	h.started = time.Since(began)
	return h
}

// end ends the program by a signal, and waits for the tracer.
func (h *hanging) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(-h.Process.Pid, signal); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- h.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("it did not end after %v", signal)
	}
}

// Programs that hang were reported as slow: "GPU-BOUND 80%" of the moment before. Each hangs for a different reason.
func TestHangs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program string
		kind    hang.Kind // empty: it does not hang
		says    []string
	}{
		{"event-nobody-signals", hang.NotSignalled, []string{"in waitUntilSignaledValue:timeoutMS: for",
			`last signalled by command buffer 7 "gradients"`, "Nothing in the trace signals 7",
			`command buffer 8 "forgotten"`}},
		{"gpu-waits-for-event", hang.NotSignalled, []string{`queued behind command buffer 7 "waits"`,
			"waits for shared event 6 to reach 7"}},
		{"queues-wait-for-each-other", hang.Deadlock, []string{`command buffer 10 "two" signals 1`,
			"wait for each other's events"}},
		{"kernel-runs-on", hang.GPUUnended, []string{`of queue "main" was committed earlier and may occupy the GPU`,
			`The GPU never finished command buffer 7 "endless`}},
		{"signal-not-committed", hang.NotCommitted,
			[]string{`The signal that sets the event to 1 is encoded in command buffer 7 "forgotten"`}},
		{"not-committed", hang.NotCommitted, []string{`"forgotten"`, "was never committed"}},
		{"sixty-four", hang.NotCommitted, []string{"in commandBuffer for", "64 were never committed"}},
		{"enqueued-before", hang.NotCommitted, []string{`command buffer 6 "reserved" was enqueued before it`}},
		{"handler-wants-lock", hang.Deadlock, []string{"its completion handlers have not returned",
			"is in pthread_mutex_lock for", "The completion handler needs"}},
		{"two-locks", hang.Deadlock, []string{"is in pthread_mutex_lock for", "Each of them waits for the other"}},
		{"gil", hang.Deadlock, []string{"the GIL is wanted by thread", "The completion handler needs"}},
		{"condition", hang.NotCommitted, []string{"in pthread_cond_wait for",
			`command buffer 6 "handled" has a completion handler, which has not run`}},
		{"polls-status", hang.NotCommitted, []string{"polls status for", `"forgotten"`, "was never committed"}},
		{"polls-endless-work", hang.GPUUnended, []string{"polls status for", `The GPU never finished command buffer`}},
		{"polls-value", hang.NotCommitted, []string{"polls signaledValue for", "is at 3",
			`The signal that sets the event to a higher value is encoded in command buffer`}},
		{"handler-wants-semaphore", hang.InCall, []string{"is in sem_wait for", "seems to run them",
			"it waits for a signal"}},
		{"handler-forgets-signal", hang.NotSignalled, []string{"1 of 14 completed command buffers FAILED",
			"only completion handlers signalled it", "probably one of them returned without signalling"}},
		{"producer-ended", hang.NotSignalled, []string{"in sem_wait for", "That thread has ended"}},
		{"producer-reads", "", []string{"which is no hang"}},
		{"waits-with-timeouts", hang.NotSignalled, []string{"in waitUntilSignaledValue:timeoutMS: for", "timed out",
			"Nothing in the trace signals 7"}},
		{"listener", hang.NotSignalled, []string{"A listener waits for shared event 6 to reach 1"}},
		{"readers", hang.NotCommitted, []string{"in pthread_rwlock_wrlock for",
			"its holder is not known"}},
		{"writer", hang.NotCommitted, []string{"in pthread_rwlock_rdlock for", "and held by thread"}},
		{"fence", "", []string{"which is no hang"}},
		{"polled-before", "", []string{"which is no hang"}},
		{"sleeps", "", []string{"which is no hang"}},
		{"reads", "", []string{"which is no hang"}},
		{"serves", "", []string{"which is no hang"}},
		{"works", "", nil},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			trace := filepath.Join(t.TempDir(), "t.mtrace")
			h := startHanging(t, c.program, "--no-report", "-o", trace)
			h.hangs()
			h.end(t, syscall.SIGTERM)
			text := sh(t, "", []string{"COLUMNS=140"}, tool.mtrace, "report", "--wide", "--all", trace)
			written := sh(t, "", nil, tool.mtrace, "report", "--json", trace)
			var r struct{ Hang *hang.Document }
			if err := json.Unmarshal([]byte(written.stdout), &r); err != nil {
				t.Fatalf("%v: %+v", err, written)
			}
			if c.kind == "" {
				if r.Hang != nil && len(r.Hang.Hangs) > 0 {
					t.Errorf("it is reported as a hang:\n%s", text.stdout)
				}
			} else {
				if r.Hang == nil || len(r.Hang.Hangs) != 1 {
					t.Fatalf("it is not said to hang:\n%s", text.stdout)
				}
				found := r.Hang.Hangs[0]
				if found.Kind != c.kind || found.ForNS < 1.2e9 || len(found.Threads) == 0 {
					t.Errorf("it is %q for %d ns, want %q", found.Kind, found.ForNS, c.kind)
				}
				if at, verdict := strings.Index(text.stdout, "HANG "), strings.Index(text.stdout,
					"VERDICT UNTIL IT HUNG"); at < 0 || at > verdict {
					t.Errorf("the hang does not come before the verdict:\n%s", text.stdout)
				}
			}
			joined := strings.Join(strings.Fields(text.stdout), " ")
			screen := sh(t, "", nil, tool.mtrace, "report", trace).stdout
			if c.kind != "" && (!strings.Contains(screen, "HANG ") || strings.Count(screen, "\n") > 40) {
				t.Errorf("the report on one screen:\n%s", screen)
			}
			if c.kind != "" && strings.Contains(screen, "was still inside") {
				t.Errorf("a warning repeats the hang report:\n%s", screen)
			}
			for _, s := range c.says {
				if !strings.Contains(joined, s) {
					t.Errorf("it does not say %q:\n%s", s, text.stdout)
				}
			}
		})
	}
}

// saysSoon waits until the tracer's output contains all of the parts.
func (h *hanging) saysSoon(t *testing.T, said func() string, parts ...string) {
	t.Helper()
	waitFor(t, strings.Join(parts, ", "), func() bool {
		text := strings.Join(strings.Fields(said()), " ")
		for _, p := range parts {
			if !strings.Contains(text, p) {
				return false
			}
		}
		return true
	})
}

// lockedBuffer is a buffer that is read while it is written.
type lockedBuffer struct {
	mutex sync.Mutex
	b     bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.b.String()
}

// Where a program hangs was known only when it had ended.
func TestHangWhileItHangs(t *testing.T) {
	t.Parallel()
	stuck := []string{"HANG: no progress for", "waitUntilSignaledValue:timeoutMS:", "Nothing in the trace signals 7"}
	t.Run("--hang-after", func(t *testing.T) {
		t.Parallel()
		h := startHanging(t, "event-nobody-signals", "--no-report", "--hang-after", "500ms", "-o",
			filepath.Join(t.TempDir(), "t.mtrace"))
		h.saysSoon(t, h.said.String, stuck...)
		h.end(t, syscall.SIGKILL)
	})
	t.Run("SIGQUIT", func(t *testing.T) {
		t.Parallel()
		h := startHanging(t, "event-nobody-signals", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace"))
		h.hangs()
		h.Process.Signal(syscall.SIGQUIT)
		h.saysSoon(t, h.said.String, stuck...)
		h.end(t, syscall.SIGKILL)
	})
	t.Run("SIGQUIT to one that sleeps", func(t *testing.T) {
		t.Parallel()
		h := startHanging(t, "sleeps", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace"))
		h.hangs()
		h.Process.Signal(syscall.SIGQUIT)
		h.saysSoon(t, h.said.String, "which is no hang")
		h.end(t, syscall.SIGKILL)
	})
	t.Run("Ctrl-C", func(t *testing.T) {
		t.Parallel()
		h := startHanging(t, "event-nobody-signals", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace"))
		syscall.Kill(-h.Process.Pid, syscall.SIGINT) // which Python notes, and the call does not return
		h.saysSoon(t, h.said.String, append(stuck, "Press Ctrl-C again to kill it")...)
		h.end(t, syscall.SIGINT)
		if status := cli.ExitStatus(waitStatus(h.Cmd)); status != 128+int(syscall.SIGKILL) {
			t.Errorf("it ended with %d, want the status of a killed program", status)
		}
	})
	// nothing was printed, and the user did not learn how to end it
	t.Run("Ctrl-C twice to one that ignores it", func(t *testing.T) {
		t.Parallel()
		h := startHanging(t, "ignores-interrupts", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace"))
		syscall.Kill(-h.Process.Pid, syscall.SIGINT)
		time.Sleep(150 * time.Millisecond)
		syscall.Kill(-h.Process.Pid, syscall.SIGINT)
		h.saysSoon(t, h.said.String, "the program makes progress", "handles or ignores SIGINT; kill -KILL")
		h.end(t, syscall.SIGKILL)
	})
	t.Run("live", func(t *testing.T) {
		t.Parallel()
		h := startHanging(t, "event-nobody-signals", "--no-report", "--live", "-o", filepath.Join(t.TempDir(),
			"t.mtrace"))
		h.saysSoon(t, h.said.String, "NO PROGRESS for")
		h.end(t, syscall.SIGKILL)
	})
	t.Run("tail", func(t *testing.T) {
		t.Parallel()
		trace := filepath.Join(t.TempDir(), "t.mtrace")
		h := startHanging(t, "event-nobody-signals", "--no-report", "-o", trace)
		tail := exec.Command(tool.mtrace, "tail", trace)
		var said lockedBuffer
		tail.Stderr = &said
		if err := tail.Start(); err != nil {
			t.Fatal(err)
		}
		defer tail.Wait()
		h.saysSoon(t, said.String, stuck...)
		h.end(t, syscall.SIGTERM)
	})
}

// A program that died of Ctrl-C at once was sometimes not reported as stopped, because mtrace noted its own signal
// later. Here mtrace itself gets no signal at all.
func TestInterruptOfTheProgramIsAnswered(t *testing.T) {
	t.Parallel()
	run := exec.Command(tool.mtrace, "run", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--", "sh", "-c", "kill -INT $$")
	said, err := run.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 ||
		!strings.Contains(string(said), "stopped by SIGINT; analysing") {
		t.Errorf("it ended with %v and says %q", err, said)
	}
}

// mtrace printed nothing between Ctrl-C and the report, which may take long. A user who pressed Ctrl-C again lost the
// report, and did not learn where the trace is.
func TestInterruptIsAnswered(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	h := startHanging(t, "sleeps", "-o", trace)
	h.end(t, syscall.SIGINT)
	if said := h.said.String(); !strings.Contains(said, "stopped by SIGINT; analysing") {
		t.Errorf("it says %q", said)
	}
	if _, err := os.Stat(trace); err != nil {
		t.Error(err)
	}
}
