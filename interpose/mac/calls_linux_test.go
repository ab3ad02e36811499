package mac

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// client links ../testdata/client.m, a program for GCC's Objective-C runtime, with the Mac's library.
func (b *built) client(t *testing.T) string {
	t.Helper()
	path := filepath.Join(b.folder, "client")
	args := append([]string{"-fobjc-exceptions", "testdata/client.m"}, b.objects...)
	if err := run([]*exec.Cmd{b.foreign(path, append(args, "-Wl,--no-as-needed", b.shapes, "-lobjc", "-lBlocksRuntime",
		"-lpthread", "-ldl", "-rdynamic")...)}); err != nil {
		t.Fatal(err)
	}
	return path
}

// recorded returns how often each thread made each call, without the tracer's own records and waits for locks, whose
// number varies.
func recorded(t *testing.T, trace *tracefile.Reader) map[string]int {
	t.Helper()
	calls := map[string]int{}
	for _, s := range trace.Streams() {
		var thread uint64
		err := trace.Read(s, func(records []wire.Record) error {
			for _, r := range records {
				if r.Call == wire.CallThreadStart {
					thread = r.Arg
				}
				if f := r.Call.Row().Family; f != wire.FamilyTracer && f != wire.FamilyLock && f != wire.FamilySignal {
					calls[fmt.Sprint(thread, " ", r.Call)]++
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	return calls
}

// The Mac's library records the calls of a program that counts them itself, thread by thread: classes hooked by
// class_replaceMethod, the thread's state in thread-specific data of pthreads, frames that exceptions and jumps leave
// through a personality routine in Mach-O's format, threads that start and end, forks.
func (b *built) testCalls(t *testing.T) {
	client := b.client(t)
	for _, scenario := range []string{"classes", "threads", "short-threads", "exceptions", "jumps", "completion-jumps",
		"reuse", "odd", "fork", "flood"} {
		t.Run(scenario, func(t *testing.T) {
			trace, out, _ := b.trace(t, exec.Command(client, scenario, "100"))
			want := map[string]int{}
			for line := range strings.Lines(out) {
				var thread, times int
				var selector string
				if _, err := fmt.Sscan(line, &thread, &selector, &times); err != nil {
					t.Fatalf("the program says %q", line)
				}
				want[fmt.Sprint(thread, " ", selector)] += times
			}
			got := recorded(t, trace)
			all := maps.Clone(want)
			maps.Copy(all, got)
			for _, key := range slices.Sorted(maps.Keys(all)) {
				if got[key] != want[key] {
					t.Errorf("%s: recorded %d, made %d", key, got[key], want[key])
				}
			}
		})
	}
}
