package handshake

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

func allProcesses() ([]Process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	all := make([]Process, 0, len(list))
	for i := range list {
		all = append(all, Process{PID: int(list[i].Proc.P_pid), Parent: int(list[i].Eproc.Ppid)})
	}
	return all, nil
}

// carries reports whether the environment of a process contains entry (NAME=VALUE). In procargs2 the environment
// follows the arguments, each ended by a zero byte.
func carries(pid int, entry string) bool {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bytes.Contains(raw, []byte("\x00"+entry+"\x00"))
}

// executable returns the path that a process executed; "" if the process is gone or belongs to another user.
func executable(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return ""
	}
	return executableIn(raw)
}
