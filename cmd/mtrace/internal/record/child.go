package record

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/interpose/inject"
)

// A child is the traced program. It runs in mtrace's process group and on its terminal, so it receives the terminal's
// signals as it would without mtrace. mtrace must not be ended by them before the program, and must stop when the
// program stops, because a shell watches mtrace. See follow.
type child struct {
	cmd         *exec.Cmd
	number      int
	signals     chan os.Signal
	resumed     chan os.Signal // SIGCONT came
	over        atomic.Bool    // it has ended
	interrupted atomic.Bool    // SIGINT came
	keys        chan os.Signal // SIGINT and SIGQUIT, which the terminal also sends to mtrace: see hangWatch
	// afterwards receives at most one signal that arrives after the program has ended.
	afterwards chan os.Signal
	aside      func() func()  // called before mtrace stops; its result is called when the program continues
	used       syscall.Rusage // once it has ended
}

// Forwarded are signals sent to mtrace alone, by a supervisor, that are meant for the program.
var Forwarded = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// Endured are signals that the terminal sends to the whole group, so the program has them already and mtrace ignores
// them. If a program does not stop at SIGTSTP, mtrace must not stop either, or the shell would return to its prompt.
// SIGPIPE means that the reader of the log is gone, but the trace is still wanted.
var Endured = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE}

// start starts the program of the plan on mtrace's standard streams. It calls taken once signals are passed to the
// program.
func start(plan *inject.Plan, std cli.Stdio, taken func()) (*child, error) {
	c := &child{
		cmd: &exec.Cmd{Path: plan.Program, Args: plan.Args, Env: plan.Env, Stdin: std.In, Stdout: std.Out,
			Stderr: std.Err},
		signals: make(chan os.Signal, 8),
		resumed: make(chan os.Signal, 1), afterwards: make(chan os.Signal, 1), keys: make(chan os.Signal, 8),
	}
	// Notify, never Ignore: an ignored signal would stay ignored in the program. If a signal was ignored when mtrace
	// started, it stays ignored, because the program should inherit that, too; Go reports this only for SIGHUP and
	// SIGINT.
	for _, list := range [][]os.Signal{Forwarded, Endured} {
		for _, s := range list {
			if !signal.Ignored(s) {
				signal.Notify(c.signals, s)
			}
		}
	}
	taken()
	if err := c.cmd.Start(); err != nil {
		signal.Stop(c.signals)
		return nil, err
	}
	signal.Notify(c.resumed, syscall.SIGCONT)
	c.number = c.cmd.Process.Pid
	go c.forward()
	return c, nil
}

func (c *child) forward() {
	for s := range c.signals {
		switch over := c.over.Load(); {
		case !over && slices.Contains(Forwarded, s):
			syscall.Kill(c.pid(), s.(syscall.Signal))
		case !over && (s == syscall.SIGINT || s == syscall.SIGQUIT):
			c.interrupted.Store(c.interrupted.Load() || s == syscall.SIGINT)
			select {
			case c.keys <- s:
			default: // there are enough of them
			}
		case over && s == syscall.SIGTSTP: // see follow, of which nothing is left
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		case over && s != syscall.SIGPIPE:
			select {
			case c.afterwards <- s:
			default:
			}
		}
	}
}

// pid returns the program's process id, also after the program has ended, when Go has forgotten it.
func (c *child) pid() int { return c.number }

// wait waits for the end and returns how the program ended. While the program is stopped, mtrace is stopped, too.
// Signals do not end mtrace until release, because the trace is not complete yet.
func (c *child) wait() (syscall.WaitStatus, error) {
	now, err := c.next(syscall.WUNTRACED)
	for err == nil && now.what != ended {
		now, err = c.follow(now)
	}
	c.over.Store(true)
	c.cmd.Process.Release()
	return now.status, err
}

// release lets signals end mtrace again, after the program has ended and its trace is complete.
func (c *child) release() {
	signal.Stop(c.signals)
	signal.Stop(c.resumed)
	close(c.signals)
}

// cpu returns the processor time of the program and of the children it waited for, known after the program has ended.
func (c *child) cpu() time.Duration {
	return time.Duration(c.used.Utime.Nano() + c.used.Stime.Nano())
}
