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

// executable reads KERN_PROCARGS2: the number of arguments, 4 bytes, then the
// path that was executed, ended by a zero byte.
func executable(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 5 {
		return ""
	}
	path, _, _ := bytes.Cut(raw[4:], []byte{0})
	return string(path)
}
