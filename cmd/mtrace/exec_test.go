package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mtrace/analyze"
)

// commitsOf counts the commits that a trace holds.
func commitsOf(t *testing.T, path string) (commits int) {
	t.Helper()
	if _, err := analyze.Load(path, analyze.Options{Visit: func(c *analyze.VisitedCall) {
		if c.Row.Selector == "commit" {
			commits++
		}
	}}); err != nil {
		t.Error(err)
	}
	return commits
}

// selfTestCommits returns the number of commits that the self-test printed.
func selfTestCommits(t *testing.T, stdout string) int {
	t.Helper()
	var said struct {
		Calls []struct {
			Selector string
			Count    int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &said); err != nil {
		t.Errorf("%v\n%s", err, stdout)
	}
	for _, c := range said.Calls {
		if c.Selector == "commit" {
			return c.Count
		}
	}
	return -1
}

// Programs that replace each other by exec: each of these sends a hello from the same process id, faster than the
// collector gets a processor. With three busy loops, twenty-one of forty runs left a trace without one call, and no
// message.
func TestExecChains(t *testing.T) {
	t.Parallel()
	needTruth(t)
	buildSelfTest(t)
	program := filepath.Join(tool.dir, "mtrace-selftest")
	chains := [][]string{
		{"sh", "-c", `exec "$0"`, program},
		{"env", "A=1", program},
		{"sh", "-c", `exec env A=1 sh -c "exec $0"`, program},
		{"sh", "-c", `exec sh -c "exec env B=2 sh -c 'exec $0'"`, program},
		{"sh", "-c", `(exec env C=3 "$0"); exit $?`, program},
	}
	const each, atOnce = 10, 8 // more at once than there are processors: each waits for one at its own moment
	dir := t.TempDir()
	var running sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range each * len(chains) {
		running.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			trace, chain := filepath.Join(dir, fmt.Sprintf("%d.mtrace", i)), chains[i%len(chains)]
			got := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "-o", trace, "--"}, chain...)...)
			if got.exit != 0 || got.stderr != "" {
				t.Errorf("%s: exit status %d, %s", strings.Join(chain, " "), got.exit, got.stderr)
				return
			}
			if want, commits := selfTestCommits(t, got.stdout), commitsOf(t, trace); commits != want {
				t.Errorf("%s: %d of %d commits are in the trace", strings.Join(chain, " "), commits, want)
			}
		})
	}
	running.Wait()
}
