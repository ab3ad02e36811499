package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/term"

	"mtrace/cmd/mtrace/internal/bench"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
)

// A benchRunner runs benchmarks as processes of rawmetal (the program that makes the Metal calls), traced or not, and
// reads the measurements that they print.
type benchRunner struct {
	ctx      context.Context
	program  string   // path of rawmetal
	shaders  string   // folder of the kernels
	environ  []string // this process's environment, with the software Metal if there is no other
	scratch  string
	traced   bool
	progress *os.File // standard error if it is a terminal, otherwise nil
	part     string   // printed before the progress if several benchmarks run: "3 of 14 · "
}

func newBenchRunner(ctx context.Context, std cli.Stdio, shaders string, traced bool) (*benchRunner, error) {
	r := &benchRunner{ctx: ctx, environ: cli.WithSoftwareMetal(os.Environ()), traced: traced}
	var err error
	if r.program, err = findRawmetal(); err != nil {
		return nil, cli.UsageError("%v", err)
	}
	if r.shaders, err = findShaders(shaders); err != nil {
		return nil, cli.UsageError("%v", err)
	}
	if r.scratch, err = os.MkdirTemp(collector.TemporaryFolder(), "mtrace-bench-"); err != nil {
		return nil, err
	}
	if term.IsTerminal(int(std.Err.Fd())) {
		r.progress = std.Err
	}
	return r, nil
}

func (r *benchRunner) close() { os.RemoveAll(r.scratch) }

// findRawmetal returns the path of rawmetal, the program that makes the Metal calls and measures: MTRACE_RAWMETAL,
// otherwise the file next to mtrace.
func findRawmetal() (string, error) {
	if path := os.Getenv("MTRACE_RAWMETAL"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("MTRACE_RAWMETAL names %s, which does not exist", path)
		}
		return path, nil
	}
	if path, ok := cli.BesideExecutable(".", "rawmetal"); ok {
		return path, nil
	}
	return "", errors.New("rawmetal, the program that is measured, is not in mtrace's folder: " +
		"take it from a release's archive or wheel, or build it with ./build.sh in mtrace's sources; " +
		"MTRACE_RAWMETAL can name its path")
}

// findShaders returns the folder with the benchmarks' Metal kernels: the one in --shaders, otherwise the folder in
// mtrace's installation, otherwise ./shaders.
func findShaders(named string) (string, error) {
	const kernel = "axpy.metal"
	if named != "" {
		if _, err := os.Stat(filepath.Join(named, kernel)); err != nil {
			return "", fmt.Errorf("--shaders %s has no %s", named, kernel)
		}
		return filepath.Abs(named)
	}
	for _, dir := range []string{filepath.Join("..", "shaders"), "shaders"} { // in the project, in a release
		if path, ok := cli.BesideExecutable(dir, kernel); ok {
			return filepath.Dir(path), nil
		}
	}
	if _, err := os.Stat(filepath.Join("shaders", kernel)); err == nil {
		return filepath.Abs("shaders")
	}
	return "", errors.New(
		"the benchmarks' Metal kernels were not found: name their folder (shaders/ of mtrace's sources) with --shaders")
}

// run runs a benchmark: in one process, in a process per round (PerProcess), or in a traced and an untraced process
// per round (Compared).
func (r *benchRunner) run(b *bench.Bench, p bench.Parameters) (bench.Run, error) {
	run := bench.Run{Bench: b, Parameters: p, Results: &bench.Results{}}
	begin := time.Now()
	var err error
	switch {
	case b.Compared:
		err = r.compare(&run)
	case b.PerProcess:
		err = r.perProcess(&run)
	default:
		err = r.process(&run, p, bench.Process{}, r.traced)
	}
	r.say("")
	run.Wall = time.Since(begin)
	return run, err
}

// single returns the parameters for a process that runs only one of the rounds of p, with that round's share of the
// iterations.
func single(p bench.Parameters) bench.Parameters {
	p.Iterations = max(1, (p.Iterations+p.Rounds-1)/p.Rounds)
	p.Rounds = 1
	return p
}

func (r *benchRunner) perProcess(run *bench.Run) error {
	// Metal's cache of compiled kernels is on disk. The first process fills it, so its times are longer and are
	// discarded
	warm := bench.Run{Bench: run.Bench, Results: &bench.Results{}}
	if err := r.process(&warm, single(run.Parameters), bench.Process{}, false); err != nil {
		return err
	}
	for round := range run.Parameters.Rounds {
		r.say(fmt.Sprintf("%s: process %d of %d", run.Bench.Name, round+1, run.Parameters.Rounds))
		if err := r.process(run, single(run.Parameters), bench.Process{Round: round}, r.traced); err != nil {
			return err
		}
	}
	return nil
}

// process runs rawmetal once, traced or not, and adds the measurements that it prints to run.
func (r *benchRunner) process(run *bench.Run, p bench.Parameters, process bench.Process, traced bool) error {
	args := append([]string{r.program, run.Bench.Program, "--shaders", r.shaders, "--scratch", r.scratch},
		p.Arguments()...)
	trace := ""
	if traced {
		var err error
		if args, trace, err = r.underTracer(run, process, args); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(r.ctx, args[0], args[1:]...)
	// when ctx is cancelled: SIGTERM first, so that `mtrace run` can finish the trace; SIGKILL after WaitDelay
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	cmd.Env = r.environ
	if run.Bench.Fresh {
		cmd.Env = append(slices.Clone(r.environ), "SOFTMETAL_CACHE="+filepath.Join(r.scratch, "cache"))
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	watched := watch(stdout, silence, func() { cmd.Process.Signal(syscall.SIGTERM) }) // which `mtrace run` passes on
	readErr := run.Results.Read(watched, process, r.step)
	io.Copy(io.Discard, stdout) // so that a process whose results are rejected can end
	silent := watched.stop()
	if err := cmd.Wait(); err != nil {
		if silent {
			return fmt.Errorf("the benchmark printed nothing for %v and was ended: the GPU may be hung", silence)
		}
		return processError{err, cli.LastLine(stderr.String())}
	}
	if readErr != nil {
		return readErr
	}
	if trace != "" && !run.Bench.Compared {
		run.Traces = append(run.Traces, trace)
	}
	return nil
}

// underTracer puts `mtrace run` before the command, and also returns the path of the trace that will be written.
func (r *benchRunner) underTracer(run *bench.Run, process bench.Process, args []string) ([]string, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	trace := r.trace(run, process.Round)
	return append([]string{self, "run", "--no-report", "--force", "-o", trace, "--"}, args...), trace, nil
}

// trace returns the path for a process's trace: bench-NAME.mtrace in the current folder, with the next free number.
// If only the tracer's overhead is measured, the trace goes into the scratch folder.
func (r *benchRunner) trace(run *bench.Run, round int) string {
	name := "bench-" + run.Bench.Name
	if run.Bench.PerProcess {
		name += "-" + strconv.Itoa(round+1)
	}
	if run.Bench.Compared {
		return filepath.Join(r.scratch, name+".mtrace") // nobody reads this trace: only its cost is measured
	}
	for n := 1; ; n++ {
		if path := cli.Numbered(name, n); !cli.Exists(path) {
			return path
		}
	}
}

// A processError says why a benchmark's process failed. Its text is the last line that the process printed to
// standard error, or the exit status if it printed nothing.
type processError struct {
	err  error
	said string
}

func (e processError) Error() string {
	if e.said == "" {
		return e.err.Error()
	}
	return e.said
}

func (e processError) Unwrap() error { return e.err }

// interruptedStatus is the exit status after SIGINT.
const interruptedStatus = 128 + int(syscall.SIGINT)

// wasInterrupted reports whether SIGINT ended the benchmark's process. Ctrl-C signals mtrace and the process at once;
// the process can end before mtrace has noticed its own signal, and must not be reported as crashed.
func wasInterrupted(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && cli.ExitStatus(exit.Sys().(syscall.WaitStatus)) == interruptedStatus
}

// benchStatus returns mtrace's exit status after a benchmark failed: 2 if rawmetal rejected its input (status 2),
// otherwise 1.
func benchStatus(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == cli.ExitUsage {
		return cli.ExitUsage
	}
	return cli.ExitNo
}

// step prints a benchmark's progress to the terminal.
func (r *benchRunner) step(p bench.Progress) {
	if p.Total > 1 {
		r.say(fmt.Sprintf("%s: %d of %d: %s", p.Bench, p.Done, p.Total, p.Case))
	}
}

// say replaces the progress line on the terminal with text; an empty text clears it.
func (r *benchRunner) say(text string) {
	if r.progress == nil {
		return
	}
	if text != "" {
		text = r.part + text
	}
	width, _, err := term.GetSize(int(r.progress.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	fmt.Fprintf(r.progress, "\r\033[K%.*s", width-1, text)
}
