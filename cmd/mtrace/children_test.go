package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mtrace/analyze/report"
)

// A program whose child processes compile, through the private compiler service as tinygrad's pool does, was reported
// to be outside of Metal meanwhile. The children were not in the trace at all, because they create no device. Now each
// request is a compilation of the child's, with its source. A thread that waits for it waits for compilation, in the
// call that it waits in. The program's output is unchanged.
func TestCompilationInChildProcesses(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the service of the software Metal; on a Mac it is Apple's, which is private")
	}
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/compilepool.py")
	if err != nil {
		t.Fatal(err)
	}
	for how, want := range map[string]struct {
		said             string
		children, builds int
		waits            []string // the call that the wait may be
		program          string
	}{
		"waitpid": {"waitpid 0 2 True\n", 1, 2, []string{"waitpid", "wait4"}, "python3"},
		"pipe":    {"pipe 0 2 True\n", 1, 2, []string{"blocked outside of Metal"}, ""},
		"pool":    {"pool 0 4 True\n", 0, 4, []string{"sem_", "pthread_cond_"}, ""},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := []string{"PYTHONPATH=" + programs, "PYTHONDONTWRITEBYTECODE=1", "SOFTMETAL_COMPILE_US=300000",
				"SOFTMETAL_CACHE=" + filepath.Join(dir, "cache")}
			began := time.Now()
			plain := sh(t, dir, env, filepath.Join(tool.dir, "softmetal", "softmetal"), "python3", script, how)
			if plain.exit != 0 || plain.stdout != want.said {
				t.Fatalf("untraced: %+v", plain)
			}
			// A wait counts as compilation if compilation is most of it. So compiling takes longer than everything
			// before it, on a busy machine too.
			env = append(env, fmt.Sprint("SOFTMETAL_COMPILE_US=", max(300_000, time.Since(began).Microseconds())))
			traced := sh(t, dir, env, tool.mtrace, "run", "--no-report", "-o", "t.mtrace", "--", "python3", script, how)
			if traced != plain {
				t.Errorf("traced:   %+v\nuntraced: %+v", traced, plain)
			}
			trace := filepath.Join(dir, "t.mtrace")
			r := reportOf(t, trace)
			builds, parent := int64(0), 0
			for _, c := range r.Calls {
				if c.Selector == "MTLCodeGenServiceBuildRequest" {
					builds = c.Count
				}
			}
			for _, th := range r.Threads {
				if th.CommandBuffers > 0 {
					parent = th.PID
				}
			}
			children, sources := 0, 0
			for _, p := range r.Compile.Processes {
				if p.Parent == parent {
					children++
				}
			}
			for _, i := range r.Compile.Items {
				if i.Kind == "library" && i.SourceBytes > 0 {
					sources++
				}
			}
			if builds != int64(want.builds) || sources != want.builds+1 || children == 0 || want.children > 0 &&
				children != want.children {
				t.Errorf("%d requests in %d children, of %d sources", builds, children, sources)
			}
			waited(t, r, parent, want.waits, want.program)
			if text := sh(t, dir, nil, tool.mtrace, "report", "--all", trace).stdout; !strings.Contains(text,
				"waited for children that compile") {
				t.Errorf("the report does not say who waited:\n%s", text)
			}
		})
	}
}

// waited checks that the thread that submits waited for children in one of the calls, and that the compiling part of
// the wait counts as its compilation.
func waited(t *testing.T, r *report.Report, parent int, calls []string, program string) {
	t.Helper()
	counted, found := map[uint64]int64{}, false
	for _, w := range r.Compile.Waited {
		if w.PID != parent || w.CompiledNS <= 0 || w.CompiledNS > w.TotalNS || w.CountedNS > w.TotalNS {
			t.Errorf("%+v", w)
		}
		for _, call := range calls {
			found = found || strings.HasPrefix(w.How, call) && strings.HasPrefix(w.Program, program)
		}
		counted[w.TID] += w.CountedNS
	}
	if !found {
		t.Errorf("who waited in %q for %q is not said: %+v", calls, program, r.Compile.Waited)
	}
	for _, th := range r.Threads {
		if th.Time["compile_ns"] < counted[th.TID] {
			t.Errorf("thread %d compiled for %d ns, and waited for compilation for %d", th.TID, th.Time["compile_ns"],
				counted[th.TID])
		}
	}
}
