package handshake

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// allProcesses reads /proc; a process that ends meanwhile is left out.
func allProcesses() ([]Process, error) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	names, err := folder.Readdirnames(-1)
	folder.Close()
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var all []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if parent, ok := parentOf(stat); ok {
			all = append(all, Process{PID: pid, Parent: parent})
		}
	}
	return all, nil
}

// parentOf reads the fourth field of /proc/PID/stat. The second is the name in
// parentheses, which may hold anything, parentheses too.
func parentOf(stat []byte) (int, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}

func executable(pid int) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}
