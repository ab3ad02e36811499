package record

import (
	"os"
	"slices"
	"syscall"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/interpose/inject/handshake"
)

const (
	// endGrace is how long mtrace waits for processes that end together with the program, such as workers and helpers
	// that end when the program closes a pipe.
	endGrace = 50 * time.Millisecond
	// --wait-for-children looks for running processes at an interval that grows from livingPause to longestLivingPause.
	livingPause, longestLivingPause = 20 * time.Millisecond, 500 * time.Millisecond
)

// living returns the running processes that the program started, without the program itself: those that inherited the
// recording's token in their environment, and those connected to the collector.
func (s *session) living() (all []tracefile.Living) {
	carriers, _ := handshake.Carriers(wire.TokenVariable + "=" + s.token.String())
	for _, p := range carriers {
		all = append(all, tracefile.Living{PID: p.PID, Program: p.Program})
	}
	for _, p := range s.collector.Connected() {
		same := func(q tracefile.Living) bool { return q.PID == p.PID }
		if syscall.Kill(p.PID, 0) != syscall.ESRCH && !slices.ContainsFunc(all, same) {
			all = append(all, p)
		}
	}
	return slices.DeleteFunc(all, func(p tracefile.Living) bool { return p.PID == s.pid })
}

// livingAtEnd returns the processes that still run shortly after the program has ended; none if children are not
// recorded.
func (s *session) livingAtEnd() []tracefile.Living {
	if !s.follow {
		return nil
	}
	all := s.living()
	for end := time.Now().Add(endGrace); len(all) > 0 && time.Now().Before(end); all = s.living() {
		time.Sleep(endGrace / 5)
	}
	return all
}

// waitForChildren waits until all processes that the program started have ended, or a signal arrives.
func (s *session) waitForChildren(signalled <-chan os.Signal) {
	for pause := livingPause; len(s.living()) > 0; pause = min(2*pause, longestLivingPause) {
		select {
		case <-signalled:
			return
		case <-time.After(pause):
		}
	}
}

// withLiving marks each process of the list living as running in the list processes. It appends the processes that
// this list lacks.
func withLiving(processes []handshake.Process, living []tracefile.Living) []handshake.Process {
	for _, p := range living {
		at := slices.IndexFunc(processes, func(q handshake.Process) bool { return q.PID == p.PID })
		if at < 0 {
			processes = append(processes, handshake.Process{PID: p.PID, Program: p.Program, Hello: true})
			at = len(processes) - 1
		}
		processes[at].Running = true
	}
	return processes
}
