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

// A child is the traced program. It runs in mtrace's process group and terminal, so that the terminal sends it the
// same signals as without mtrace. The shell watches mtrace, not the program. So mtrace must end after the program,
// and must stop when the program stops: see follow.
type child struct {
	cmd         *exec.Cmd
	number      int
	signals     chan os.Signal
	resumed     chan os.Signal // SIGCONT came
	over        atomic.Bool    // the program has ended
	interrupted atomic.Bool    // SIGINT came
	keys        chan os.Signal // SIGINT and SIGQUIT, which the terminal also sends to mtrace: see hangWatch
	// afterwards receives the first signal that arrives after the program has ended.
	afterwards chan os.Signal
	aside      func() func()  // called before mtrace stops; its result is called when the program continues
	used       syscall.Rusage // valid once the program has ended
}

// Forwarded are signals that mtrace passes on to the program. A supervisor that wants to end the program sends
// them to mtrace only, so the program would not receive them.
var Forwarded = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// Endured are signals that mtrace must survive without passing them on. The terminal sends SIGINT, SIGQUIT and
// SIGTSTP to the program, too. If mtrace stopped at SIGTSTP while the program continues, the shell would show its
// prompt in the middle. SIGPIPE means that nobody reads the log any more; the trace is still wanted.
var Endured = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE}

// start starts the program with mtrace's standard streams. It calls taken as soon as mtrace's handlers for the
// program's signals are installed: the caller then removes the handler that was in place before.
func start(plan *inject.Plan, std cli.Stdio, taken func()) (*child, error) {
	c := &child{
		cmd: &exec.Cmd{Path: plan.Program, Args: plan.Args, Env: plan.Env, Stdin: std.In, Stdout: std.Out,
			Stderr: std.Err},
		signals: make(chan os.Signal, 8),
		resumed: make(chan os.Signal, 1), afterwards: make(chan os.Signal, 1), keys: make(chan os.Signal, 8),
	}
	// Use Notify, not Ignore: the program would inherit an ignored signal. A signal that was already ignored when
	// mtrace started must stay ignored, as it would be for the untraced program. Go reports that only for SIGHUP and
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
			default: // the channel already holds enough key presses
			}
		case over && s == syscall.SIGTSTP: // the program has ended, so only mtrace is left to stop
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		case over && s != syscall.SIGPIPE:
			select {
			case c.afterwards <- s:
			default:
			}
		}
	}
}

// pid returns the program's process id, which os.Process forgets when the program has ended.
func (c *child) pid() int { return c.number }

// wait returns how the program ended. While the program is stopped, mtrace stops itself, too. Signals do not end
// mtrace before release is called, because they would cut the trace.
func (c *child) wait() (syscall.WaitStatus, error) {
	now, err := c.next(syscall.WUNTRACED)
	for err == nil && now.what != ended {
		now, err = c.follow(now)
	}
	c.over.Store(true)
	c.cmd.Process.Release()
	return now.status, err
}

// release lets signals end mtrace again. Call it when the trace is complete.
func (c *child) release() {
	signal.Stop(c.signals)
	signal.Stop(c.resumed)
	close(c.signals)
}

// cpu returns the processor time of the ended program, including children that it has waited for.
func (c *child) cpu() time.Duration {
	return time.Duration(c.used.Utime.Nano() + c.used.Stime.Nano())
}
