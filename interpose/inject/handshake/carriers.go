package handshake

import (
	"os"
	"slices"
)

// Carriers returns the processes whose environment contains entry (NAME=VALUE), in the order of their ids, without
// the calling process. A process keeps its environment over fork, exec and setsid, so an entry with a secret value
// identifies the processes of one run. Processes whose environment the caller may not read are missing: other users'
// processes and, unless the caller is root, undumpable ones.
func Carriers(entry string) ([]Process, error) {
	all, err := allProcesses()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p Process) bool { return p.PID == os.Getpid() || !carries(p.PID, entry) })
	for i := range all {
		all[i].Program = executable(all[i].PID)
	}
	slices.SortFunc(all, func(a, b Process) int { return a.PID - b.PID })
	return all, nil
}
