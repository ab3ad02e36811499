package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape reads metrics with Prometheus' own parser.
func scrape(t *testing.T, address string) map[string]*dto.MetricFamily {
	t.Helper()
	answer, err := (&http.Client{Timeout: patience}).Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"),
		"text/plain; version=0.0.4") {
		t.Fatalf("%v: %v\n%s", err, answer, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return families
}

// sum adds up the values of a family's samples that have a label.
func sum(families map[string]*dto.MetricFamily, name, label, value string) (total float64) {
	for _, m := range families[name].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == label && l.GetValue() == value {
				total += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return total
}

// TestServe: Prometheus reads the counters of a program that is being traced; counters grow; after the program's end
// they equal the report's.
func TestServe(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	over := filepath.Join(t.TempDir(), "over")
	serving := exec.Command(tool.mtrace, "serve", "--listen", "127.0.0.1:0", dir)
	out, err := serving.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startInTime(t, serving)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	if families := scrape(t, address); len(families["mtrace_calls_total"].GetMetric()) != 0 {
		t.Errorf("of an empty folder: %v", families)
	}
	trace := filepath.Join(dir, `a "b".mtrace`) // a label's value with quotes in it
	run := exec.Command(tool.mtrace, "run", "--no-report", "--on-full", "block", "-o", trace, "--", "python3", phases(t),
		"gelu", "until:"+over)
	startInTime(t, run)
	before, looks := 0.0, 0
	waitFor(t, "commits", func() bool {
		time.Sleep(50 * time.Millisecond)
		families := scrape(t, address)
		commits := sum(families, "mtrace_calls_total", "selector", "commit")
		if commits < before {
			t.Fatalf("%v commits, after %v", commits, before)
		}
		if commits > before {
			looks++
			if sum(families, "mtrace_recording", "trace", `a "b".mtrace`) != 1 || sum(families, "mtrace_trace_bytes", "trace",
				`a "b".mtrace`) == 0 {
				t.Errorf("it is being recorded: %v", families)
			}
		}
		before = commits
		return looks == 2
	})
	if err := os.WriteFile(over, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	var families map[string]*dto.MetricFamily
	waitFor(t, "the end of the recording", func() bool {
		time.Sleep(50 * time.Millisecond)
		families = scrape(t, address)
		return sum(families, "mtrace_recording", "trace", `a "b".mtrace`) == 0
	})
	r := reportOf(t, trace)
	commits := float64(count(r, "commit"))
	for name, want := range map[string]float64{"mtrace_command_buffers_committed_total": commits,
		"mtrace_command_buffers_completed_total": commits, "mtrace_command_buffers_failed_total": 0,
		"mtrace_command_buffers_in_flight": 0, "mtrace_records_lost_total": 0} {
		if got := sum(families, name, "trace", `a "b".mtrace`); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := sum(families, "mtrace_calls_total", "selector", "commit"); got != commits {
		t.Errorf("%v commits, the report has %v", got, commits)
	}
	if got := sum(families, "mtrace_gpu_busy_seconds_total", "trace", `a "b".mtrace`); got <= 0 ||
		got > float64(r.GPU.SumNS)/1e9+1e-9 {
		t.Errorf("the GPU was busy for %v s; all its work took %d ns", got, r.GPU.SumNS)
	}
	serving.Process.Signal(syscall.SIGTERM)
	if err := serving.Wait(); err != nil {
		t.Errorf("told to end: %v", err)
	}
	for _, wrong := range [][]string{{"serve"}, {"serve", "/nowhere"}, {"serve", "--listen", "nowhere", dir}} {
		if got := sh(t, "", nil, tool.mtrace, wrong...); got.exit != 2 || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: %+v", wrong, got)
		}
	}
}

// TestServeKnowsItsName: only requests for this machine are answered, so that no web page can read the metrics under a
// name of its own. Nothing looked at the name.
func TestServeKnowsItsName(t *testing.T) {
	t.Parallel()
	serving := exec.Command(tool.mtrace, "serve", "--listen", "127.0.0.1:0", "--host", "scraped.example", t.TempDir())
	out, err := serving.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startInTime(t, serving)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{"": 200, "localhost": 200, "localhost:9464": 200, "127.0.0.1:1": 200,
		"[::1]:9": 200, "scraped.example:80": 200,
		"attacker.example": 403, "attacker.example:9464": 403, "127.0.0.1.attacker.example": 403} {
		request, err := http.NewRequest("GET", strings.TrimSpace(address), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("for %q it answers %d, want %d", host, answer.StatusCode, want)
		}
	}
	serving.Process.Signal(syscall.SIGTERM)
	serving.Wait()
}
