package record

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Job control. A shell waits for us, not for the program: when the program stops and a shell may be waiting, we stop,
// too, and the shell says so and takes the terminal. When the shell lets the job continue it tells the whole group, the
// program too; somebody else may tell us alone, and then we tell the program. Where no shell watches we continue: who
// stopped the program alone lets it continue alone.

// A change is what became of the program since it was last asked about.
type change struct {
	what   changeKind
	status syscall.WaitStatus // how it ended
	by     syscall.Signal     // what stopped it
}

type changeKind int

const (
	nothing changeKind = iota
	ended
	stopped
	wentOn
)

// changeOf reads a status of wait4. The syscall package takes macOS's stop by SIGSTOP for a continuation, and the other
// way round.
func changeOf(status syscall.WaitStatus) change {
	const stopMark, continuedOnLinux = 0x7f, 0xffff
	by := syscall.Signal(status >> 8)
	switch {
	case status == continuedOnLinux, status&0x7f == stopMark && by == syscall.SIGCONT:
		return change{what: wentOn}
	case status&0x7f == stopMark:
		return change{what: stopped, by: by}
	}
	return change{what: ended, status: status}
}

// next waits for the program's end, and for what else the options of wait4 say.
func (c *child) next(options int) (change, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(c.pid(), &status, options, &c.used)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return change{}, os.NewSyscallError("wait4", err)
		case pid == 0:
			return change{}, nil
		default:
			return changeOf(status), nil
		}
	}
}

const (
	// lookAgain is how often a stopped program is looked at while we run: nothing stops a group that no shell watches.
	lookAgain = 50 * time.Millisecond
	// groupPatience is how long the program may take to continue after we did, when both were told.
	groupPatience = 20 * time.Millisecond
)

// follow stops us as the program was stopped and waits until it continues. It returns what became of it then.
func (c *child) follow(now change) (change, error) {
	if now.what == wentOn {
		return c.next(syscall.WUNTRACED)
	}
	for len(c.resumed) > 0 {
		<-c.resumed
	}
	// The keystroke that stopped it may have stopped us before we could look, and all of that may be over.
	if past, err := c.next(syscall.WCONTINUED | syscall.WNOHANG); err != nil || past.what != nothing {
		return past, err
	}
	by := now.by
	if by == syscall.SIGTSTP {
		by = syscall.SIGSTOP // Go's runtime keeps its handler when it is told to go back to the default (seen with 1.26)
	}
	if shellWatches(now.by) {
		defer c.aside()() // until the program continues: we may run for a little while after the call that stops us
		syscall.Kill(os.Getpid(), by)
	}
	return c.untilItGoesOn()
}

// shellWatches says whether a shell may wait for us to stop: we have a terminal, and its key stopped the program; or we
// are what runs on it at the moment, so that its shell waits. The terminal stops who is in the background and reads it
// or sets it: when we are in the foreground now, then a shell has put us there since, and lets the program continue,
// too. On a slow machine the job was stopped once more at that.
func shellWatches(stoppedBy syscall.Signal) bool {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	inForeground := err == nil && group == syscall.Getpgrp()
	switch stoppedBy {
	case syscall.SIGSTOP:
		return inForeground
	case syscall.SIGTTIN, syscall.SIGTTOU:
		return !inForeground
	}
	return true
}

func (c *child) untilItGoesOn() (change, error) {
	for {
		told := false
		select {
		case <-c.resumed:
			told = true
			time.Sleep(groupPatience)
		case <-time.After(lookAgain):
		}
		now, err := c.next(syscall.WUNTRACED | syscall.WCONTINUED | syscall.WNOHANG)
		if err != nil || now.what != nothing {
			return now, err
		}
		if told {
			syscall.Kill(c.pid(), syscall.SIGCONT)
		}
	}
}
