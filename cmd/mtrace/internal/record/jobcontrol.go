package record

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Job control. A shell waits for mtrace, not for the program. If the program stops and a shell may be waiting, mtrace
// stops, too, so that the shell reports it and takes the terminal. When the shell continues the job it signals the
// whole group, including the program; if another process signals mtrace alone, mtrace continues the program. Without a
// waiting shell mtrace keeps running: the process that stopped the program alone also continues it alone.

// A change is a change of the program's state: it stopped, continued or ended.
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

// changeOf decodes a status of wait4. On macOS the syscall package confuses a stop by SIGSTOP with a continuation.
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

// next waits for the program's end, and for the other changes that the options of wait4 select.
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
	// lookAgain is the interval at which a stopped program is checked while mtrace runs: without a watching shell,
	// nothing stops the group.
	lookAgain = 50 * time.Millisecond
	// groupPatience is how long the program may take to continue after mtrace did, when the whole group was signalled.
	groupPatience = 20 * time.Millisecond
)

// follow stops mtrace as the program was stopped and waits until it continues. It returns the program's next change.
func (c *child) follow(now change) (change, error) {
	if now.what == wentOn {
		return c.next(syscall.WUNTRACED)
	}
	for len(c.resumed) > 0 {
		<-c.resumed
	}
	// the keystroke that stopped the program may have stopped mtrace before it could check, and both may have continued
	if past, err := c.next(syscall.WCONTINUED | syscall.WNOHANG); err != nil || past.what != nothing {
		return past, err
	}
	by := now.by
	if by == syscall.SIGTSTP {
		by = syscall.SIGSTOP // Go's runtime keeps its handler when the default action is requested (seen with 1.26)
	}
	if shellWatches(now.by) {
		defer c.aside()() // until the program continues: mtrace may run briefly after the call that stops it
		syscall.Kill(os.Getpid(), by)
	}
	return c.untilItGoesOn()
}

// shellWatches reports whether a shell may be waiting for mtrace to stop: either there is a terminal whose key stopped
// the program, or mtrace is in the foreground, so the shell waits. The terminal also stops a background process that
// reads or changes it. If mtrace is in the foreground by now, a shell has put it there since, and continues the
// program, too; stopping mtrace would stop the job once more.
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
