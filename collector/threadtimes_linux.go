package collector

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// taskFolder is /proc/PID/task of a process. The descriptor keeps referring to that process when its id is reused.
type taskFolder struct {
	fd     int
	pid    int
	path   []byte
	buffer [128]byte

	waits map[uint64]int64 // how long each thread of the process has waited for a processor
	// sum over all threads since the first sample; exited threads count up to their last sample
	waited  int64
	listing [8192]byte
	names   []string
}

// mostTasks is the maximum number of threads for which the waits are summed, because each costs a read.
const mostTasks = 64

// openThreadClock returns nil if the process's threads are not visible under their own ids.
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

// sameNumbers reports whether this process, /proc and the other process are in the same pid namespace. NSpid in proc(5)
// lists a process's id in each namespace, from that of /proc down to its own.
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

// read reads /proc/PID/task/TID/schedstat: nanoseconds on a processor, nanoseconds waiting on a run queue, time slices
// (Documentation/scheduler/sched-stats.rst). The kernel adds to the first at least at each tick, and to the second when
// the wait ends.
func (f *taskFolder) read(thread uint64) (t wire.ThreadTime, alive bool) {
	switch thread {
	case wire.WholeProcess:
		return f.readProcess()
	case wire.WholeMachine:
		return machine.look()
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

// readProcess reads the process's processor time from the clock that clock_getcpuclockid(3) defines for it.
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

// readWaits sums how long all threads of the process waited for a processor, including threads without traced calls,
// such as those that simulate a GPU. It returns WaitNotKnown if there are too many threads, or no such counts.
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

// sameProcess reports whether the process still exists: its id may have been reused.
func (f *taskFolder) sameProcess() bool {
	var stat unix.Stat_t
	return unix.Fstatat(f.fd, strconv.Itoa(f.pid), &stat, 0) == nil
}

// parseSchedstat reads the first two numbers of a schedstat. A kernel that does not count them writes zeros.
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
