// Package record contains the commands that record, or follow a recording: run, attach, collect, serve and tail.
package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/show"
	"mtrace/interpose/inject"
	"mtrace/interpose/inject/handshake"
)

// ExitNotStarted is the exit status of `mtrace run` if the program was not started because of an error in mtrace.
const ExitNotStarted = 125

type RunOptions struct {
	Recording
	Output    string
	Force     bool // replace an existing file called Output
	window    windowOptions
	selection selectionOptions
	capture   captureOptions
	remote    remoteOptions
	NoReport  bool
	keepEmpty keepEmpty
	log, live bool
	Follow    bool // trace the program's children, too
	wait      bool // record until the program's children have ended, too
	Quiet     bool // the caller prints where the trace is
	guard     bool // replace no methods if the last run crashed in one
	hangAfter time.Duration
	verify    bool
	view      show.ReportView
	// experiment adds delays to the program, for mtrace experiment and --verify; otherwise nil.
	experiment *experimentRun
	report     cli.Destination // destination of the report's text; standard error if empty
}

func RunCommand() cli.Command {
	return cli.Command{
		Name:    "run",
		Summary: "Run a program, trace its use of Metal, and print a report",
		Usage:   "[flags] -- CMD ARG…",
		Example: "mtrace run -o trace.mtrace -- python3 workload.py --threads 8",
		Whole:   true,
		Values: map[string][]string{"stacks": {"off", "native", "python"}, "gpu-timing": {"buffer", "encoder"},
			"on-full": {"drop", "block"}, "section": report.Sections()},
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var o RunOptions
			flags.StringVarP(&o.Output, "output", "o", "",
				"write the trace to this `FILE` (default CMD-PID.mtrace in the current folder); "+
					"it is FILE.part until it is complete")
			cli.ForceFlag(flags, &o.Force)
			flags.BoolVar(&o.NoReport, "no-report", false, "write the trace and print no report")
			flags.Var(&o.keepEmpty, "keep-empty",
				"keep the trace even if the program makes no Metal call (default: only with -o or --no-report; "+
					"=false: never)")
			flags.Lookup("keep-empty").NoOptDefVal = "true"
			flags.BoolVar(&o.log, "log", false, "print each call as a line on standard error when it happens")
			flags.BoolVar(&o.live, "live", false,
				"show what each thread does and waits for while the program runs: "+
					"as a table on a terminal, otherwise as one line per second on standard error")
			flags.BoolVar(&o.Follow, "follow-children", true, "trace the program's children too")
			flags.BoolVar(&o.wait, "wait-for-children", false,
				"record until all processes that the program started have ended, including daemons; "+
					"Ctrl-C ends the wait")
			flags.BoolVar(&o.guard, "crash-guard", true,
				"trace nothing if the last traced run of this command crashed inside a method that the tracer replaces")
			flags.DurationVar(&o.hangAfter, "hang-after", 0,
				"if the program makes no progress for this `TIME`, print where it is stuck; "+
					"SIGQUIT to mtrace prints that at once")
			o.Recording.flags(flags)
			o.window.flags(flags)
			o.selection.flags(flags)
			o.capture.flags(flags)
			o.remote.flags(flags)
			o.view.Flags(flags)
			flags.BoolVar(&o.verify, "verify", false, "confirm the verdict by an experiment: "+
				"after the first seconds, delay what the verdict names by small random times "+
				"(at most 5% of the time); the report states what the delays cost")
			flags.Var(&o.report, "report", "write the report's text to this `FILE` instead of standard error; "+
				"- is standard output")
			return func(std cli.Stdio, args []string) error {
				if o.verify {
					o.experiment = verification()
				}
				return Run(std, o, args)
			}
		},
	}
}

// Run traces one command and prints the report. The returned error carries the program's exit status, or says why it
// was not started.
func Run(std cli.Stdio, o RunOptions, command []string) error {
	if len(command) == 0 {
		return cli.UsageError("no program to run: mtrace run -- CMD ARG…")
	}
	o.Quiet = o.Quiet || cli.BeQuiet
	starts := quitQuietly()
	if err := o.checkAll(std, command); err != nil {
		return err
	}
	r, err := o.prepare(std, command)
	if err != nil {
		return err
	}
	defer r.view.close()
	program, err := r.start(starts)
	if err != nil {
		r.session.abandon()
		return err
	}
	defer o.window.follow(r.session.window)()
	outside := watchFromOutside(program.pid(), r.session.witness)
	ended, err := r.wait(program)
	outside.end()
	if err != nil {
		return notStarted(err)
	}
	return r.finish(std, program, ended, outside)
}

func notStarted(err error) error { return cli.Status{Code: ExitNotStarted, Err: err} }

// checkAll validates all flags, before any file or socket is created.
func (o *RunOptions) checkAll(std cli.Stdio, command []string) error {
	for _, check := range []func() error{
		o.Recording.check, o.window.check, o.selection.check,
		func() error { return o.capture.check(o.Output, command) },
		o.checkRemote,
		func() error {
			if o.hangAfter < 0 {
				return cli.UsageError("--hang-after %v: give a time such as 10s", o.hangAfter)
			}
			return nil
		},
		func() error { return o.checkOutput(command) },
		func() error { _, err := o.view.Options(std); return err },
		func() error { return o.report.Take("--report", o.Force) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// A tracedRun is a command with everything that tracing it needs.
type tracedRun struct {
	options RunOptions
	library string
	guard   *crashGuard
	view    *liveView
	session *session
	plan    *inject.Plan
	began   time.Time // rounded down to a second, because file times are compared with it
}

// prepare creates the trace, the collector and the command to start. On an error it removes everything again.
func (o RunOptions) prepare(std cli.Stdio, command []string) (*tracedRun, error) {
	r := &tracedRun{guard: &crashGuard{}}
	var err error
	if r.library, err = cli.FindLibrary(); err != nil {
		return nil, notStarted(err)
	}
	if o.guard && len(o.skip) == 0 {
		r.guard = NewCrashGuard(command, r.library)
	}
	if r.guard.off {
		o.skip = []string{"*"}
	}
	r.options = o
	r.view = newLiveView(std, o.live)
	var wrong cli.Status
	if r.session, err = newSession(std, o, command, r.view); errors.As(err, &wrong) {
		r.view.close()
		return nil, err
	} else if err != nil {
		r.view.close()
		return nil, notStarted(err)
	}
	r.plan, err = inject.Prepare(command, r.library, append(r.session.environment(), o.capture.environment()...))
	if err != nil {
		r.session.abandon()
		r.view.close()
		var coded interface{ ExitStatus() int }
		if errors.As(err, &coded) {
			return nil, cli.Status{Code: coded.ExitStatus(), Err: err}
		}
		return nil, notStarted(err)
	}
	return r, nil
}

// start starts the program under the tracer, and then the live view.
func (r *tracedRun) start(starts func()) (*child, error) {
	r.began = time.Now().Truncate(time.Second)
	program, err := start(r.plan, r.view.std, starts)
	if errors.Is(err, os.ErrNotExist) {
		return nil, cli.Status{Code: 127, Err: err}
	}
	if err != nil {
		return nil, notStarted(err)
	}
	program.aside = r.view.aside
	r.session.started(program.pid())
	r.view.show()
	return program, nil
}

// wait waits for the program's end and, with --wait-for-children, for all processes that it started.
func (r *tracedRun) wait(program *child) (syscall.WaitStatus, error) {
	r.session.hang.start(r.session, program, r.view.std.Err)
	stopExperiment := r.options.experiment.start(r.session)
	ended, err := program.wait()
	stopExperiment()
	r.session.hang.end()
	if r.options.wait && err == nil {
		r.session.waitForChildren(program.afterwards)
	}
	return ended, err
}

// finish completes the trace and prints the report. The returned error carries the program's exit status.
func (r *tracedRun) finish(std cli.Stdio, program *child, ended syscall.WaitStatus, outside *outside) error {
	o, s := &r.options, r.session
	// A Ctrl-C reaches the program and mtrace. The program may have died before mtrace's own signal is noted.
	interrupted := program.interrupted.Load() || ended.Signaled() && ended.Signal() == syscall.SIGINT
	if interrupted && !o.NoReport && !o.Quiet {
		fmt.Fprintln(r.view.std.Err, "mtrace run: stopped by SIGINT; analysing…")
	}
	err := errors.Join(outside.note(s.writer), s.finish(program, ended))
	r.view.close() // reports from here on go to the terminal
	if err != nil {
		cli.PrintLine(std.Err, "mtrace run: the trace is incomplete: %v", err)
	}
	s.deliver(std.Err)
	if !o.NoReport {
		program.release() // a report may take long: signals may end mtrace from here on
		if interrupted {
			defer s.leaveOnInterrupt(std.Err, cli.ExitStatus(ended))()
		}
	}
	s.guarded = []string{r.guard.before(), r.guard.after(ended, s.inside.of(s.pid)), o.capture.result(r.began),
		killedByFilter(ended)}
	inspect := func(program string) []inject.Finding {
		reasons, _ := inject.ThisHost().Inspect(program, r.library)
		return reasons
	}
	s.conclude(std, *o, handshake.Explain(r.plan, program.pid(), withLiving(outside.processes(), s.livedOn), inspect))
	return cli.Status{Code: cli.ExitStatus(ended)}
}

// conclude prints messages and the report; without Metal calls it prints why there are none. It writes to standard
// error or to the file of --report, because standard output is the program's. With --no-report, and standard error
// not a terminal, only warnings are printed: another program may read the traced program's standard error.
func (s *session) conclude(std cli.Stdio, o RunOptions, findings []inject.Finding) {
	for _, line := range s.guarded {
		if line != "" && !o.Quiet {
			cli.PrintLine(std.Err, "mtrace run: %s", line)
		}
	}
	if why := o.experiment.notVerified(); why != "" && !o.Quiet {
		cli.PrintLine(std.Err, "mtrace run --verify: nothing was measured: %s", why)
	}
	if o.NoReport || o.view.JSON != "" {
		for _, w := range s.warnings { // if a report is printed, it contains the warnings
			cli.PrintLine(std.Err, "mtrace run: %s", w)
		}
	}
	if o.NoReport {
		if term.IsTerminal(int(std.Err.Fd())) {
			s.explain(std.Err, findings)
			s.leave(std.Err, o)
		} else {
			s.leave(io.Discard, o)
		}
		return
	}
	if len(findings) > 0 && o.view.JSON == "" {
		s.explain(std.Err, findings)
	} else if s.file != nil && s.file.Kept {
		fmt.Fprintf(std.Err, "mtrace run: no report, because %s is a pipe or device that cannot be read again: "+
			"save what it receives to a file, and run mtrace report on that\n", s.path)
	} else if err := o.printReport(std, s.path); err != nil && o.experiment != nil && !o.experiment.verifies {
		cli.PrintLine(std.Err, "mtrace experiment: %v", err)
	} else if err != nil {
		cli.PrintLine(std.Err, "mtrace run: no report: %v", err)
	}
	s.leave(std.Err, o)
}

// printReport prints the report: as JSON to the destination of --json, otherwise as text to the destination of
// --report or to standard error.
func (o *RunOptions) printReport(std cli.Stdio, path string) error {
	print := o.view.Print
	if o.experiment != nil && !o.experiment.verifies {
		print = o.experiment.print
	}
	switch {
	case o.view.JSON != "":
		return print(std, path)
	case o.report == cli.StandardOutput:
	case o.report != "":
		return o.report.WriteText(std, path, o.Force, print)
	default:
		std.Out = std.Err
	}
	return print(std, path)
}

// explain prints, for each reason, that no Metal call was recorded and why.
func (s *session) explain(w io.Writer, findings []inject.Finding) {
	for _, f := range findings {
		cli.PrintLine(w, "mtrace: NO METAL CALL WAS SEEN: %s", f)
	}
}

// killedByFilter returns an explanation if SIGSYS killed the program: its seccomp filter kills at forbidden system
// calls, and may forbid those that the tracer's library needs to reach the collector. Otherwise it returns "".
func killedByFilter(ended syscall.WaitStatus) string {
	if !ended.Signaled() || ended.Signal() != syscall.SIGSYS {
		return ""
	}
	return "the program was killed by its seccomp filter, which may forbid a system call of the tracer: " +
		"allow memfd_create, socket, connect, sendmsg and recvmsg in the filter, or let them fail with an error"
}
