package main

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze/report"
	"mtrace/fixtures/softmetal/truth"
)

// truthKernels returns the software Metal's own GPU times of the kernels that were alone in each of their command
// buffers.
func truthKernels(file *truth.File) map[string]float64 {
	names, bound := map[truth.ObjectID]string{}, map[truth.ObjectID]truth.ObjectID{}
	of, in := map[truth.ObjectID]map[string]bool{}, map[truth.ObjectID]truth.ObjectID{}
	for _, e := range file.Encoders {
		in[e.ID] = e.CommandBuffer
	}
	calls := slices.Clone(file.Calls)
	slices.SortStableFunc(calls, func(a, b truth.Call) int { return int(a.Begin) - int(b.Begin) })
	for _, c := range calls {
		switch {
		case strings.HasPrefix(c.Selector, "newComputePipelineState") && len(c.Words) > 0:
			names[c.Result] = file.Text(c.Words[0])
		case c.Selector == "setComputePipelineState:":
			bound[c.Object] = truth.ObjectID(c.Argument)
		case strings.HasPrefix(c.Selector, "dispatchThread"):
			buffer := in[c.Object]
			if of[buffer] == nil {
				of[buffer] = map[string]bool{}
			}
			of[buffer][names[bound[c.Object]]] = true
		}
	}
	times, shared := map[string]float64{}, map[string]bool{}
	for _, b := range file.CommandBuffers {
		for kernel := range of[b.ID] {
			times[kernel] += float64(b.GPUEnd - b.GPUStart)
			shared[kernel] = shared[kernel] || len(of[b.ID]) > 1
		}
	}
	maps.DeleteFunc(times, func(kernel string, _ float64) bool { return shared[kernel] })
	return times
}

// checkKernelTimes compares the table of kernels with the truth, within 5%, and returns the number of kernels compared.
func checkKernelTimes(t *testing.T, r *report.Report, file *truth.File) (compared int) {
	t.Helper()
	by := map[string]report.Kernel{}
	for _, k := range r.Kernels {
		by[k.Name] = k
	}
	for kernel, want := range truthKernels(file) {
		k, there := by[kernel]
		switch {
		case !there:
			t.Errorf("%q, which ran, is not in the table of kernels", kernel)
		case k.Source != "measured" || float64(k.GPUNS) < 0.95*want || float64(k.GPUNS) > 1.05*want:
			t.Errorf("%s took %.0f ns, the table says %d, %s", kernel, want, k.GPUNS, k.Source)
		default:
			t.Logf("%s took %.0f ns, the table says %d", kernel, want, k.GPUNS)
		}
		compared++
	}
	return compared
}

// reported traces a program against a truth file.
func reported(t *testing.T, env []string, flags []string, command ...string) (outcome, *report.Report, *truth.File) {
	t.Helper()
	needTruth(t)
	dir := t.TempDir()
	trace, of := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "truth")
	got := sh(t, dir, append([]string{"SOFTMETAL_TRUTH=" + of}, env...), tool.mtrace,
		append(append([]string{"run", "--no-report", "-o", trace}, flags...), append([]string{"--"}, command...)...)...)
	file, err := truth.Open(of)
	if err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	return got, reportOf(t, trace), file
}

// The GPU's work has the name that the program gives it, from the nearest source: debug groups in ggml, labels that
// grow in MLX, scopes in a program that marks them. The labels of tinygrad contain only the kernel's name, so there it
// is the line of Python. The times equal the truth.
func TestOperationsOfAProgram(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/operations.py")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PYTHONPATH=" + programs, "PYTHONDONTWRITEBYTECODE=1"}
	got, r, file := reported(t, env, []string{"--stacks", "python"}, "python3", script, "5")
	if got.exit != 0 || got.stdout != "done\n" {
		t.Fatalf("%+v", got)
	}
	if n := checkKernelTimes(t, r, file); n != 3 {
		t.Errorf("%d kernels were compared, not 3", n)
	}
	type said struct {
		from       string
		dispatches int
		kernels    string
	}
	all := map[string]said{}
	sum := int64(0)
	for _, o := range r.Operations {
		all[o.Name] = said{o.From, o.Dispatches, strings.Join(o.Kernels, " ")}
		sum += o.GPUNS
	}
	want := map[string]said{"MUL_MAT": {"debug group", 5, "kernel_mul_mat"}, "Add": {"command buffer label", 5,
		"kernel_add"}, "Multiply": {"command buffer label", 5, "kernel_add"},
		"attention": {"scope", 5, "kernel_rope"}, "MPS: aten::mm": {"scope", 5, "kernel_mul_mat"},
		"operations.py:103 labelled_after_its_kernel()": {"Python line", 5, "kernel_rope"}}
	if !maps.Equal(all, want) {
		t.Errorf("operations: %v\nwant %v", all, want)
	}
	scopes := map[string]int{}
	for _, s := range r.Scopes {
		scopes[s.Name] = s.Count
	}
	if scopes["MPS: aten::mm"] != 5 || scopes["attention"] != 5 {
		t.Errorf("scopes: %+v", r.Scopes)
	}
	if sum != r.GPU.SumNS {
		t.Errorf("operations take %d ns, the GPU's rows %d", sum, r.GPU.SumNS)
	}
}

// The same of ggml's own test of its operators: SOFTMETAL_GGML names a checkout of ggml or of llama.cpp, which is never
// fetched.
func TestKernelTimesOfGGML(t *testing.T) {
	checkout := os.Getenv("SOFTMETAL_GGML")
	if checkout == "" {
		t.Skip("SOFTMETAL_GGML names no checkout of ggml or llama.cpp; TestOperationsOfAProgram has the same structure")
	}
	if _, err := exec.LookPath(cmp.Or(os.Getenv("CLANG"), "clang")); err != nil {
		t.Skip("no clang, which ggml's host code needs for its blocks (CLANG names one): ", err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("testdata/ggml/build.sh knows ggml's sources for x86_64 only")
	}
	out := t.TempDir()
	if text, err := exec.Command("../../fixtures/softmetal/testdata/ggml/build.sh", checkout,
		filepath.Join(tool.dir, "softmetal"), out).CombinedOutput(); err != nil {
		t.Fatalf("building ggml: %v\n%.4000s", err, text)
	}
	program, compared := filepath.Join(out, "test-backend-ops"), 0
	for _, op := range [][2]string{{"ADD", "type=f32"}, {"MUL", "type=f32"}, {"RMS_NORM", "v=0"}} {
		plain := sh(t, "", nil, program, "test", "-o", op[0], "-p", op[1])
		got, r, file := reported(t, nil, nil, program, "test", "-o", op[0], "-p", op[1])
		if got.exit != 0 || !strings.Contains(got.stdout, "tests passed") || results(got.stdout) != results(plain.stdout) {
			t.Errorf("%s: traced: %+v\nuntraced: %+v", op[0], got, plain)
		}
		compared += checkKernelTimes(t, r, file)
	}
	if compared == 0 {
		t.Error("no kernel was alone in each of its command buffers")
	}
}

// results returns the lines on tests that passed: other lines report free memory.
func results(stdout string) string {
	lines := slices.DeleteFunc(strings.Split(stdout, "\n"),
		func(line string) bool { return !strings.Contains(line, "OK") && !strings.Contains(line, "passed") })
	return strings.Join(lines, "\n")
}
