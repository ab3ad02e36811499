package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// visitTables is what fixtures/lab/tables.py makes of visits.
func visitTables(t *testing.T, visits ...string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	out, err := exec.Command(python, append([]string{"../fixtures/lab/tables.py"}, visits...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestLabTablesOfFiles: files of one visit are one visit, also after they were merged into one file with only the
// tables' data; files of another commit are another visit.
func TestLabTablesOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	machine := `{"lab": 1, "machine": {"processors": 16, "date": "2026-11-23", "commit": "`
	line := "%-18s seed 1   %-20s confidence 0.90 lost  251.1 ms truth  251.4 ms took  1.5 s\\n"
	scenario := func(name, verdict string) string { return fmt.Sprintf(line, name, verdict) }
	first := write("1.json", machine+
		`aaaaaaa", "device": "1, softmetal on NVIDIA H200"}, "parts": {"self": {"found": {"right": true}}, `+
		`"f": {"found": {"right": false, "differences": ["-sort"], "metal": {"status": null, "seconds": 50.2}}}}}`)
	second := write("2.json", machine+
		`aaaaaaa"}, "parts": {"a": {"found": {"scaling": {"status": null, "seconds": 45.04, "past_limit_s": 45, `+
		`"quick": true}, "gelu": {"schema": "mtrace.bench/1", "seconds": 2.5, "benches": [{"cases": [1, 2]}]}}},
		"c": {"found": {"2": {"status": 0, "out": "`+scenario("mixed", "lock-contention")+scenario("device-sync", "none")+
		`"}, "16": {"status": null, "out": "`+scenario("mixed", "lock-contention")+
		strings.TrimSuffix(scenario("device-sync", "gpu-saturated"), `\n`)+` but device-wide-sync was meant\n"}}},
		"e": {"found": [{"size": 256, "threads": 2, "run": {"ops_per_s": 10}, "slowdown": 2, "verdict": "gpu-bound", `+
		`"kernels": ["many"]}]}}}`)
	other := write("3.json", machine+`bbbbbbb"}, "parts": {"self": {"found": {"right": true}}}}`)
	tables := visitTables(t, first, second, other)
	for _, want := range []string{"## Visit 1: softmetal on NVIDIA H200, 16 processors, 2026-11-23, commit aaaaaaa\n",
		"## Visit 2: no device, 16 processors, 2026-11-23, commit bbbbbbb\n",
		"| scaling, quick | no, past its limit | – | 45.0 |", "| gelu | yes | 2 | 2.5 |",
		"2 scenarios ran on more than one number of processors (2, 16); the verdict was another one in device-sync.",
		"No time was left for all of them on 16 processors.",
		"| **device-sync** | none 0.90, 251 / 251 | gpu-saturated 0.90, 251 / 251, meant: device-wide-sync |",
		"It was ended at its limit, after 50 s; these lines were not printed:\n\n```\n-sort\n"} {
		if !strings.Contains(tables, want) {
			t.Errorf("there is no %q in\n%s", want, tables)
		}
	}
	kept := filepath.Join(dir, "kept.json")
	visitTables(t, "--keep", kept, first, second)
	text, err := os.ReadFile(kept)
	if err != nil || strings.Contains(string(text), "many") {
		t.Errorf("%v\n%s", err, text)
	}
	if alone, same := visitTables(t, kept), visitTables(t, first, second); alone != same {
		t.Errorf("the kept file makes\n%s\nand its files\n%s", alone, same)
	}
}

// TestLabTablesOfAVisit: every part has its table, and a failed part is shown as failed.
func TestLabTablesOfAVisit(t *testing.T) {
	visit := filepath.Join(t.TempDir(), "visit.json")
	text := `{"lab": 1, "machine": {"processors": 16, "device": "1 device, the default one: 1, softmetal on NVIDIA ` +
		`H200\nmax threads 1024"}, "parts": {
		"self": {"found": {"right": false, "wrong": [{"name": "language types.metal"}]}}, ` +
		`"a": {"found": {"gelu": {"schema": "mtrace.bench/1", "benches": [{"cases": [1, 2]}]}, ` +
		`"pool": {"left_out": "no time was left"}}},
		"b": {"found": {"table": {"python event 1": {"untraced": {"ops_per_s": 900.4}, "traced": {"rounds": 3, ` +
		`"rate": 0.9614}}}}}, "c": {"found": {"16": {"out": "all right\n"}}},
		"d": {"found": [{"round": 0, "sync": "device", "run": {"ops_per_s": 100}, "verdict": "GPU_BOUND", ` +
		`"confidence": 0.9}]},
		"e": {"found": [{"size": 256, "threads": 2, "run": {"status": 1}, "slowdown": null, "verdict": null}]}, ` +
		`"f": {"found": {"failed": "KeyError('x')"}}}}`
	if err := os.WriteFile(visit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tables := visitTables(t, visit)
	for _, want := range []string{"## Visit 1: softmetal on NVIDIA H200, 16 processors",
		"1 checks were wrong: language types.metal.", "| gelu | yes | 2 | – |", "| pool | no time was left | – | – |",
		"| python event 1 | 3 | 900 | 0.961 |",
		"16 processors:\n\n```\nall right\n```", "| 0 | device | 100 | GPU_BOUND | 0.90 |", "| 256 | 2 | – | – | – | None |",
		"It failed: `KeyError('x')`"} {
		if !strings.Contains(tables, want) {
			t.Errorf("there is no %q in\n%s", want, tables)
		}
	}
}

// TestVisitEndsSessions: a command that passes its limit is killed with all its child processes. A benchmark's programs
// are in process groups of their own: after the first visit's limit they kept running, and used the GPU during the next
// part.
func TestVisitEndsSessions(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("visits are made to Linux")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	script := `import sys, types
sys.dont_write_bytecode = True
sys.path.insert(0, "../fixtures/lab")
import visit
of_it = """import os, subprocess, time
p = subprocess.Popen(['sleep', '120'], preexec_fn=lambda: os.setpgid(0, 0))
print(p.pid, flush=True)
time.sleep(120)"""
done = visit.Visit(types.SimpleNamespace(seconds=100, gpu="cpu", out="")).run([sys.executable, "-c", of_it], 3)
child = "/proc/%d" % int(done["out"])
alive = visit.os.path.exists(child) and open(child + "/stat").read().rpartition(")")[2].split()[0] not in "ZX"
print(done["status"], done["seconds"] < 100, alive)
`
	cmd := exec.Command(python, "-c", script)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil || string(out) != "None True False\n" {
		t.Errorf("%v: %q", err, out)
	}
}
