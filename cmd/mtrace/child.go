package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"mtrace/interpose/inject"
)

// A child is the traced program. It runs in our process group and on our terminal, so what the terminal sends reaches it as it
// would without us; we only must not die of it first.
type child struct {
	cmd     *exec.Cmd
	signals chan os.Signal
}

// forwarded are signals sent to us alone, by a supervisor, that are meant for the program.
var forwarded = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// endured are signals the terminal sends to the whole group: the program has them already.
var endured = []os.Signal{syscall.SIGINT, syscall.SIGQUIT}

// start starts the program of the plan on our standard streams.
func start(plan *inject.Plan, std stdio) (*child, error) {
	c := &child{
		cmd:     &exec.Cmd{Path: plan.Program, Args: plan.Args, Env: plan.Env, Stdin: std.in, Stdout: std.out, Stderr: std.err},
		signals: make(chan os.Signal, 8),
	}
	// Notify, never Ignore: an ignored signal would stay ignored in the program. One that we were started with ignored is
	// left so, because the program is to inherit that too.
	for _, list := range [][]os.Signal{forwarded, endured} {
		for _, s := range list {
			if !signal.Ignored(s) {
				signal.Notify(c.signals, s)
			}
		}
	}
	if err := c.cmd.Start(); err != nil {
		signal.Stop(c.signals)
		return nil, err
	}
	go c.forward()
	return c, nil
}

func (c *child) forward() {
	for s := range c.signals {
		for _, f := range forwarded {
			if s == f {
				c.cmd.Process.Signal(s)
			}
		}
	}
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// wait waits for the end and returns how the program ended.
func (c *child) wait() (syscall.WaitStatus, error) {
	err := c.cmd.Wait()
	signal.Stop(c.signals)
	close(c.signals)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return c.cmd.ProcessState.Sys().(syscall.WaitStatus), nil
}

// cpu is the processor time that the program and the children it waited for used; it is known once the program has ended.
func (c *child) cpu() time.Duration {
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// exitStatus is the status a shell would report: that of the program, or 128+N when signal N ended it.
func exitStatus(w syscall.WaitStatus) int {
	if w.Signaled() {
		return 128 + int(w.Signal())
	}
	return w.ExitStatus()
}
