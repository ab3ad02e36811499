package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mtrace/analyze/report"
	"mtrace/fixtures/softmetal/truth"
)

// A realClient is a program that others wrote for Apple's Metal, built from a checkout that the user names.
type realClient struct {
	dir     string // the working folder; "" for a temporary one
	env     []string
	command []string
	// results returns what must be the same with and without the tracer
	results func(outcome) string
	// unclean tells that some of the program's own tests fail without the tracer, so that its exit status is not 0
	unclean bool
}

// traceRealClient runs a program untraced and traced. Results and exit status must be the same, each commit must be in
// the trace, and nothing may be lost. The table of kernels is compared with the software Metal's own times. Then five
// pairs of runs show what tracing costs; nothing is required of that.
func traceRealClient(t *testing.T, c realClient) (untraced outcome, r *report.Report) {
	t.Helper()
	needTruth(t)
	dir := t.TempDir()
	c.dir = cmp.Or(c.dir, dir)
	c.env = append([]string{"SOFTMETAL_CACHE=" + filepath.Join(dir, "cache")}, c.env...)
	launcher := filepath.Join(tool.dir, "softmetal", "softmetal")
	plain := sh(t, c.dir, c.env, launcher, c.command...)
	if plain.exit != 0 && !c.unclean || c.results(plain) == "" {
		t.Fatalf("untraced: %+v", plain)
	}
	trace, account := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "truth")
	run := append([]string{"run", "-o", trace, "--"}, c.command...)
	traced := sh(t, c.dir, append(c.env, "SOFTMETAL_TRUTH="+account), tool.mtrace, run...)
	if traced.exit != plain.exit || c.results(traced) != c.results(plain) {
		t.Errorf("traced: %d\n%s\nuntraced: %d\n%s", traced.exit, c.results(traced), plain.exit, c.results(plain))
	}
	file, err := truth.Open(account)
	if err != nil {
		t.Fatal(err)
	}
	r = reportOf(t, trace)
	_, model := traceSequences(t, trace)
	made, recorded := 0, 0
	for _, b := range file.CommandBuffers {
		if b.Committed != 0 {
			made++
		}
	}
	for b := range model.Buffers() {
		if b.Committed.End != 0 {
			recorded++
		}
	}
	if made == 0 || recorded != made || r.Lost.Total != 0 {
		t.Errorf("%d of %d commits recorded, %d records lost", recorded, made, r.Lost.Total)
	}
	t.Logf("%d of %d commits recorded; verdict: %s, %s", recorded, made, r.Serialization.Verdict,
		r.Serialization.Summary)
	checkKernelCosts(t, model, file)
	compareProcessorTime(t, c, launcher, plain.exit)
	return plain, r
}

// compareProcessorTime logs the processor time of five pairs of runs, untraced and traced in turns, with all children.
func compareProcessorTime(t *testing.T, c realClient, launcher string, exit int) {
	t.Helper()
	spent := func(command ...string) float64 {
		cmd := exec.Command(command[0], append(command[1:], c.command...)...)
		cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
		if err := endsInTime(cmd, commandLimit); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
			t.Fatalf("%v: %v", command, err)
		}
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	var untraced, traced, ratios []float64
	for i := range 5 {
		untraced = append(untraced, spent(launcher))
		traced = append(traced, spent(tool.mtrace, "run", "--no-report", "-o",
			filepath.Join(t.TempDir(), strconv.Itoa(i)), "--"))
		ratios = append(ratios, traced[i]/untraced[i])
	}
	slices.Sort(ratios)
	t.Logf("processor time in s: untraced %.2f, traced %.2f; median of the ratios %.3f", untraced, traced, ratios[2])
}

// resultsOfTests returns the lines with the results of single tests, as Rust's and Python's test programs print them.
func resultsOfTests(o outcome) string {
	lines := regexp.MustCompile(`(?m)^.* \.\.\. (ok|FAILED|FAIL|ERROR|skipped.*)$`).FindAllString(o.stdout+o.stderr, -1)
	return strings.Join(lines, "\n")
}

// logPassed logs how many tests have passed.
func logPassed(t *testing.T, o outcome) {
	t.Helper()
	lines := strings.Split(resultsOfTests(o), "\n")
	passed := 0
	for _, line := range lines {
		if strings.HasSuffix(line, " ok") {
			passed++
		} else {
			t.Log(line)
		}
	}
	t.Logf("%d of %d tests pass", passed, len(lines))
}

// llama.cpp's llama-simple generates the same text from a small model traced, untraced, and on llama.cpp's CPU back
// end. SOFTMETAL_LLAMA names a checkout, which is never fetched; its gguf-py writes the model and needs numpy.
func TestLlamaCpp(t *testing.T) {
	checkout := os.Getenv("SOFTMETAL_LLAMA")
	if checkout == "" {
		t.Skip("SOFTMETAL_LLAMA names no checkout of llama.cpp")
	}
	out := buildGGML(t, checkout, "llama-simple")
	scripts, err := filepath.Abs("../../fixtures/softmetal/testdata/ggml")
	if err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(t.TempDir(), "tiny.gguf")
	made := sh(t, "", []string{"PYTHONPATH=" + filepath.Join(checkout, "gguf-py")},
		cmp.Or(os.Getenv("SOFTMETAL_PYTHON"), "python3"), filepath.Join(scripts, "model.py"), model)
	if made.exit != 0 {
		t.Skip("no model: the gguf package needs numpy (SOFTMETAL_PYTHON names a Python that has it): ", made.stderr)
	}
	program := filepath.Join(out, "llama-simple")
	generate := func(layers string) []string {
		return []string{program, "-m", model, "-n", "48", "-ngl", layers, "hello world"}
	}
	text := func(o outcome) string { return o.stdout }
	onMetal, _ := traceRealClient(t, realClient{command: generate("99"), results: text})
	onCPU := sh(t, "", nil, filepath.Join(tool.dir, "softmetal", "softmetal"), generate("0")...)
	if onMetal.stdout != onCPU.stdout || !strings.Contains(onMetal.stdout, "hello world") {
		t.Errorf("on the software Metal: %q\non the CPU: %q", onMetal.stdout, onCPU.stdout)
	}
}

// whisper.cpp's whisper-cli transcribes its sample with its model for tests, which has no weights and so finds no text.
// SOFTMETAL_WHISPER names a checkout, which is never fetched.
func TestWhisper(t *testing.T) {
	checkout := os.Getenv("SOFTMETAL_WHISPER")
	if checkout == "" {
		t.Skip("SOFTMETAL_WHISPER names no checkout of whisper.cpp")
	}
	out := buildGGML(t, checkout, "whisper-cli")
	text := func(o outcome) string { return fmt.Sprintf("%d %q", o.exit, o.stdout) }
	traceRealClient(t, realClient{results: text, command: []string{filepath.Join(out, "whisper-cli"), "-m",
		filepath.Join(checkout, "models/for-tests-ggml-tiny.en.bin"), "-f", filepath.Join(checkout, "samples/jfk.wav"),
		"-nf", "-bs", "1", "-bo", "1", "-ac", "64", "-d", "1000"}}) // one second, decoded once
}

// The tests of candle-metal-kernels have the same results traced and untraced. SOFTMETAL_CANDLE names a checkout, which
// is never fetched; cargo fetches the crates.
func TestCandle(t *testing.T) {
	checkout := os.Getenv("SOFTMETAL_CANDLE")
	if checkout == "" {
		t.Skip("SOFTMETAL_CANDLE names no checkout of candle")
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("no cargo, which builds candle: ", err)
	}
	out := builds(t, "candle")
	if text, err := exec.Command("../../fixtures/softmetal/testdata/candle/build.sh", checkout,
		filepath.Join(tool.dir, "softmetal"), out).CombinedOutput(); err != nil {
		t.Fatalf("building candle: %v\n%.4000s", err, text)
	}
	program := filepath.Join(out, "candle-metal-kernels")
	plain, _ := traceRealClient(t, realClient{command: []string{program, "--test-threads", "1"}, results: resultsOfTests,
		unclean: true}) // gelu_f16 differs in the last digit
	logPassed(t, plain)
}

// tinygrad's test/test_tiny.py has the same results traced and untraced. SOFTMETAL_TINYGRAD names a checkout.
func TestTinygradsOwnTests(t *testing.T) {
	checkout := os.Getenv("SOFTMETAL_TINYGRAD")
	if checkout == "" {
		t.Skip("SOFTMETAL_TINYGRAD names no checkout of tinygrad")
	}
	fixture, err := filepath.Abs("../../fixtures/softmetal/testdata/tinygrad/platform")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"DEV=METAL", "PYTHONDONTWRITEBYTECODE=1", "XDG_CACHE_HOME=" + t.TempDir(),
		"PYTHONPATH=" + fixture + ":" + checkout}
	python := cmp.Or(os.Getenv("SOFTMETAL_PYTHON"), "python3")
	plain, _ := traceRealClient(t, realClient{dir: checkout, env: env, results: resultsOfTests,
		command: []string{python, "-m", "unittest", "-v", "test.test_tiny"}})
	logPassed(t, plain)
}

// MLX's own tests of its Python package's arrays have the same results traced, untraced, and on MLX's CPU back end.
// SOFTMETAL_MLX_METAL_CPP names a folder with Apple's metal-cpp headers, SOFTMETAL_MLX a checkout of MLX; neither is
// ever downloaded. SOFTMETAL_MLX_TESTS selects other modules, classes or tests of MLX.
func TestMLX(t *testing.T) {
	checkout, headers := os.Getenv("SOFTMETAL_MLX"), os.Getenv("SOFTMETAL_MLX_METAL_CPP")
	if checkout == "" || headers == "" {
		t.Skip("SOFTMETAL_MLX names no checkout of MLX, or SOFTMETAL_MLX_METAL_CPP no folder with metal-cpp's headers")
	}
	python := cmp.Or(os.Getenv("SOFTMETAL_PYTHON"), "python3")
	if exec.Command(python, "-c", "import numpy, nanobind").Run() != nil {
		t.Skip(python, " lacks numpy or nanobind, which MLX needs (SOFTMETAL_PYTHON names a Python)")
	}
	out := builds(t, "mlx")
	if text, err := exec.Command("../../fixtures/softmetal/testdata/mlx/build.sh", checkout, headers,
		filepath.Join(tool.dir, "softmetal"), out).CombinedOutput(); err != nil {
		t.Fatalf("building MLX: %v\n%.4000s", err, text)
	}
	tests := strings.Fields(cmp.Or(os.Getenv("SOFTMETAL_MLX_TESTS"), "test_array"))
	c := realClient{dir: filepath.Join(checkout, "python", "tests"), results: resultsOfTests, unclean: true,
		env:     []string{"PYTHONPATH=" + filepath.Join(out, "python"), "PYTHONDONTWRITEBYTECODE=1"},
		command: append([]string{python, "-m", "unittest", "-v"}, tests...)}
	onMetal, _ := traceRealClient(t, c)
	logPassed(t, onMetal)
	onCPU := sh(t, c.dir, append(c.env, "DEVICE=cpu"), filepath.Join(tool.dir, "softmetal", "softmetal"), c.command...)
	if got, want := resultsOfTests(onMetal), resultsOfTests(onCPU); got != want {
		t.Errorf("on the software Metal:\n%s\non the CPU:\n%s", got, want)
	}
}

// buildGGML builds a program that contains ggml, and returns its folder. It skips the test where that is not possible.
func buildGGML(t *testing.T, checkout, program string) (out string) {
	t.Helper()
	if _, err := exec.LookPath(cmp.Or(os.Getenv("CLANG"), "clang")); err != nil {
		t.Skip("no clang, which ggml's host code needs for its blocks (CLANG names one): ", err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("testdata/ggml/build.sh knows ggml's sources for x86_64 only")
	}
	out = builds(t, program)
	if text, err := exec.Command("../../fixtures/softmetal/testdata/ggml/build.sh", checkout,
		filepath.Join(tool.dir, "softmetal"), out, program).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%.4000s", program, err, text)
	}
	return out
}

// builds returns a folder for what is built of a checkout: a temporary one, or a lasting one in SOFTMETAL_BUILDS.
func builds(t *testing.T, name string) string {
	t.Helper()
	lasting := os.Getenv("SOFTMETAL_BUILDS")
	if lasting == "" {
		return t.TempDir()
	}
	out := filepath.Join(lasting, name)
	if err := os.MkdirAll(out, 0o700); err != nil {
		t.Fatal(err)
	}
	return out
}
