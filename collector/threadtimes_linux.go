package collector

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// A taskFolder is the open folder /proc/PID/task of a process. If the process ends and its id is reused, the open
// folder does not show the new process's threads.
type taskFolder struct {
	fd     int
	pid    int
	path   []byte
	buffer [128]byte

	waits map[uint64]int64 // how long each thread of the process has waited for a processor
	// the sum over all threads since the first sample; for an ended thread it includes the time in its last sample
	waited  int64
	listing [8192]byte
	names   []string
}

// mostTasks is the maximum number of threads whose waits for a processor are added up: reading each costs opening a
// file.
const mostTasks = 64

// openThreadClock returns a clock for the threads of a process, or nil if /proc shows them under other ids than the
// process itself uses.
func openThreadClock(pid int) threadClock {
	if pid == 0 || !sameNumbers(pid) {
		return nil
	}
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &taskFolder{fd: fd, pid: pid}
}

// sameNumbers reports whether this process, the other process and /proc use the same pid namespace; otherwise a
// thread id would name the wrong thread. NSpid (proc(5)) lists a process's id in each namespace, so it must be the
// one number pid.
func sameNumbers(pid int) bool {
	self, err := os.Readlink("/proc/self")
	if err != nil || self != strconv.Itoa(os.Getpid()) {
		return false
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	_, rest, found := bytes.Cut(status, []byte("\nNSpid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return found && string(bytes.TrimSpace(line)) == strconv.Itoa(pid)
}

// read reads /proc/PID/task/TID/schedstat: nanoseconds on a processor, nanoseconds waiting on a run queue, and the
// number of time slices. The kernel updates the first at every timer tick or more often, and the second only when the
// wait ends.
func (f *taskFolder) read(thread uint64) (t wire.ThreadTime, alive bool) {
	switch thread {
	case wire.WholeProcess:
		return f.readProcess()
	case wire.WholeMachine:
		return machine.read()
	}
	f.path = append(strconv.AppendUint(f.path[:0], thread, 10), "/schedstat"...)
	fd, err := unix.Openat(f.fd, string(f.path), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return t, false
	}
	n, err := unix.Read(fd, f.buffer[:])
	unix.Close(fd)
	var now unix.Timespec
	if err != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return t, false
	}
	t = wire.ThreadTime{Thread: thread, At: now.Nano()}
	return t, parseSchedstat(f.buffer[:n], &t)
}

// readProcess reads the processor time of the whole process from its CPU clock; the clock id is computed as
// clock_getcpuclockid(3) does. alive is false if the process has ended.
func (f *taskFolder) readProcess() (t wire.ThreadTime, alive bool) {
	const processorTime = 2 // CPUCLOCK_SCHED
	if !f.sameProcess() {
		return t, false
	}
	var now, ran unix.Timespec
	if unix.ClockGettime(int32(^f.pid<<3|processorTime), &ran) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC,
		&now) != nil {
		return t, false
	}
	return wire.ThreadTime{Thread: wire.WholeProcess, At: now.Nano(), Ran: ran.Nano(), Waited: f.readWaits()}, true
}

// readWaits returns how long the process's threads have waited for a processor since the first call, added up, in
// nanoseconds. The sum includes threads without traced calls, such as those that simulate a GPU. readWaits returns
// wire.WaitNotKnown if there are more than mostTasks threads or the kernel has no such counts.
func (f *taskFolder) readWaits() int64 {
	if _, err := unix.Seek(f.fd, 0, 0); err != nil {
		return wire.WaitNotKnown
	}
	n, err := unix.ReadDirent(f.fd, f.listing[:])
	if err != nil {
		return wire.WaitNotKnown
	}
	_, _, f.names = unix.ParseDirent(f.listing[:n], -1, f.names[:0])
	if len(f.names) > mostTasks {
		return wire.WaitNotKnown
	}
	first := f.waits == nil
	if first {
		f.waits = map[uint64]int64{}
	}
	for _, name := range f.names {
		id, err := strconv.ParseUint(name, 10, 64)
		if err != nil {
			continue
		}
		if t, alive := f.read(id); alive {
			if before, known := f.waits[id]; (known || !first) && t.Waited > before {
				f.waited += t.Waited - before
			}
			f.waits[id] = t.Waited
		}
	}
	return f.waited
}

// sameProcess reports whether the process still exists. After its end the id may belong to another process, whose
// time must not be counted.
func (f *taskFolder) sameProcess() bool {
	var stat unix.Stat_t
	return unix.Fstatat(f.fd, strconv.Itoa(f.pid), &stat, 0) == nil
}

// parseSchedstat reads the first two numbers of a schedstat file into t. It returns false for invalid text, and if
// the kernel does not count the times: it then writes zeros.
func parseSchedstat(b []byte, t *wire.ThreadTime) bool {
	fields := bytes.Fields(b)
	if len(fields) != 3 {
		return false
	}
	var err, err2 error
	t.Ran, err = strconv.ParseInt(string(fields[0]), 10, 64)
	t.Waited, err2 = strconv.ParseInt(string(fields[1]), 10, 64)
	return err == nil && err2 == nil && t.Ran > 0 && t.Waited >= 0
}

func (f *taskFolder) close() { unix.Close(f.fd) }
