package accelerator

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"howett.net/plist"
)

// node is a registry entry as `ioreg -a` writes it.
type node = map[string]any

// agx makes the property list of an Apple silicon GPU: the accelerator, with
// its clients as children, each with GPU times for one or more APIs.
func agx(t testing.TB, utilization int, clients ...node) []byte {
	t.Helper()
	children := []any{node{"IOObjectClass": "IOReportHub"}}
	for _, client := range clients {
		children = append(children, client)
	}
	return marshal(t, []any{node{
		"IOObjectClass": "AGXAcceleratorG13X", "model": "Apple M1 Max", "gpu-core-count": 32,
		"PerformanceStatistics": node{
			"Device Utilization %": utilization, "Renderer Utilization %": 7, "Tiler Utilization %": 3,
			"In use system memory": 2363801600, "In use system memory (driver)": 0, "Alloc system memory": 52967440384,
			"recoveryCount": 0,
		},
		"IORegistryEntryChildren": children,
	}})
}

func client(creator string, times ...int) node {
	var usage []any
	for _, ns := range times {
		usage = append(usage, node{"API": "Metal", "accumulatedGPUTime": ns, "lastSubmittedTime": 12345})
	}
	return node{"IOObjectClass": "AGXDeviceUserClient", "IOUserClientCreator": creator, "AppUsage": usage}
}

func marshal(t testing.TB, value any) []byte {
	t.Helper()
	list, err := plist.MarshalIndent(value, plist.XMLFormat, "\t")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestParseAppleSilicon(t *testing.T) {
	list := agx(t, 16, client("pid 378, WindowServer", 1000, 500), client("pid 4711, python3.12", 42),
		client("not a creator", 9))
	devices, err := Parse(list)
	if err != nil || len(devices) != 1 {
		t.Fatalf("%+v, %v", devices, err)
	}
	d := devices[0]
	if d.Class != "AGXAcceleratorG13X" || d.Model != "Apple M1 Max" || d.Cores != 32 || d.Utilization != 0.16 ||
		d.InUse != 2363801600 || d.Allocated != 52967440384 {
		t.Errorf("%+v", d)
	}
	if len(d.Clients) != 2 || d.Clients[0] != (Client{378, "WindowServer", 1500}) ||
		d.Clients[1] != (Client{4711, "python3.12", 42}) {
		t.Errorf("clients %+v", d.Clients)
	}
}

// TestParseIntel: a machine with two GPUs, whose drivers publish the model as
// bytes, one time on the client, and one of them no device utilization.
func TestParseIntel(t *testing.T) {
	list := marshal(t, []any{
		node{"IOObjectClass": "IntelAccelerator", "model": []byte("Intel Iris Plus\x00"),
			"PerformanceStatistics":   node{"Renderer Utilization %": 40},
			"IORegistryEntryChildren": []any{node{"IOUserClientCreator": "pid 1, a, b", "accumulatedGPUTime": 77}}},
		node{"IOObjectClass": "AMDRadeonX6000_AMDNavi23GraphicsAccelerator", "PerformanceStatistics": node{}},
	})
	devices, err := Parse(list)
	if err != nil || len(devices) != 2 {
		t.Fatalf("%+v, %v", devices, err)
	}
	if d := devices[0]; d.Model != "Intel Iris Plus" || d.Utilization != 0.4 || len(d.Clients) != 1 ||
		d.Clients[0] != (Client{1, "a, b", 77}) {
		t.Errorf("%+v", d)
	}
	if d := devices[1]; d.Utilization >= 0 {
		t.Errorf("a driver without a value is reported as %v busy", d.Utilization)
	}
}

func TestParseRefuses(t *testing.T) {
	if devices, err := Parse(nil); devices != nil || err != nil {
		t.Errorf("nothing gives %v, %v", devices, err)
	}
	for name, list := range map[string]string{
		"text": "no such service", "cut off": "<plist><array><dict>", "another list": "<plist><dict></dict></plist>",
		"entries of nothing": "<plist><array><dict></dict></array></plist>", "too long": strings.Repeat(" ", maxRegistry+1),
	} {
		if devices, err := Parse([]byte(list)); err == nil {
			t.Errorf("%s gives %+v", name, devices)
		}
	}
	// A value that no driver can mean must not become a huge number.
	list := agx(t, 101, client("pid 5, x", -4))
	devices, err := Parse(list)
	if err != nil || devices[0].Clients[0].GPU != 0 || devices[0].Utilization != 0.07 {
		t.Errorf("%+v, %v", devices, err)
	}
}

func TestMeter(t *testing.T) {
	start := time.Unix(1000, 0)
	var m Meter
	for i, clients := range [][]Client{
		{{1, "window", 100}, {2, "old", 5000}},
		{{1, "window", 150}, {2, "old", 5000}, {3, "new", 30}}, // 3 came
		{{1, "window", 250}, {3, "new", 40}, {3, "new", 60}},   // 2 went, 3 has two connections
		{{1, "window", 20}, {3, "new", 100}},                   // 1 closed a connection
		{{1, "window", 25}, {3, "new", 130}, {4, "last", 1}},
	} {
		m.Add(Sample{At: start.Add(time.Duration(i) * time.Second),
			Devices: []Device{{Utilization: float64(i) / 10, Clients: clients}}})
	}
	u := m.Usage()
	want := []ProcessUsage{{1, "window", 155}, {3, "new", 130}, {4, "last", 1}}
	if u.Wall != 4*time.Second || u.Samples != 5 || u.Utilization < 0.199 || u.Utilization > 0.201 {
		t.Errorf("%+v", u)
	}
	if len(u.Processes) != len(want) {
		t.Fatalf("%+v, want %+v", u.Processes, want)
	}
	for i := range want {
		if u.Processes[i] != want[i] {
			t.Errorf("%+v, want %+v", u.Processes[i], want[i])
		}
	}
	if ours, others := u.Of(func(pid int) bool { return pid == 3 }); ours != 130 || others != 156 {
		t.Errorf("ours %v, others %v", ours, others)
	}
	if u := (&Meter{}).Usage(); u.Utilization >= 0 || u.Wall != 0 {
		t.Errorf("no sample gives %+v", u)
	}
}

func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	usage, err := Watch(ctx, time.Millisecond, func(context.Context) ([]byte, error) {
		calls++
		if calls == 3 {
			cancel()
		}
		return agx(t, 50, client("pid 9, p", calls*10)), nil
	})
	if err != nil || usage.Samples < 3 || usage.Utilization != 0.5 {
		t.Errorf("%+v, %v", usage, err)
	}
	if got := usage.Processes[0].GPU; got != time.Duration(usage.Samples-1)*10 {
		t.Errorf("GPU time %v over %d samples", got, usage.Samples)
	}
	failure := errors.New("gone")
	if _, err := Watch(context.Background(), time.Millisecond, func(context.Context) ([]byte, error) {
		return nil,
			failure
	}); !errors.Is(err, failure) {
		t.Errorf("a source that fails gives %v", err)
	}
}

// TestIoreg reads the real registry on a Mac.
func TestIoreg(t *testing.T) {
	sample, err := Take(context.Background(), Ioreg)
	if runtime.GOOS != "darwin" {
		if !errors.Is(err, ErrNoRegistry) {
			t.Errorf("without a registry: %+v, %v", sample, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sample.Devices {
		if d.Class == "" || d.Utilization > 1 {
			t.Errorf("%+v", d)
		}
		t.Logf("%s %s, %d cores, %v busy, %d clients", d.Class, d.Model, d.Cores, d.Utilization, len(d.Clients))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(agx(f, 3, client("pid 1, a", 5)))
	f.Add([]byte("<plist><array><dict><key>IOObjectClass</key><string>x</string></dict></array></plist>"))
	f.Add([]byte("bplist00"))
	f.Fuzz(func(t *testing.T, list []byte) {
		devices, err := Parse(list)
		if err != nil {
			return
		}
		for _, d := range devices {
			if d.Utilization > 1 || d.InUse < 0 || d.Allocated < 0 {
				t.Errorf("%+v", d)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var clients []node
	for range 150 {
		clients = append(clients, client("pid 123, something", 1, 2))
	}
	list := agx(b, 10, clients...)
	b.SetBytes(int64(len(list)))
	for b.Loop() {
		if _, err := Parse(list); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRemark(t *testing.T) {
	u := Usage{Wall: time.Second, Processes: []ProcessUsage{{1, "ours", 800 * time.Millisecond},
		{2, "game", 300 * time.Millisecond}, {3, "window", 20 * time.Millisecond}}}
	own := func(pid int) bool { return pid == 1 }
	const want = "other programs used the GPU for 32% of the time, mostly game (process 2, 30%): measure again while " +
		"they are idle"
	if line, ok := u.Remark(own); !ok || line != want {
		t.Errorf("%q, want %q", line, want)
	}
	if line, ok := u.Remark(func(pid int) bool { return pid < 3 }); ok {
		t.Errorf("two per cent are worth %q", line)
	}
	if line, ok := (Usage{}).Remark(own); ok {
		t.Errorf("no samples are worth %q", line)
	}
}
