package main

import (
	"os"
	"runtime/pprof"
)

// profileCPU profiles mtrace's own processor time into the file that MTRACE_CPUPROFILE names, if it is set. The caller
// must call `stop` at the end. fixtures/stages sums up such profiles.
func profileCPU() (stop func(), err error) {
	path := os.Getenv("MTRACE_CPUPROFILE")
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}
