package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"mtrace/analyze/report"
)

// devicesSaid is the output of testdata/devices.py, by device.
type devicesSaid struct {
	TIDs           [][]uint64 `json:"tids"`
	CommandBuffers []int      `json:"command_buffers"`
	GPU            []int64    `json:"gpu_ns"`
}

// traceDevices traces one or several runs of the program, and returns the trace and each run's output.
func traceDevices(t *testing.T, metal []string, copies int, args string) (string, []devicesSaid) {
	t.Helper()
	needTruth(t)
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/devices.py")
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	env := append([]string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=1", "PYTHONPATH=" + programs,
		"PYTHONDONTWRITEBYTECODE=1"}, metal...)
	command := strings.Repeat("python3 "+script+" "+args+" & ", copies) + "wait"
	r := sh(t, "", env, tool.mtrace, "run", "--no-report", "-o", trace, "--", "sh", "-c", command)
	var all []devicesSaid
	for line := range strings.Lines(r.stdout) {
		var said devicesSaid
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, said)
	}
	if r.exit != 0 || r.stderr != "" || len(all) != copies {
		t.Fatalf("%+v", r)
	}
	return trace, all
}

func reportOf(t *testing.T, args ...string) *report.Report {
	t.Helper()
	r := sh(t, "", nil, tool.mtrace, append([]string{"report", "--json"}, args...)...)
	var found report.Report
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil || r.exit != 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	return &found
}

func causes(r *report.Report) (all []string) {
	for _, c := range r.Serialization.Causes {
		all = append(all, c.Cause)
	}
	return all
}

// Two devices of one name, each with a thread and a queue: once they were one device, whose time was the union of both,
// and the second device's libraries counted as repeated compilations.
func TestTwoDevices(t *testing.T) {
	trace, all := traceDevices(t, []string{"SOFTMETAL_DEVICES=2"}, 1, "400 1:1500 1:2500")
	said, names := all[0], []string{"softmetal G1", "softmetal G1 #2"}
	r := reportOf(t, trace)
	if r.Source.Device != strings.Join(names, ", ") || len(r.GPU.Devices) != 2 {
		t.Fatalf("devices %q, %+v", r.Source.Device, r.GPU.Devices)
	}
	var sum int64
	for i, d := range r.GPU.Devices {
		// One thread that waits for each: nothing overlaps. The program's own figures are seconds as Metal has them, in
		// doubles.
		if want := said.GPU[slices.Index(names, d.Name)]; d.BusyNS < want-int64(said.CommandBuffers[i]) ||
			d.BusyNS > want+int64(said.CommandBuffers[i]) {
			t.Errorf("%s was busy for %d ns, the program says %d", d.Name, d.BusyNS, want)
		}
		sum += d.BusyNS
	}
	if r.GPU.BusyNS != sum || r.GPU.SumNS != sum || r.GPU.Overlap != 1 {
		t.Errorf("busy %d, sum %d, overlap %g; by device %d", r.GPU.BusyNS, r.GPU.SumNS, r.GPU.Overlap, sum)
	}
	queues := map[string]int{}
	for _, q := range r.Queues {
		queues[q.Device] = q.CommandBuffers
		if i := slices.Index(names, q.Device); i < 0 || q.Label != fmt.Sprintf("queue of device %d", i) ||
			!slices.Equal(q.ThreadIDs, said.TIDs[i]) {
			t.Errorf("queue %+v; the program says %+v", q, said)
		}
		only := reportOf(t, "--queue", fmt.Sprint(q.ID), trace)
		if len(only.Queues) != 1 || only.Queues[0].Device != q.Device {
			t.Errorf("--queue %d: %+v", q.ID, only.Queues)
		}
	}
	if queues[names[0]] != said.CommandBuffers[0] || queues[names[1]] != said.CommandBuffers[1] {
		t.Errorf("command buffers %v, the program says %v", queues, said.CommandBuffers)
	}
	if r.Compile.Repeated != 0 {
		t.Errorf("%d compilations were repeated: each device has its own", r.Compile.Repeated)
	}
	text := sh(t, "", nil, tool.mtrace, "report", "--all", trace).stdout
	for _, name := range names {
		if strings.Count(text, name+": busy") != 1 {
			t.Errorf("the report's text does not say how busy %s was:\n%s", name, text)
		}
	}
	exportsOfTwoDevices(t, trace, names, sum)
}

// profileIn is the profile in a file, as go tool pprof reads it.
func profileIn(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exportsOfTwoDevices: the profile has the GPUs' time, and tables know the device of each queue.
func exportsOfTwoDevices(t *testing.T, trace string, names []string, sum int64) {
	dir := t.TempDir()
	if r := sh(t, "", nil, tool.mtrace, "pprof", "--type", "gpu", trace, "-o",
		filepath.Join(dir, "gpu.pb.gz")); r.exit != 0 {
		t.Fatalf("%+v", r)
	}
	p := profileIn(t, filepath.Join(dir, "gpu.pb.gz"))
	at := slices.IndexFunc(p.SampleType, func(s *profile.ValueType) bool { return s.Type == "gpu" })
	total := int64(0)
	for _, s := range p.Sample {
		total += s.Value[at]
	}
	if total != sum {
		t.Errorf("the profile has %d ns of GPU time, the report %d", total, sum)
	}
	if r := sh(t, "", nil, tool.mtrace, "export", "--format", "csv", trace, "-o", filepath.Join(dir, "csv")); r.exit != 0 {
		t.Fatalf("%+v", r)
	}
	table, err := os.Open(filepath.Join(dir, "csv", "queues.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v: %q", err, rows)
	}
	device := slices.Index(rows[0], "device")
	if got := []string{rows[1][device], rows[2][device]}; !slices.Equal(slices.Sorted(slices.Values(got)), names) {
		t.Errorf("devices of the queues: %q", got)
	}
}

// Threads with a device each do not block each other anywhere.
func TestVerdictOfTwoDevices(t *testing.T) {
	ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
		trace, _ := traceDevices(t, []string{"SOFTMETAL_DEVICES=2"}, 1, fmt.Sprintf("%d 1:1500 1:2500", milliseconds))
		s := reportOf(t, trace).Serialization
		if s.Verdict == "none" || s.Verdict == "gpu-bound" { // by how long the GPU's work keeps its threads
			return ""
		}
		return fmt.Sprintf("%s: %s", s.Verdict, s.Summary)
	})
}

// The story: the device with the most work has one thread, the other has five that wait for each other. The verdict was
// about the first device, and it was none.
func TestVerdictIsAboutTheDeviceThatThreadsWaitFor(t *testing.T) {
	ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
		trace, _ := traceDevices(t, []string{"SOFTMETAL_DEVICES=2"}, 1, fmt.Sprintf("%d 1:3000 5:3000", milliseconds))
		s := reportOf(t, trace).Serialization
		if s.Verdict == "gpu-saturated" && strings.Contains(s.Summary, `GPU figures are for "softmetal G1 #2"`) {
			return ""
		}
		return fmt.Sprintf("%s: %s", s.Verdict, s.Summary)
	})
}

// Two processes share one device: sums are exact, the device's time is the union, and neither process counts as
// external load for the other, in the whole trace and in a range of it. A machine that stands still for a while looks
// like external load, once; an error of the analysis shows in each run.
func TestTwoProcessesOnOneDevice(t *testing.T) {
	ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
		return strings.Join(twoProcessesOnOneDevice(t, milliseconds), "; ")
	})
}

// twoProcessesOnOneDevice returns where another program was seen on their GPU.
func twoProcessesOnOneDevice(t *testing.T, milliseconds int) (strangers []string) {
	shared := filepath.Join(t.TempDir(), "gpu")
	trace, all := traceDevices(t, []string{"SOFTMETAL_SHARED=" + shared}, 2, fmt.Sprintf("%d 1:3000", milliseconds))
	r := reportOf(t, trace)
	want, command := int64(0), 0
	for _, said := range all {
		want, command = want+said.GPU[0], command+said.CommandBuffers[0]
	}
	buffers := 0
	for _, q := range r.Queues {
		buffers += q.CommandBuffers
	}
	if len(r.GPU.Devices) != 1 || buffers != command || r.GPU.SumNS < want-int64(command) ||
		r.GPU.SumNS > want+int64(command) {
		t.Errorf("devices %+v, %d command buffers of %d, %d ns of %d", r.GPU.Devices, buffers, command, r.GPU.SumNS, want)
	}
	if r.GPU.Overlap > 1.001 {
		t.Errorf("overlap %g: one engine for both", r.GPU.Overlap)
	}
	if slices.Contains(causes(r), "foreign-gpu-load") {
		strangers = append(strangers, r.Serialization.Summary)
	}
	for _, pid := range r.Source.PIDs {
		only := reportOf(t, "--pid", fmt.Sprint(pid), trace)
		if len(only.Source.PIDs) != 1 {
			t.Errorf("--pid %d: processes %v", pid, only.Source.PIDs)
		}
		if slices.Contains(causes(only), "foreign-gpu-load") {
			strangers = append(strangers, fmt.Sprintf("process %d: %s", pid, only.Serialization.Summary))
		}
	}
	return strangers
}
