package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/softmetal"
	"mtrace/fixtures/softmetal/truth"
)

// metalClient is the software Metal's own client: small programs, one for each thing a tracer can get wrong.
var metalClient = sync.OnceValues(func() (string, error) {
	install, err := softmetal.Build("")
	if err != nil {
		return "", err
	}
	sources, _ := filepath.Glob("../../fixtures/softmetal/testdata/*.m")
	path := filepath.Join(tool.dir, "metal-client")
	args := append([]string{"-x", "objective-c", "-std=gnu11", "-O1", "-isystem", "/usr/include/GNUstep",
		"-fconstant-string-class=NSConstantString", "-DGNUSTEP",
		"-DGNUSTEP_BASE_LIBRARY=1", "-fobjc-exceptions", "-o", path}, sources...)
	args = append(args, "-x", "none", install.Library(), "-lgnustep-base", "-lobjc", "-lBlocksRuntime", "-lpthread",
		"-Wl,-rpath,"+install.Dir)
	out, err := saidBy(exec.Command("gcc", args...), commandLimit)
	if err != nil {
		os.Stderr.Write(out)
	}
	return path, err
})

// timed has the keys of the JSON report on the times of encoders.
type timed struct {
	Warnings  []string
	GPUTiming string `json:"gpu_timing"`
	GPU       struct {
		SumNS    int64 `json:"sum_ns"`
		Encoders struct {
			Asked               bool
			Measured, Estimated int
			Because             []struct {
				Why   string
				Count int
			}
		}
	}
	Kernels []struct {
		Name, Source string
		GPUNS        int64 `json:"gpu_ns"`
	}
}

func (d *timed) kernel(name string) (gpu int64, source string) {
	for _, k := range d.Kernels {
		if k.Name == name {
			return k.GPUNS, k.Source
		}
	}
	return 0, ""
}

// runTimed runs a check of the client and returns its report, the truth about its run, and the path of the trace.
func runTimed(t *testing.T, check, timing string, env ...string) (timed, *truth.File, string) {
	t.Helper()
	needTruth(t)
	client, err := metalClient()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	trace, truthPath := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "truth")
	env = append([]string{"SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=1", "SOFTMETAL_TRUTH=" + truthPath}, env...)
	if got := sh(t, dir, env, tool.mtrace, "run", "--gpu-timing", timing, "--no-report", "-o", trace, "--", client,
		check); got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	var d timed
	if err := json.Unmarshal([]byte(sh(t, dir, nil, tool.mtrace, "report", "--json", trace).stdout), &d); err != nil {
		t.Fatal(err)
	}
	file, err := truth.Open(truthPath)
	if err != nil {
		t.Fatal(err)
	}
	return d, file, trace
}

// trueKernels sums the encoders' true times by the work that the client encoded in them.
func trueKernels(file *truth.File) map[string]int64 {
	does := map[string]string{"us=300": "wide", "us=6000": "narrow", "us=200": "wide", "us=1500": "(copies)",
		"us=500": "(copies)"}
	sums := map[string]int64{}
	for _, l := range file.Labels {
		_, cost, _ := strings.Cut(l.Text, "softmetal:")
		for _, e := range file.Encoders {
			if e.ID == l.Object {
				sums[does[cost]] += int64(e.GPUEnd) - int64(e.GPUStart)
			}
		}
	}
	return sums
}

// A graph as tinygrad runs it makes a dispatch without threads for each kernel and then executes an indirect command
// buffer. All of its time was attributed, as measured, to a kernel that never ran a thread, and the kernel that did the
// work was not named.
func TestGraphNamesTheKernelThatWorks(t *testing.T) {
	d, file, _ := runTimed(t, "graph", "encoder")
	want, commands := int64(0), 0
	for _, b := range file.CommandBuffers {
		want += int64(b.GPUEnd) - int64(b.GPUStart)
		commands += int(b.Dispatches)
	}
	if commands != 10 {
		t.Errorf("the truth has %d commands; 5 executions of 2", commands)
	}
	if gpu, source := d.kernel("wide"); gpu < want*95/100 || gpu > want*105/100 || source != "measured" {
		t.Errorf("wide takes %d ns, %s; in truth %d", gpu, source, want)
	}
	for _, k := range d.Kernels {
		if k.Name != "wide" && k.GPUNS > want/20 || k.Name == "narrow" {
			t.Errorf("%s takes %d ns", k.Name, k.GPUNS)
		}
	}
}

// With --gpu-timing encoder the kernels' GPU times are the true ones. Without it nothing separates the kernels: all
// command buffers are equal, and the kernel with few threads is the expensive one.
func TestEncoderTimingIsTrue(t *testing.T) {
	estimate, _, _ := runTimed(t, "unequal-encoders", "buffer")
	if gpu, source := estimate.kernel("narrow"); source != "not identified" || gpu > 30_000_000 ||
		estimate.GPUTiming != "estimated" || estimate.GPU.Encoders.Asked {
		t.Errorf("by estimate narrow takes %d ns, %s; %s, %+v", gpu, source, estimate.GPUTiming, estimate.GPU.Encoders)
	}
	measured, file, path := runTimed(t, "unequal-encoders", "encoder")
	if e := measured.GPU.Encoders; measured.GPUTiming != "measured" || !e.Asked || e.Measured != 30 || e.Estimated != 0 ||
		len(e.Because) != 0 {
		t.Errorf("%s, %+v", measured.GPUTiming, e)
	}
	sum := int64(0)
	for name, want := range trueKernels(file) {
		got, source := measured.kernel(name)
		if source != "measured" || got < want-30*50_000 || got > want+30*50_000 || got < want*98/100 || got > want*102/100 {
			t.Errorf("%s takes %d ns, %s; in truth %d", name, got, source, want)
		}
	}
	for _, k := range measured.Kernels {
		sum += k.GPUNS
	}
	if sum != measured.GPU.SumNS {
		t.Errorf("the kernels' times add up to %d, the command buffers' to %d", sum, measured.GPU.SumNS)
	}

	// Each encoder is where it really was.
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]truth.Encoder{}
	for _, l := range file.Labels {
		if i, found := slices.BinarySearchFunc(file.Encoders, l.Object,
			func(e truth.Encoder, id truth.ObjectID) int { return int(e.ID) - int(id) }); found {
			labels[l.Text] = file.Encoders[i]
		}
	}
	for b := range trace.Buffers() {
		for _, e := range b.Encoders {
			want := labels[e.Label]
			if begin, end := e.GPU.Begin-analyze.Nanos(want.GPUStart), e.GPU.End-analyze.Nanos(want.GPUEnd); max(begin, -begin,
				end, -end) > 50_000 {
				t.Errorf("encoder %q: begins %d ns and ends %d ns after it really did", e.Label, begin, end)
			}
		}
	}
}

// Every output states whether the times of encoders are the GPU's own or estimates, and the reason if they could not be
// measured on request.
func TestEveryOutputSaysHowEncodersWereTimed(t *testing.T) {
	for _, c := range []struct{ name, env, want, other, kernel, why string }{
		{"measured", "SOFTMETAL_GPU_TICK_NS=1", "measured", "estimated", "measured", ""},
		{"estimated", "SOFTMETAL_COUNTERS=error", "estimated", "measured", "not identified",
			"the self-test found no values in the device's counter samples"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _, trace := runTimed(t, "unequal-encoders", "encoder", c.env)
			if d.GPUTiming != c.want || c.why != "" && !strings.Contains(strings.Join(d.Warnings, "\n"), c.why) {
				t.Errorf("%s, warnings %q", d.GPUTiming, d.Warnings)
			}
			if c.why != "" && (len(d.GPU.Encoders.Because) != 1 || d.GPU.Encoders.Because[0].Count != 30) {
				t.Errorf("%+v", d.GPU.Encoders)
			}
			dir := t.TempDir()
			output := func(name string, args ...string) string {
				path := filepath.Join(dir, name)
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "OUT", path)
				}
				got := sh(t, dir, nil, tool.mtrace, args...)
				if got.exit != 0 {
					t.Fatalf("%v: %+v", args, got)
				}
				if text, err := os.ReadFile(path); err == nil {
					return string(text)
				}
				return got.stdout
			}
			counts := "30 measured by the GPU's own clock, 0 estimated"
			if c.want == "estimated" {
				counts = "0 measured by the GPU's own clock, 30 estimated"
			}
			words := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "&#39;", "'")), " ") }
			if text := words(output("-", "report", "--all", trace)); !strings.Contains(text, counts) {
				t.Errorf("the text does not say %q:\n%s", counts, text)
			}
			if text := words(output("r.html", "report", trace, "--html", "OUT")); !strings.Contains(text, counts) {
				t.Errorf("the page does not say %q", counts)
			}
			timeline := output("t.json", "export", trace, "--format", "chrome", "-o", "OUT")
			if !strings.Contains(timeline, `"gpu_timing":"`+c.want) || strings.Contains(timeline, `"gpu_timing":"`+c.other) {
				t.Error("the timeline does not say it")
			}
			output("tables", "export", trace, "--format", "csv", "-o", "OUT")
			table, err := os.ReadFile(filepath.Join(dir, "tables", "encoders.csv"))
			if err != nil || strings.Count(string(table), ","+c.kernel+",") != 30 ||
				strings.Contains(string(table), ","+c.other+",") {
				t.Errorf("the table of encoders (%v):\n%s", err, table)
			}
			output("p", "pprof", trace, "--type", "gpu", "-o", "OUT")
			p := profileIn(t, filepath.Join(dir, "p"))
			if !slices.Contains(p.Comments, "gpu_timing: "+c.want) {
				t.Errorf("the profile's comments: %q", p.Comments)
			}
			for _, s := range p.Sample {
				if got := s.Label["gpu_timing"]; !slices.Equal(got, []string{c.kernel}) {
					t.Errorf("a sample's gpu_timing is %q", got)
				}
			}
		})
	}
	if got := sh(t, t.TempDir(), nil, tool.mtrace, "run", "--gpu-timing", "kernel", "--", "true"); got.exit != 2 ||
		!strings.Contains(got.stderr, `--gpu-timing must be buffer or encoder, not "kernel"`) {
		t.Errorf("%+v", got)
	}
}

// TestKernelCostsHoldTheTruth: in mixtures of kernels as ggml, MLX and candle make them, where the kernels with the
// most threads take the least time, nine tenths of the kernels have a time within a tenth of the truth or a range that
// contains it, and the ranked ones are in the true order.
func TestKernelCostsHoldTheTruth(t *testing.T) {
	needTruth(t)
	client, err := metalClient()
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for _, mixture := range []string{"mixture-ggml", "mixture-mlx", "mixture-candle"} {
		dir := t.TempDir()
		trace := filepath.Join(dir, "t.mtrace")
		got := sh(t, dir, []string{"SOFTMETAL_TIMED=1"}, tool.mtrace, "run", "--no-report", "-o", trace, "--", client,
			mixture)
		if got.exit != 0 {
			t.Fatalf("%+v", got)
		}
		truth := map[string]int64{}
		for line := range strings.Lines(got.stdout) {
			var name string
			var ns int64
			if _, err := fmt.Sscanf(line, "took %s %d", &name, &ns); err == nil {
				truth[name] = ns
			}
		}
		var d struct {
			Kernels []struct {
				Name, Source string
				Rank         int
				GPUNS        int64 `json:"gpu_ns"`
				LowNS        int64 `json:"gpu_low_ns"`
				HighNS       int64 `json:"gpu_high_ns"`
			}
			WhatIf []struct {
				What struct{ Kind, Name string }
			} `json:"what_if"`
		}
		if err := json.Unmarshal([]byte(sh(t, dir, nil, tool.mtrace, "report", "--json", trace).stdout), &d); err != nil {
			t.Fatal(err)
		}
		identified := map[string]bool{}
		for _, k := range d.Kernels {
			want, known := truth[k.Name]
			if !known {
				t.Errorf("%s: kernel %s is not the program's", mixture, k.Name)
				continue
			}
			all++
			identified[k.Name] = k.Source != "not identified"
			switch near := k.GPUNS > want*9/10 && k.GPUNS < want*11/10; {
			case identified[k.Name] && near, k.LowNS <= want && want <= k.HighNS:
				right++
			default:
				t.Logf("%s: %s takes %d ns (%d to %d, %s), in truth %d", mixture, k.Name, k.GPUNS, k.LowNS, k.HighNS, k.Source,
					want)
			}
			for _, o := range d.Kernels {
				if k.Rank > 0 && o.Rank > k.Rank && truth[o.Name] > want {
					t.Errorf("%s: %s (rank %d) is before %s (rank %d), in truth %d and %d ns", mixture, k.Name, k.Rank, o.Name,
						o.Rank, want, truth[o.Name])
				}
			}
		}
		if len(identified) != len(truth) || !identified["mul_mat"] || identified["copy"] && mixture == "mixture-candle" {
			t.Errorf("%s: identified are %v", mixture, identified)
		}
		for _, w := range d.WhatIf {
			if w.What.Kind == "kernel" && !identified[w.What.Name] {
				t.Errorf("%s: %s is predicted", mixture, w.What.Name)
			}
		}
		t.Logf("%s: %+v", mixture, d.Kernels)
	}
	if t.Logf("%d of %d kernels are right", right, all); right*10 < all*9 {
		t.Errorf("%d of %d kernels are right", right, all)
	}
}
