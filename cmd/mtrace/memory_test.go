package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
)

// runClient traces a check of the software Metal's client. It returns the client's output and the trace, and decodes
// the JSON report into document.
func runClient(t *testing.T, check string, document any, env ...string) (stdout string, trace *analyze.Trace) {
	t.Helper()
	needTruth(t)
	client, err := metalClient()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.mtrace")
	got := sh(t, "", env, tool.mtrace, "run", "--no-report", "-o", path, "--", client, check)
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	if err := json.Unmarshal([]byte(sh(t, "", nil, tool.mtrace, "report", "--json", path).stdout), document); err != nil {
		t.Fatal(err)
	}
	if trace, err = analyze.Load(path, analyze.Options{}); err != nil {
		t.Fatal(err)
	}
	return got.stdout, trace
}

// Memory of every kind is in the trace with its size, its storage mode, and whether it was released. A resource inside
// other memory is not counted twice. The device's own total, which the program prints too, is there.
func TestAllocations(t *testing.T) {
	t.Parallel()
	var d struct {
		Memory struct {
			Allocations, Releases int
			PeakBytes             uint64  `json:"peak_bytes"`
			PeakSource            string  `json:"peak_source"`
			DeviceBytes           *uint64 `json:"device_peak_bytes"`
			DeviceSamples         int     `json:"device_samples"`
			Recommended           *uint64 `json:"device_recommended_bytes"`
			ByStorageMode         map[string]struct {
				Count int
				Bytes uint64
			} `json:"by_storage_mode"`
		}
	}
	stdout, trace := runClient(t, "allocations", &d, "SOFTMETAL_MEMORY_MB=400")
	var got []string
	for _, a := range trace.Memory.Allocations {
		got = append(got, fmt.Sprintf("%s %d %s inside %v released %v", strings.SplitN(a.Selector, ":", 2)[0], a.Bytes,
			a.Storage, a.OnHeap, a.Released > a.At))
	}
	want := []string{
		"newBufferWithLength 4096 shared inside false released true",
		"newBufferWithLength 8192 private inside false released true",
		"newBufferWithBytes 100 shared inside false released true",
		"newBufferWithBytesNoCopy 16384 shared inside false released true",
		"newTextureWithDescriptor 8192 shared inside false released true",
		"newHeapWithDescriptor 65536 private inside false released true",
		"newBufferWithLength 1024 private inside true released true",
		"newBufferWithLength 16 shared inside false released true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("allocated:\n%s\nshould be:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	m := &d.Memory
	if m.Allocations != 8 || m.Releases != 8 || m.PeakSource != "measured" || m.ByStorageMode["private"].Count != 3 {
		t.Errorf("%+v", m)
	}
	if want := uint64(8192 + 16384 + 8192 + 65536); m.PeakBytes != want { // with the heap, after the first two releases
		t.Errorf("peak %d, not %d", m.PeakBytes, want)
	}
	if m.Recommended == nil || *m.Recommended != 300<<20 {
		t.Errorf("the device recommends %v, of 400 MiB three quarters", m.Recommended)
	}
	most, said := uint64(0), map[uint64]bool{}
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var bytes uint64
		fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &bytes)
		most, said[bytes] = max(most, bytes), true
	}
	if m.DeviceBytes == nil || *m.DeviceBytes != most || m.DeviceSamples < 5 {
		t.Errorf("by the device's account %v in %d samples; it told the program %d", m.DeviceBytes, m.DeviceSamples, most)
	}
}

// A Metal 4 commit passes its times to the handlers of its options, without the commit's identity: two concurrent
// commits with the same options have no times. The report once did not mention that: those command buffers looked as if
// they had never run.
func TestUntimedCommitsAreSaid(t *testing.T) {
	var d struct{ Warnings []string }
	runClient(t, "metal4-options", &d)
	if text := strings.Join(d.Warnings, "\n"); !strings.Contains(text,
		"2 Metal 4 command buffers have no GPU times: other commits with the same options") {
		t.Errorf("warnings: %q", text)
	}
}
