package handshake

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// allProcesses returns all processes of the system from /proc. A process that ends during the reading is left out.
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

// parentOf returns the parent's id, the fourth field of /proc/PID/stat. Fields are counted from the last closing
// parenthesis, because the second field is the name in parentheses and may itself contain some.
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

// execPatience is how many times an empty environment is read again. A process in the middle of an exec has no
// environment for a moment, and would otherwise be missed.
const execPatience = 20

// carries reports whether the environment of a process contains entry (NAME=VALUE). If the process's first thread has
// ended, its environment is read through another thread.
func carries(pid int, entry string) bool {
	for range execPatience {
		environment := environmentOf(pid)
		if len(environment) > 0 {
			return bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+entry+"\x00"))
		}
		if executable(pid) == "" { // the process has ended, is a kernel thread, or belongs to another user
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func environmentOf(pid int) []byte {
	if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); len(text) > 0 {
		return text
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/environ", pid))
	for _, path := range threads {
		if text, _ := os.ReadFile(path); len(text) > 0 {
			return text
		}
	}
	return nil
}

func executable(pid int) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}
