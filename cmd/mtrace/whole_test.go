package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
)

// A told has the statements of a report on the trace's completeness.
type told struct {
	Events int64
	Lost   struct {
		Total   int64
		AtLeast bool `json:"at_least"`
	}
	Source struct {
		Truncated  bool
		Incomplete *struct {
			Kind, Why, Text string
			AfterNS         int64 `json:"after_ns"`
		}
	}
}

func summaryOf(t *testing.T, path string, exit int) (s told, text outcome) {
	t.Helper()
	asJSON := sh(t, "", nil, tool.mtrace, "report", "--json", path)
	if err := json.Unmarshal([]byte(asJSON.stdout), &s); err != nil || asJSON.exit != exit {
		t.Fatalf("%v, exit status %d, %s", err, asJSON.exit, asJSON.stderr)
	}
	text = sh(t, "", nil, tool.mtrace, "report", path)
	if text.exit != exit {
		t.Fatalf("exit status %d, %s", text.exit, text.stderr)
	}
	return s, text
}

// checkIncomplete checks that no form of the report calls the trace complete.
func checkIncomplete(t *testing.T, path, kind string, exit int) told {
	t.Helper()
	s, text := summaryOf(t, path, exit)
	first, _, _ := strings.Cut(text.stdout, "\n")
	switch i := s.Source.Incomplete; {
	case i == nil || i.Kind != kind || !s.Source.Truncated:
		t.Fatalf("%+v", s.Source)
	case first != i.Text || !strings.HasPrefix(first, strings.ToUpper(kind)):
		t.Errorf("it begins with %q and not with %q", first, i.Text)
	case !s.Lost.AtLeast && s.Lost.Total == 0 && kind == "cut", s.Lost.Total < 0:
		t.Errorf("lost: %+v", s.Lost)
	}
	if kind == "cut" && strings.Contains(text.stdout, "none lost") || kind == "cut" &&
		strings.Contains(text.stdout, "nothing was lost") {
		t.Errorf("a cut trace is reported as complete:\n%s", text.stdout)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	sh(t, "", nil, tool.mtrace, "report", "--html", page, path)
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte(strings.ToUpper(kind))) {
		t.Errorf("the page does not say it (%v)", err)
	}
	if lines := sh(t, "", nil, tool.mtrace, "export", "--format", "jsonl", "-o", "-", path); !strings.Contains(
		lines.stdout, `"incomplete":"`+strings.ToUpper(kind)) || lines.exit != exit {
		t.Errorf("the export does not say it, exit status %d", lines.exit)
	}
	profile := filepath.Join(t.TempDir(), "api.pb.gz")
	if got := sh(t, "", nil, tool.mtrace, "pprof", "--type", "api", "-o", profile, path); got.exit != exit {
		t.Errorf("pprof: %+v", got)
	}
	if said := sh(t, "", nil, "go", "tool", "pprof", "-comments", profile); !strings.Contains(said.stdout,
		strings.ToUpper(kind)) {
		t.Errorf("the profile does not say it: %+v", said)
	}
	claims := filepath.Join(t.TempDir(), "claims.json")
	os.WriteFile(claims, []byte(`{"claims": [{"title": "nothing lost", "expr": "lost.total == 0"}]}`), 0o644)
	if got := sh(t, "", nil, tool.mtrace, "check", "--claims", claims, path); got.exit != exit &&
		!(exit == 0 && got.exit == cli.ExitNo) || !strings.HasPrefix(got.stdout, strings.ToUpper(kind)) {
		t.Errorf("check: %+v", got)
	}
	if got := sh(t, "", nil, tool.mtrace, "diff", path, path); got.exit != exit ||
		!strings.Contains(strings.Join(strings.Fields(got.stdout), " "), "is not whole: "+strings.ToUpper(kind)) {
		t.Errorf("diff: %+v", got)
	}
	return s
}

// callsAWhile is a program that makes calls until it gets a signal, and then prints how many command buffers it
// committed.
func callsAWhile(t *testing.T) []string {
	return []string{"python3", workload(t), "--op", "axpy", "--size", "256", "--dtype", "float32", "--threads", "2",
		"--iters", "1000000", "--sync-mode", "event"}
}

// untilRecords waits until the one file whose path matches the pattern, a trace that is being written, has enough
// records to report on, and returns its path.
func untilRecords(t *testing.T, pattern string) (path string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		found, _ := filepath.Glob(pattern)
		if len(found) != 1 {
			continue
		}
		if f, err := analyze.Open(found[0]); err == nil {
			records := f.Records()
			f.Close()
			if records > 10_000 {
				return found[0]
			}
		}
	}
	t.Fatalf("%s: no trace with records", pattern)
	return ""
}

// TestCutByKill: mtrace run is killed in the middle. The first line for the remaining trace says that it is cut, and
// when, and never that nothing is missing. Once "36,838 calls, none lost" was printed for 405,105 calls.
func TestCutByKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(tool.mtrace, append([]string{"run", "--no-report", "-o", "t.mtrace", "--"}, callsAWhile(t)...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOFTMETAL_LIBRARY="+filepath.Join(tool.dir, "softmetal", "libsoftmetal.so"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	startInTime(t, cmd)
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	part := filepath.Join(dir, "t.mtrace"+cli.PartSuffix)
	untilRecords(t, part)
	time.Sleep(700 * time.Millisecond) // into the second that is not written yet
	cmd.Process.Kill()
	cmd.Wait()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the program, which would slow the reports down
	s := checkIncomplete(t, part, "cut", cli.ExitUsage)
	if s.Events == 0 || !s.Lost.AtLeast || s.Source.Incomplete.AfterNS == 0 {
		t.Errorf("%+v", s)
	}
	t.Log(s.Source.Incomplete.Text)

	repaired := filepath.Join(dir, "clean.mtrace")
	if got := sh(t, dir, nil, tool.mtrace, "repair", part, "-o", repaired); got.exit != 0 ||
		got.stdout != repaired+"\n" || !strings.Contains(got.stderr, "cut off") {
		t.Errorf("%+v", got)
	}
	if again := checkIncomplete(t, repaired, "repaired", 0); again.Events != s.Events || !again.Lost.AtLeast ||
		again.Lost.Total != s.Lost.Total {
		t.Errorf("repaired: %+v, before: %+v", again, s)
	}
}

// TestCutByRelay: the machine that receives a trace goes away. The received part is reported as cut.
func TestCutByRelay(t *testing.T) {
	spoolsIn(t)
	dir := t.TempDir()
	c := startCollecting(t, dir, nil, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	cmd := exec.Command(tool.mtrace, append([]string{"run", "--no-report", "--collector", c.address, "--"},
		callsAWhile(t)...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOFTMETAL_LIBRARY="+filepath.Join(tool.dir, "softmetal", "libsoftmetal.so"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	startInTime(t, cmd)
	defer func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	}()
	found := untilRecords(t, filepath.Join(dir, "traces", "*.mtrace"))
	c.cmd.Process.Kill()
	c.cmd.Wait()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mtrace run and the program, which would slow the reports down
	s := checkIncomplete(t, found, "cut", cli.ExitUsage)
	if s.Events == 0 || !s.Lost.AtLeast || s.Source.Incomplete.AfterNS == 0 {
		t.Errorf("%+v", s)
	}
	t.Log(s.Source.Incomplete.Text)
}

// TestFlippedBits: a bit of a real trace is flipped. Its report is unchanged, or names the damage in its first line,
// with recorded and missing records adding up. It never panics, and never silently reports something else.
func TestFlippedBits(t *testing.T) {
	paths, attacks := tracesToAttack(t, 60)
	random := rand.New(rand.NewPCG(9, 9))
	dir := t.TempDir()
	bad := filepath.Join(dir, "flipped.mtrace")
	whole := map[string]string{}
	said, same, refused := 0, 0, 0
	for range attacks {
		path := paths[random.IntN(len(paths))]
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		report := func(data []byte) (int, string, string) {
			if err := os.WriteFile(bad, data, 0o644); err != nil {
				t.Fatal(err)
			}
			exit, stdout, stderr := inProcess(t, "report", "--json", bad)
			return exit, string(stdout), string(stderr)
		}
		if whole[path] == "" {
			_, whole[path], _ = report(data)
		}
		bit := random.IntN(8 * len(data))
		data[bit/8] ^= 1 << (bit % 8)
		how := fmt.Sprintf("%s: bit %d of byte %d", path, bit%8, bit/8)
		exit, stdout, stderr := report(data)
		var s, before told
		json.Unmarshal([]byte(whole[path]), &before)
		switch {
		case exit == cli.ExitDone && stdout == whole[path]:
			same++
		case exit == cli.ExitUsage && stdout == "" && strings.Count(stderr, "\n") == 1:
			refused++
		case exit == cli.ExitUsage && strings.Count(stderr, "\n") == 1 && json.Unmarshal([]byte(stdout), &s) == nil &&
			s.Source.Incomplete != nil:
			if said++; !s.Lost.AtLeast && s.Events+s.Lost.Total < before.Events {
				t.Errorf("%s: %d calls and %d missing of %d", how, s.Events, s.Lost.Total, before.Events)
			}
		default:
			t.Errorf("%s: exit status %d, %q, and another report", how, exit, stderr)
		}
	}
	t.Logf("of %d flips %d changed nothing, %d were said, %d made the trace unreadable", attacks, same, said, refused)
	if said == 0 {
		t.Error("no flip was said")
	}
}
