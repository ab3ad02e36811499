package record

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Job control. A shell watches mtrace, not the program. When the program stops (^Z), mtrace stops itself, so that the
// shell notices and takes the terminal back. To resume, the shell signals the whole process group, so the program
// continues, too. If only mtrace is signalled, mtrace continues the program. If no shell waits for mtrace, mtrace
// keeps running while the program is stopped: whoever stopped only the program will also resume it.

// A change is a change of the program's state: it was stopped, was resumed, or ended.
type change struct {
	what   changeKind
	status syscall.WaitStatus // how the program ended
	by     syscall.Signal     // the signal that stopped the program
}

type changeKind int

const (
	nothing changeKind = iota
	ended
	stopped
	wentOn
)

// changeOf decodes a status of wait4. It does not use syscall.WaitStatus's methods, which on macOS mistake a stop
// by SIGSTOP for a resumption.
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

// next waits for the program's end, or for another change that options (of wait4) include. With WNOHANG it returns at
// once; the change is then `nothing` if there was none.
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
	// lookAgain is how often a stopped program is checked while mtrace itself keeps running, because no shell watches
	// it.
	lookAgain = 50 * time.Millisecond
	// groupPatience is how long mtrace, after it was resumed, waits for the program to resume. If the shell resumed
	// the whole process group, the program resumes by itself. Otherwise mtrace sends it SIGCONT.
	groupPatience = 20 * time.Millisecond
)

// follow stops mtrace itself with the signal that stopped the program. It returns after both were resumed, with the
// program's next change.
func (c *child) follow(now change) (change, error) {
	if now.what == wentOn {
		return c.next(syscall.WUNTRACED)
	}
	for len(c.resumed) > 0 {
		<-c.resumed
	}
	// ^Z may have stopped mtrace together with the program, and a shell may have resumed both already. Stopping
	// mtrace again would then leave it stopped
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

// shellWatches reports whether a shell waits for mtrace, so that mtrace must stop, too. stoppedBy is the signal that
// stopped the program. After SIGSTOP, a shell waits if mtrace is in the terminal's foreground. SIGTTIN and SIGTTOU
// stop background processes that use the terminal. If mtrace is in the foreground by now, the shell has just moved it
// there and resumes it, so mtrace must not stop.
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
