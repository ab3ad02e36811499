package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mtrace/analyze/report"
	"mtrace/fixtures/softmetal/truth"
)

// A realClient is a program that others wrote for Apple's Metal, built from a checkout that the user names.
type realClient struct {
	env     []string
	flags   []string // of mtrace run
	command []string
	// results returns what must be the same with and without the tracer
	results func(outcome) string
}

// traceRealClient runs a program untraced and traced. Results and exit status must be the same, each commit must be in
// the trace, and nothing may be lost. The table of kernels is compared with the software Metal's own times.
func traceRealClient(t *testing.T, c realClient) (untraced outcome, r *report.Report) {
	t.Helper()
	needTruth(t)
	dir := t.TempDir()
	env := append([]string{"SOFTMETAL_CACHE=" + filepath.Join(dir, "cache")}, c.env...)
	plain := sh(t, dir, env, filepath.Join(tool.dir, "softmetal", "softmetal"), c.command...)
	if plain.exit != 0 {
		t.Fatalf("untraced: %+v", plain)
	}
	trace, account := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "truth")
	traced := sh(t, dir, append(env, "SOFTMETAL_TRUTH="+account), tool.mtrace, append(append([]string{"run", "-o", trace},
		c.flags...), append([]string{"--"}, c.command...)...)...)
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
	return plain, r
}

// llama.cpp's llama-simple generates the same text from a small model traced, untraced, and on llama.cpp's CPU back
// end. SOFTMETAL_LLAMA names a checkout, which is never fetched; its gguf-py writes the model and needs numpy.
func TestLlamaCpp(t *testing.T) {
	checkout := os.Getenv("SOFTMETAL_LLAMA")
	if checkout == "" {
		t.Skip("SOFTMETAL_LLAMA names no checkout of llama.cpp")
	}
	if _, err := exec.LookPath(cmp.Or(os.Getenv("CLANG"), "clang")); err != nil {
		t.Skip("no clang, which ggml's host code needs for its blocks (CLANG names one): ", err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("testdata/ggml/build.sh knows ggml's sources for x86_64 only")
	}
	scripts, err := filepath.Abs("../../fixtures/softmetal/testdata/ggml")
	if err != nil {
		t.Fatal(err)
	}
	out := builds(t, "llama")
	if text, err := exec.Command(filepath.Join(scripts, "build.sh"), checkout, filepath.Join(tool.dir, "softmetal"), out,
		"llama-simple").CombinedOutput(); err != nil {
		t.Fatalf("building llama.cpp: %v\n%.4000s", err, text)
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
