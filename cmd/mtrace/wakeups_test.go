package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The drainer woke every 20 ms, and for every few hundred records in the socket: each time it took a processor from the
// program, for records that the collector can read in shared memory. The test counts how often its thread slept while
// the program made calls for a second; more would be more than a round every 80 ms.
func TestDrainerSleeps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how often a thread slept is read from /proc")
	}
	const program = `
import os, sys, time
sys.path.insert(0, "../../fixtures")
import workload
objc = workload.Objc(*workload.open_metal(None))
queue = objc(objc.create_device(), "newCommandQueue")
label = objc(objc.string("busy"), "retain")
def slept():
    for task in os.listdir("/proc/self/task"):
        if open("/proc/self/task/%s/comm" % task).read() == "mtrace\n":
            for line in open("/proc/self/task/%s/status" % task):
                if line.startswith("voluntary_ctxt_switches"): return int(line.split()[1])
objc(queue, "setLabel:", label)
while slept() is None: time.sleep(0.01)
time.sleep(0.2)
begin, before, calls = time.monotonic(), slept(), 0
while time.monotonic() < begin + 1:
    for _ in range(100): objc(queue, "setLabel:", label)
    calls += 100
    time.sleep(0.001)
print(slept() - before, int(1000 * (time.monotonic() - begin)), calls)
`
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	cmd := exec.Command(tool.mtrace, "run", "--no-report", "-o", trace, "--", "python3", "-c", program)
	cmd.Env = append(cmd.Environ(), "SOFTMETAL_LIBRARY="+filepath.Join(tool.dir, "softmetal", "libsoftmetal.so"))
	out, err := printedBy(cmd, commandLimit)
	var slept, milliseconds, calls int
	if _, scanned := fmt.Sscan(string(out), &slept, &milliseconds, &calls); err != nil || scanned != nil {
		t.Fatalf("%v %v\n%s", err, scanned, out)
	}
	t.Logf("it slept %d times in %d ms of %d calls", slept, milliseconds, calls)
	if most := milliseconds/80*3/2 + 4; slept > most {
		t.Errorf("the drainer slept %d times in %d ms, not %d at most", slept, milliseconds, most)
	}
	if calls < 1000 {
		t.Errorf("only %d calls", calls)
	}
}
