package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/interpose/inject"
	"mtrace/interpose/inject/handshake"
)

// exitNotStarted is `mtrace run`'s status when it could not start the program for a reason of its own.
const exitNotStarted = 125

type runOptions struct {
	output    string
	collector string
	noReport  bool
	log       bool
	live      bool
	follow    bool
	std       stdio
	onFull    string
	stacks    []string
	selfCheck bool
	gpuTiming string
	view      reportView
}

func runCommand() command {
	return command{
		name:    "run",
		summary: "Run a program, trace its use of Metal, print the report",
		usage:   "[flags] -- CMD ARG…",
		example: "mtrace run -o trace.mtrace -- python3 workload.py --threads 8",
		whole:   true,
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			var o runOptions
			flags.StringVarP(&o.output, "output", "o", "", "the trace file to write (default CMD-PID.mtrace here)")
			flags.BoolVar(&o.noReport, "no-report", false, "write the trace and print nothing")
			flags.BoolVar(&o.log, "log", false, "print each call as it happens, a line each, to standard error")
			flags.BoolVar(&o.live, "live", false, "show calls, command buffers and threads in a table that is refreshed in place, on a terminal")
			flags.BoolVar(&o.follow, "follow-children", true, "trace the program's children too")
			flags.StringVar(&o.onFull, "on-full", "drop", "when a thread's buffer is full: drop records and count them, or block the thread")
			flags.StringSliceVar(&o.stacks, "stacks", []string{"off"}, "record from where calls are made: native (machine code, by frame pointers), python, or both, native,python")
			flags.BoolVar(&o.selfCheck, "self-check", false, "before the program's first Metal call, make a known number of calls on a queue of the tracer's own and compare what is seen")
			flags.StringVar(&o.gpuTiming, "gpu-timing", "buffer", "what the GPU's time is measured for: buffer, each command buffer; encoder, each encoder too, which changes how they are made")
			flags.StringVar(&o.collector, "collector", "", "send the trace to mtrace collect at tcp://HOST:PORT while it is made, instead of keeping it here")
			o.view.flags(flags)
			return func(std stdio, args []string) error {
				o.std = std
				return run(std, o, args)
			}
		},
	}
}

// run traces one command. The error carries the exit status of the program, or says why there was none.
func run(std stdio, o runOptions, command []string) error {
	if len(command) == 0 {
		return usageError("no program to run: mtrace run -- CMD ARG…")
	}
	if o.onFull != "drop" && o.onFull != "block" {
		return usageError("--on-full is drop or block, not %q", o.onFull)
	}
	if o.gpuTiming != "buffer" && o.gpuTiming != "encoder" {
		return usageError("--gpu-timing is buffer or encoder, not %q", o.gpuTiming)
	}
	if err := errors.Join(o.checkRemote(), checkStacks(o.stacks)); err != nil {
		return err
	}
	notStarted := func(err error) error { return status{exitNotStarted, err} }
	library, err := findLibrary()
	if err != nil {
		return notStarted(err)
	}
	s, err := newSession(o, command)
	if err != nil {
		return notStarted(err)
	}
	defer s.remove()

	plan, err := inject.Prepare(command, library, s.environment())
	if err != nil {
		s.abandon()
		var coded interface{ ExitStatus() int }
		if errors.As(err, &coded) {
			return status{coded.ExitStatus(), err}
		}
		return notStarted(err)
	}
	program, err := start(plan, std)
	if err != nil {
		s.abandon()
		if errors.Is(err, os.ErrNotExist) {
			return status{127, err}
		}
		return notStarted(err)
	}
	s.started(program.pid())
	outside := watchFromOutside(program.pid(), s.witness)
	ended, err := program.wait()
	outside.end()
	if err != nil {
		return notStarted(err)
	}
	if err := errors.Join(outside.note(s.writer), s.finish(program, ended)); err != nil {
		fmt.Fprintf(std.err, "mtrace run: the trace is not whole: %v\n", err)
	}
	inspect := func(program string) []inject.Finding {
		reasons, _ := inject.ThisHost().Inspect(program, library)
		return reasons
	}
	s.conclude(std, o, handshake.Explain(plan, program.pid(), outside.processes(), inspect))
	return status{code: exitStatus(ended)}
}

// conclude prints the report or, when no Metal call was seen, why. Where the program's standard error may be somebody's input,
// nothing of ours goes there: it is in the report, and in the trace.
func (s *session) conclude(std stdio, o runOptions, findings []inject.Finding) {
	if o.noReport {
		for _, w := range s.warnings { // otherwise they are in the report
			fmt.Fprintf(std.err, "mtrace run: %s\n", w)
		}
		if term.IsTerminal(int(std.err.Fd())) {
			s.explain(std.err, findings)
			s.tellWhere(std.err)
		}
		return
	}
	if len(findings) > 0 && !o.view.json {
		s.explain(std.out, findings)
		return
	}
	if err := o.view.print(std, s.path); err != nil {
		fmt.Fprintf(std.err, "mtrace run: no report: %v\n", err)
	}
}

// explain says loudly that there is nothing to report, and why.
func (s *session) explain(w io.Writer, findings []inject.Finding) {
	for _, f := range findings {
		fmt.Fprintf(w, "mtrace: NO METAL CALL WAS SEEN: %s\n", f)
	}
}

// A session is the collector of one run and the file it writes.
type session struct {
	path      string
	named     bool // by the user; otherwise the path still lacks the process id
	onFull    string
	stacks    []string
	selfCheck bool
	gpuTiming string
	dir       string
	witness   *witness
	shown     []interface{ close() } // what shows the recording while it goes on
	program   chan struct{}          // closed when pid is known
	pid       int                    // of the program; 0 when it was never started
	warnings  []string               // of the collector, when it has finished
	writer    *tracefile.Writer
	remote    *remoteTrace // where the writer writes; nil when that is a file
	collector *collector.Collector
	serving   chan error
	stop      context.CancelFunc
}

// newSession makes the trace file and starts to listen, before there is a program that could connect.
func newSession(o runOptions, command []string) (*session, error) {
	s := &session{path: o.output, named: o.output != "", onFull: o.onFull, stacks: o.stacks, selfCheck: o.selfCheck, gpuTiming: o.gpuTiming, witness: newWitness()}
	if !s.named {
		s.path = fmt.Sprintf(".%s-%d.mtrace.part", filepath.Base(command[0]), os.Getpid())
	}
	host, _ := os.Hostname()
	err := s.create(o.collector, filepath.Base(command[0]), tracefile.Info{
		Tool: toolVersion(), Command: command, Host: host, OS: systemName(), Arch: machineName(), Started: time.Now().UnixNano(), Processors: runtime.NumCPU(),
	})
	if err != nil {
		return nil, err
	}
	if s.dir, err = privateDirectory(); err != nil {
		s.abandon()
		return nil, err
	}
	log := zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true, TimeFormat: time.TimeOnly}).Level(zerolog.ErrorLevel).With().Timestamp().Logger()
	if s.collector, err = collector.New(collector.Options{Dir: s.dir, Writer: s.writer, Log: log, Observer: s.observe(o), Accept: s.accept(o)}); err != nil {
		s.abandon()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.serving = make(chan error, 1)
	go func() { s.serving <- s.collector.Serve(ctx) }()
	return s, nil
}

// observe is who looks at what is recorded as it arrives.
func (s *session) observe(o runOptions) collector.Observer {
	all := observers{s.witness}
	if o.log {
		log := newCallLog(o.std.err)
		s.shown = append(s.shown, log)
		all = append(all, log)
	}
	if o.live && term.IsTerminal(int(o.std.err.Fd())) {
		table := newLiveTable(o.std.err)
		s.shown = append(s.shown, table)
		all = append(all, table)
	}
	return all
}

// accept says which processes to record: all that connect or, when children are not followed, only the program itself.
func (s *session) accept(o runOptions) func(wire.Hello) bool {
	s.program = make(chan struct{})
	if o.follow {
		return nil
	}
	return func(h wire.Hello) bool {
		<-s.program // the program may connect before we know its number
		return h.PID == s.pid
	}
}

// started notes the program's process id; 0 when it was never started.
func (s *session) started(pid int) {
	s.pid = pid
	close(s.program)
}

// privateDirectory makes the folder of the socket. Socket paths are limited to 103 bytes on macOS, so a long TMPDIR is not used.
func privateDirectory() (string, error) {
	parent := os.TempDir()
	if len(parent) > 60 {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "mtrace-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder for the socket: %w", err)
	}
	return dir, nil
}

// environment is ours plus what the library needs, and the software Metal where there is no other.
func (s *session) environment() []string {
	environ := append(os.Environ(), "MTRACE_SOCKET="+s.collector.Address(), "MTRACE_ON_FULL="+s.onFull, "MTRACE_GPU_TIMING="+s.gpuTiming, stackEnvironment(s.stacks))
	if s.selfCheck {
		environ = append(environ, "MTRACE_SELF_CHECK=1")
	}
	return withSoftwareMetal(environ)
}

// finish ends the recording of a program that has ended, and gives the file its name.
func (s *session) finish(program *child, ended syscall.WaitStatus) error {
	s.collector.ProcessExited(program.pid(), ended, program.cpu())
	result, err := s.collector.Close()
	s.warnings = result.Warnings
	for _, shown := range s.shown {
		shown.close()
	}
	s.stop()
	if serveErr := <-s.serving; err == nil && !errors.Is(serveErr, context.Canceled) {
		err = serveErr
	}
	if s.named {
		return err
	}
	final := strings.TrimPrefix(filepath.Base(s.path), ".")
	final = strings.TrimSuffix(final, fmt.Sprintf("-%d.mtrace.part", os.Getpid())) + "-" + strconv.Itoa(program.pid()) + ".mtrace"
	if renamed := os.Rename(s.path, final); renamed != nil {
		return errors.Join(err, renamed)
	}
	s.path = final
	return err
}

// abandon removes what was made for a program that never started.
func (s *session) abandon() {
	if s.collector != nil {
		s.started(0)
		s.collector.Close()
		s.stop()
	} else {
		s.writer.Close(tracefile.Result{})
	}
	os.Remove(s.path)
	s.remove()
}

func (s *session) remove() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}
