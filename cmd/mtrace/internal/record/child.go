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

// A child is the traced program. It runs in our process group and on our terminal, so what the terminal sends reaches
// it as it would without us; we only must not die of it first, and must stop when it stops, because a shell watches us.
// See follow.
type child struct {
	cmd         *exec.Cmd
	number      int
	signals     chan os.Signal
	resumed     chan os.Signal // SIGCONT came
	over        atomic.Bool    // it has ended
	interrupted atomic.Bool    // SIGINT came
	keys        chan os.Signal // SIGINT and SIGQUIT, which the terminal sends to us as well: see hangWatch
	// afterwards receives a signal that came when the program had ended, one at most.
	afterwards chan os.Signal
	aside      func() func()  // is called before we stop, and what it returns when the program continues
	used       syscall.Rusage // once it has ended
}

// Forwarded are signals sent to us alone, by a supervisor, that are meant for the program.
var Forwarded = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// Endured are signals the terminal sends to the whole group: the program has them already. One that does not stop at
// SIGTSTP must not find its shell at the prompt because we did. SIGPIPE says that who read the log has gone, not that
// who wants the trace has.
var Endured = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE}

// start starts the program of the plan on our standard streams. It calls taken when signals are the program's.
func start(plan *inject.Plan, std cli.Stdio, taken func()) (*child, error) {
	c := &child{
		cmd: &exec.Cmd{Path: plan.Program, Args: plan.Args, Env: plan.Env, Stdin: std.In, Stdout: std.Out,
			Stderr: std.Err},
		signals: make(chan os.Signal, 8),
		resumed: make(chan os.Signal, 1), afterwards: make(chan os.Signal, 1), keys: make(chan os.Signal, 8),
	}
	// Notify, never Ignore: an ignored signal would stay ignored in the program. One that we were started with ignored is
	// left so, because the program is to inherit that too; of others than SIGHUP and SIGINT Go does not tell that they
	// were.
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

// pid is the program's process id, also when it has ended: Go forgets it then.
func (c *child) pid() int { return c.number }

// wait waits for the end and returns how the program ended. While the program is stopped we are, too. Signals do not
// end us until release: what the program did is not in the file yet.
func (c *child) wait() (syscall.WaitStatus, error) {
	now, err := c.next(syscall.WUNTRACED)
	for err == nil && now.what != ended {
		now, err = c.follow(now)
	}
	c.over.Store(true)
	c.cmd.Process.Release()
	return now.status, err
}

// release lets signals end us, once the program has ended and its trace is where it belongs.
func (c *child) release() {
	signal.Stop(c.signals)
	signal.Stop(c.resumed)
	close(c.signals)
}

// cpu is the processor time that the program and the children it waited for used; it is known once the program has
// ended.
func (c *child) cpu() time.Duration {
	return time.Duration(c.used.Utime.Nano() + c.used.Stime.Nano())
}
