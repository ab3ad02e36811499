package collector

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// A machineClock counts the processor time of all programs on the machine, and how long their threads waited for a
// processor. If this process, and so the traced program, may use only some processors, it counts only these. The part
// that the traced processes did not use belongs to other programs.
type machineClock struct {
	mutex   sync.Mutex
	allowed *unix.CPUSet // nil before it was read
	last    wire.ThreadTime
}

// machine is shared by the samplers of all processes, so that /proc/stat is read once for all of them.
var machine machineClock

// read returns the processors' times up to now; ok is false if they cannot be read. If the latest reading is younger
// than half a sampling interval, read returns it again, because reading /proc/stat takes 9 µs on two processors
// and longer on more.
func (m *machineClock) read() (wire.ThreadTime, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return wire.ThreadTime{}, false
	}
	if m.last.At > 0 && now.Nano()-m.last.At < threadTimesPause.Nanoseconds()/2 {
		return m.last, true
	}
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return wire.ThreadTime{}, false
	}
	if m.allowed == nil {
		m.allowed = &unix.CPUSet{}
		if unix.SchedGetaffinity(os.Getpid(), m.allowed) != nil {
			m.allowed.Fill()
		}
	}
	busy, ready, known := parseStat(text, m.allowed.IsSet)
	if !known {
		return wire.ThreadTime{}, false
	}
	next := wire.ThreadTime{Thread: wire.WholeMachine, At: now.Nano(), Ran: max(m.last.Ran, busy.Nanoseconds()),
		Waited: m.last.Waited}
	if m.last.At > 0 {
		next.Waited += int64(ready) * (next.At - m.last.At)
	}
	m.last = next
	return next, true
}

// parseStat parses /proc/stat. busy is the time for which the allowed processors were busy, summed; time stolen by a
// hypervisor counts as busy. ready is how many runnable threads have no processor: all but the reading thread, minus
// the number of processors. A tick is 10 ms on every architecture (proc(5)).
func parseStat(text []byte, allowed func(processor int) bool) (busy time.Duration, ready int, known bool) {
	const tick = 10 * time.Millisecond
	processors, runnable := 0, -1
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) == 2 && string(fields[0]) == "procs_running" {
			runnable, _ = strconv.Atoi(string(fields[1]))
		}
		if len(fields) < 9 || !bytes.HasPrefix(fields[0], []byte("cpu")) || len(fields[0]) == len("cpu") {
			continue
		}
		processors++
		number, err := strconv.Atoi(string(fields[0][len("cpu"):]))
		if err != nil || number < 0 {
			return 0, 0, false
		}
		if !allowed(number) {
			continue
		}
		for i, field := range fields[1:9] { // user, nice, system, idle, iowait, irq, softirq, steal
			ticks, err := strconv.ParseInt(string(field), 10, 64)
			if err != nil || ticks < 0 {
				return 0, 0, false
			}
			if i != 3 && i != 4 {
				busy += time.Duration(ticks) * tick
			}
		}
	}
	return busy, max(0, runnable-1-processors), processors > 0 && runnable >= 0
}
