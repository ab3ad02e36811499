package main

import (
	"slices"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

// Threads are chosen by number and by name, in the tables and in the matrices, which keep whom these threads wait for.
// The verdict is on all.
func TestReportOfSomeThreads(t *testing.T) {
	t.Parallel()
	const path = "../../fixtures/traces/device-sync.mtrace"
	all := reportOf(t, path)
	ids := map[string]uint64{}
	for _, th := range all.Threads {
		ids[th.Name] = th.TID
	}
	names := func(flags ...string) (names []string) {
		r := reportOf(t, append(flags, path)...)
		for _, th := range r.Threads {
			names = append(names, th.Name)
		}
		if r.Serialization.Verdict != all.Serialization.Verdict {
			t.Errorf("%q: the verdict is %s", flags, r.Serialization.Verdict)
		}
		return names
	}
	for flag, want := range map[string][]string{"worker-[23]": {"worker-2", "worker-3"},
		"26248,worker-7": {"worker-0", "worker-7"}, "worker-1*": {"worker-1"}} {
		if got := names("--thread", flag); !slices.Equal(got, want) {
			t.Errorf("--thread %s lists %q", flag, got)
		}
	}
	some := reportOf(t, "--thread", "worker-3", path)
	before, after := all.Serialization.WaitMatrix, some.Serialization.WaitMatrix
	at := func(tids []uint64, name string) int { return slices.Index(tids, ids[name]) }
	for i, from := range after.TIDs {
		for j, to := range after.TIDs {
			want := int64(0)
			if from == ids["worker-3"] || to == ids["worker-3"] {
				want = before.NS[slices.Index(before.TIDs, from)][slices.Index(before.TIDs, to)]
			}
			if after.NS[i][j] != want {
				t.Errorf("%d waits %d ns for %d, not %d", from, after.NS[i][j], to, want)
			}
		}
	}
	if at(after.TIDs, "worker-3") < 0 || at(after.TIDs, "worker-5") < 0 || len(after.TIDs) > len(before.TIDs) {
		t.Errorf("the matrix is of %v", after.TIDs)
	}
	for flag, want := range map[string]string{
		"nobody":   " has no thread nobody; its threads: ",
		"worker-[": `--thread "worker-[": syntax error in pattern`,
	} {
		if got := sh(t, "", nil, tool.mtrace, "report", "--thread", flag, path); got.exit != cli.ExitUsage ||
			got.stdout != "" ||
			!strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("--thread %s: %+v", flag, got)
		}
	}
}
