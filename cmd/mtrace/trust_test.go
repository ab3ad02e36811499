package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
)

// A program whose limits leave no memory for the shared memory runs untraced, and records the reason in the trace. The
// report said instead that it "made no Metal call; check that it uses the GPU", and without a report there was no
// message.
func TestLimitedProgramSaysWhy(t *testing.T) {
	needTruth(t)
	client := buildShapesClient(t)
	for limit, reason := range map[string]string{"-f 1000": "raise it with ulimit -f",
		"-v 500000": "raise the limit with ulimit -v"} {
		script := "ulimit " + limit + " && exec " + client + " classes 3"
		run := func(flags ...string) outcome {
			flags = append([]string{"run", "-o", filepath.Join(t.TempDir(), "t.mtrace")}, flags...)
			got := sh(t, "", nil, tool.mtrace, append(flags, "--", "sh", "-c", script)...)
			if got.exit != 0 {
				t.Errorf("%s: exit status %d", limit, got.exit)
			}
			return got
		}
		if got := run(); !strings.Contains(got.stderr, reason) || strings.Contains(got.stderr, "no Metal call;") ||
			strings.Contains(got.stderr, "uses the GPU") {
			t.Errorf("%s: the report is\n%s", limit, got.stderr)
		}
		if got := run("--no-report"); !strings.Contains(got.stderr, reason) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s, --no-report: standard error is\n%s", limit, got.stderr)
		}
		got := run("--json")
		var document struct {
			Lost struct {
				Processes int `json:"untraced_processes"`
			}
			Warnings []string
		}
		text := got.stdout[max(0, strings.Index(got.stdout, "{")):]
		if err := json.Unmarshal([]byte(text), &document); err != nil || document.Lost.Processes != 1 ||
			!strings.Contains(strings.Join(document.Warnings, "\n"), reason) {
			t.Errorf("%s, --json: %v, %+v", limit, err, document)
		}
		if !strings.Contains(got.stderr, reason) {
			t.Errorf("%s, --json: standard error is %q", limit, got.stderr)
		}
	}
}

// If one process is traced and another is not, the first lines of the report say that the trace is incomplete.
func TestOneOfTwoIsNotTraced(t *testing.T) {
	needTruth(t)
	client := buildShapesClient(t)
	script := client + " classes 3; ulimit -f 1000 && exec " + client + " classes 3"
	got := sh(t, "", nil, tool.mtrace, "run", "--all", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--", "sh", "-c",
		script)
	for _, says := range []string{"1 PROCESS NOT TRACED", "none of these lost", "raise it with ulimit -f",
		"its calls are not counted"} {
		if !strings.Contains(strings.Join(strings.Fields(got.stderr), " "), says) {
			t.Errorf("the report does not say %q:\n%s", says, got.stderr)
		}
	}
}

// A process that used Metal keeps running when the program has ended, and so does one that did not. The later calls of
// the first are missing, which standard error, the first lines of the report and its JSON report; of the second nothing
// is missing. The first lines said "none lost".
func TestWhatLivesOnIsSaid(t *testing.T) {
	needTruth(t)
	const script = `"$0" endlessly 1 made >/dev/null 2>&1 & echo $!; sleep 1000 >/dev/null 2>&1 & echo $!; until [ ` +
		`-n "$(tr -d "\\0" 2>/dev/null <made)" ]; do sleep 0.05; done`
	dir := t.TempDir()
	got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", "t.mtrace", "--", "sh", "-c", script,
		buildShapesClient(t))
	for _, text := range strings.Fields(got.stdout) {
		pid, _ := strconv.Atoi(text)
		if pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
			t.Errorf("process %q did not live on", text)
		}
	}
	if got.exit != 0 || strings.Count(got.stdout, "\n") != 2 || strings.Count(got.stderr, "still running") != 1 ||
		strings.Count(got.stderr, "1 process of the program still runs") != 1 || strings.Count(got.stderr, "\n") != 2 {
		t.Errorf("%+v", got)
	}
	text := sh(t, dir, nil, tool.mtrace, "report", "t.mtrace").stdout
	head, _, _ := strings.Cut(text, "\n\n")
	if !strings.Contains(strings.Join(strings.Fields(head), " "), "2 PROCESSES STILL RUNNING at the end") {
		t.Errorf("the report begins\n%s", head)
	}
	var document struct {
		Lost struct {
			Running int `json:"running_processes"`
			Unused  int `json:"running_without_metal"`
		}
	}
	err := json.Unmarshal([]byte(sh(t, dir, nil, tool.mtrace, "report", "--json", "t.mtrace").stdout), &document)
	if err != nil || document.Lost.Running != 1 || document.Lost.Unused != 1 {
		t.Errorf("%v, %+v", err, document)
	}
}

// callsOfMetal counts the calls of Metal in a trace: the number of a program's waits outside of it, for a full pipe,
// varies. It is 0 for a file that is no trace.
func callsOfMetal(trace string) (n int) {
	if _, err := analyze.Load(trace, analyze.Options{Visit: func(c *analyze.VisitedCall) {
		if !c.Row.Effect.Blocks() {
			n++
		}
	}}); err != nil {
		return 0
	}
	return n
}

// installForOthers copies mtrace and a client to where other users can run them.
func installForOthers(t *testing.T) (mtrace, client string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mtrace-others-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	folder := t.TempDir()
	if err := compileShapes(folder); err != nil { // also a library that the client needs, by its path
		t.Fatal(err)
	}
	client = filepath.Join(folder, "client")
	if out, err := saidBy(exec.Command("sh", "-c", `cp -rL "$1" "$0"; chmod -R a+rX "$0" "$2"`, dir, tool.dir,
		filepath.Dir(filepath.Dir(client))), commandLimit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, filepath.Base(tool.dir), "mtrace"), client
}

// Two users record at the same time, with a folder for temporary files that both can write to. Each has its own program
// in its trace, and neither removes the other's files.
func TestTwoUsersRecordAtOnce(t *testing.T) {
	needTruth(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root, to act as another user")
	}
	mtrace, client := installForOthers(t)
	const each = 5
	run := func(user uint32) (result []string) {
		dir, err := os.MkdirTemp("/tmp", "mtrace-user-")
		if err != nil {
			return []string{err.Error()}
		}
		defer os.RemoveAll(dir)
		os.Chown(dir, int(user), int(user))
		for range each {
			cmd := exec.Command(mtrace, "run", "--force", "-o", "t.mtrace", "--", client, "classes", "3")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR=/tmp", "HOME="+dir)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
			out, err := saidBy(cmd, commandLimit)
			whole := strings.Contains(strings.Join(strings.Fields(string(out)), " "), "calls, none lost")
			if calls := callsOfMetal(filepath.Join(dir, "t.mtrace")); err == nil && whole && calls > 0 {
				result = append(result, fmt.Sprintf("%d calls, none lost", calls))
			} else {
				result = append(result, fmt.Sprintf("%v: %s", err, out))
			}
		}
		return result
	}
	users := []uint32{0, 54310, 54311}
	results := make([][]string, len(users))
	var running sync.WaitGroup
	for i, user := range users {
		running.Go(func() { results[i] = run(user) })
	}
	running.Wait()
	for i, user := range users {
		for _, got := range results[i] {
			if got != results[0][0] || !strings.HasSuffix(got, "calls, none lost") {
				t.Errorf("user %d: %s", user, got)
			}
		}
	}
}

// A program whose user may have few threads runs as it does without the tracer. The Go runtime in the library, which
// wants threads of its own, ended it with SIGABRT.
func TestNoThreadsLeft(t *testing.T) {
	needTruth(t)
	if _, err := exec.LookPath("setpriv"); err != nil || os.Geteuid() != 0 {
		t.Skip("needs root, and setpriv, to become a user with few processes")
	}
	mtrace, client := installForOthers(t)
	user := 54321
	for name, limits := range map[string]string{
		"one thread":            "ulimit -u 1",
		"three threads":         "ulimit -u 3",
		"one left of a hundred": "ulimit -u 100; for ((i = 0; i < 98; i++)); do sleep 3 >/dev/null 2>&1 & done",
		"two left of a hundred": "ulimit -u 100; for ((i = 0; i < 97; i++)); do sleep 3 >/dev/null 2>&1 & done",
	} {
		t.Run(name, func(t *testing.T) {
			run := func(before ...string) outcome {
				user++ // an earlier run's leftovers count for its user
				id := strconv.Itoa(user)
				program := append(before, "setpriv", "--reuid", id, "--regid", id, "--clear-groups", "bash", "-c",
					limits+`; exec "$0" process 3`, client)
				return sh(t, "", nil, program[0], program[1:]...)
			}
			alone, traced := run(), run(mtrace, "run", "--no-report", "--follow-children=false", "-o",
				filepath.Join(t.TempDir(), "t.mtrace"), "--")
			// The threads of the tracer count: the program does not get the last ones of many, and lives.
			if alone.exit != 0 || traced.exit != 0 || traced.stdout != alone.stdout && !strings.Contains(name, "hundred") {
				t.Errorf("alone %+v\ntraced %+v", alone, traced)
			}
		})
	}
}

// Children of a fork that change their root folder before their first Metal call cannot reach the collector, nor leave
// a message next to its socket: "none lost" was reported.
func TestChildrenOutOfReach(t *testing.T) {
	needTruth(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root, to change the root folder")
	}
	got := sh(t, "", nil, tool.mtrace, "run", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--", buildShapesClient(t),
		"out-of-reach", "3", t.TempDir())
	head := strings.Join(strings.Fields(got.stderr), " ")
	for _, says := range []string{"3 PROCESSES NOT TRACED", "none of these lost", "the collector could not be reached"} {
		if !strings.Contains(head, says) {
			t.Errorf("the report does not say %q:\n%s%s", says, got.stdout, got.stderr)
		}
	}
}

// The child of a fork of a recorded process runs untraced and is counted with its parent. When it used Metal after its
// parent's end the count was not read any more: "none lost" (found by the torture test, seed 3179).
func TestChildAfterItsParent(t *testing.T) {
	needTruth(t)
	script := `"$0" late-child 1 "$1"; until [ -e "$1" ]; do sleep 0.05; done`
	got := sh(t, "", nil, tool.mtrace, "run", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--", "sh", "-c", script,
		buildShapesClient(t), filepath.Join(t.TempDir(), "done"))
	head := strings.Join(strings.Fields(got.stderr), " ")
	for _, says := range []string{"1 PROCESS NOT TRACED", "none of these lost", "after its parent's end"} {
		if !strings.Contains(head, says) {
			t.Errorf("the report does not say %q:\n%s%s", says, got.stdout, got.stderr)
		}
	}
}

// A running parent counts its children itself, also after the trace has got its counters so far.
func TestChildrenOfALongParent(t *testing.T) {
	needTruth(t)
	got := sh(t, "", nil, tool.mtrace, "run", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--", buildShapesClient(t),
		"fork", "3", "300000")
	head := strings.Join(strings.Fields(got.stderr), " ")
	if !strings.Contains(head, "3 forked child processes UNTRACED") || strings.Contains(head, "NOT TRACED") {
		t.Errorf("the report says\n%s%s", got.stdout, got.stderr)
	}
}

// Children that give up their user come to the collector all the same (found by the torture, seeds 1082 and 2219).
func TestChildrenOfAnotherUser(t *testing.T) {
	needTruth(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give it up")
	}
	client := buildShapesClient(t)
	calls := func(children string) int {
		trace := filepath.Join(t.TempDir(), "t.mtrace")
		got := sh(t, "", nil, tool.mtrace, "run", "-o", trace, "--", client, "out-of-reach", children, "user")
		if !strings.Contains(strings.Join(strings.Fields(got.stderr), " "), "calls, none lost") {
			t.Fatalf("%s children:\n%s%s", children, got.stdout, got.stderr)
		}
		return callsOfMetal(trace)
	}
	if alone, with := calls("0"), calls("3"); with != 4*alone {
		t.Errorf("%d calls with three children, %d alone", with, alone)
	}
}

// The clock of a process in a time namespace counts from another instant. A second of it and of a process outside was
// "100005 s traced": samples of the collector's clock were mistaken for samples of its own (found by the torture test).
func TestTimeNamespace(t *testing.T) {
	needTruth(t)
	ahead := []string{"unshare", "--time", "--fork", "--monotonic", "100000", "--boottime", "100000"}
	if out, err := saidBy(exec.Command(ahead[0], append(ahead[1:], "true")...), commandLimit); err != nil {
		t.Skipf("no time namespace of one's own here: %v %s", err, out)
	}
	script := `"$0" classes 3 && exec ` + strings.Join(ahead, " ") + ` "$0" classes 3`
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	began := time.Now()
	got := sh(t, "", nil, tool.mtrace, "run", "--no-report", "-o", trace, "--", "sh", "-c", script, buildShapesClient(t))
	took := time.Since(began)
	loaded, err := analyze.Load(trace, analyze.Options{})
	if got.exit != 0 || err != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(loaded.Threads) != 2 || loaded.Run.Length <= 0 || loaded.Run.Length > analyze.Nanos(took) {
		t.Errorf("%d threads in %v, the run took %v", len(loaded.Threads), loaded.Run.Length, took)
	}
}

// With --on-full block a collector that is stopped for five seconds costs time and nothing else.
func TestBlockOutlastsAStoppedCollector(t *testing.T) {
	t.Parallel()
	needTruth(t)
	const calls = 5000000
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	cmd := exec.Command(tool.mtrace, "run", "--no-report", "--on-full", "block", "-o", trace, "--", buildShapesClient(t),
		"flood", fmt.Sprint(calls))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	startInTime(t, cmd)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) { // until there is something of it
		if stat, err := os.Stat(trace + cli.PartSuffix); err == nil && stat.Size() > 4096 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing is recorded")
		}
	}
	cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(5 * time.Second)
	if !runsChild(cmd.Process.Pid) {
		t.Error("the program has come to its end while nobody read what it recorded")
	}
	cmd.Process.Signal(syscall.SIGCONT)
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v: %s", err, stderr.String())
	}
	recorded := 0
	loaded, err := analyze.Load(trace, analyze.Options{Visit: func(c *analyze.VisitedCall) {
		if c.Row.Selector == "endEncoding" {
			recorded++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if recorded != calls || loaded.Recording.Lost.Records != 0 {
		t.Errorf("%d of %d calls are in the trace, %d are said to be lost", recorded, calls, loaded.Recording.Lost.Records)
	}
}

// runsChild reports whether a process has a running child.
func runsChild(pid int) bool {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(text)) {
			stat, err := os.ReadFile("/proc/" + child + "/stat")
			if _, rest, ok := strings.Cut(string(stat), ") "); err == nil && ok && rest[0] != 'Z' {
				return true
			}
		}
	}
	return false
}

// Two hundred processes that start at the same instant are all traced, even with a short queue of pending connections:
// the kernel keeps at most net.core.somaxconn of them, which each network namespace has for itself. They send their
// hello when they have been accepted, and not before.
func TestTwoHundredAtOnce(t *testing.T) {
	needTruth(t)
	const processes = 200
	client := buildShapesClient(t)
	script := filepath.Join(t.TempDir(), "many.py")
	text := `import os, sys
r, w = os.pipe()
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        os.close(w)
        os.read(r, 1)  # until the parent has started all of them
        os.close(r)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execv(sys.argv[2], sys.argv[2:])
os.close(w)
failed = 0
for _ in range(int(sys.argv[1])):
    failed += os.wait()[1] != 0
print(failed, "failed")
`
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for backlog, prefix := range map[string][]string{
		"the usual backlog": nil,
		"a backlog of four": {"unshare", "-n", "sh", "-c", `echo 4 >/proc/sys/net/core/somaxconn && exec "$0" "$@"`},
	} {
		t.Run(backlog, func(t *testing.T) {
			if prefix != nil {
				if out, err := saidBy(exec.Command(prefix[0], append(prefix[1:], "true")...), commandLimit); err != nil {
					t.Skipf("no network namespace of one's own here: %v %s", err, out)
				}
			}
			trace := filepath.Join(t.TempDir(), "t.mtrace")
			command := append(prefix[:len(prefix):len(prefix)], tool.mtrace, "run", "--no-report", "-o", trace, "--", "python3",
				script, fmt.Sprint(processes), client, "classes", "3")
			got := sh(t, "", nil, command[0], command[1:]...)
			if got.exit != 0 || got.stdout != "0 failed\n" || got.stderr != "" {
				t.Fatalf("%+v", got)
			}
			calls := map[*analyze.Process]int{}
			loaded, err := analyze.Load(trace, analyze.Options{Visit: func(
				c *analyze.VisitedCall) {
				if !c.Row.Effect.Blocks() { // a write to a pipe that is full, or on a busy machine, is one more
					calls[c.Thread.Process]++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if len(calls) != processes || loaded.Recording.Lost.Records != 0 || loaded.Recording.Lost.Processes != 0 {
				t.Errorf("%d of %d processes are in the trace, lost %+v", len(calls), processes, loaded.Recording.Lost)
			}
			want := 0
			for _, n := range calls {
				want = max(want, n)
			}
			for p, n := range calls {
				if n != want {
					t.Errorf("process %d made %d calls, others %d", p.ID, n, want)
				}
			}
		})
	}
}
