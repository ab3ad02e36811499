package doctor

import (
	"bytes"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"howett.net/plist"

	"mtrace/collector/wire"
	"mtrace/interpose/inject"
)

var update = flag.Bool("update", false, "write the golden files anew")

// mac describes a Mac: the output of its programs, by command line.
func mac(t *testing.T, answers map[string]string) *Probe {
	t.Helper()
	return &Probe{
		OS: "darwin", Arch: "arm64", Directory: t.TempDir(), Temp: t.TempDir(),
		Environ: []string{"PATH=/opt/homebrew/bin", "MTL_DEBUG_LAYER=1", "SECRET_TOKEN=abc"},
		Host: inject.Host{OS: "darwin", Arch: "arm64", Directory: "/", Facts: func(string) (inject.FileFacts,
			error) {
			return inject.FileFacts{}, errors.New("none")
		}},
		Run: func(name string, args ...string) (string, error) {
			line := strings.Join(append([]string{name}, args...), " ")
			if answer, ok := answers[line]; ok {
				return answer, nil
			}
			return "", errors.New(name + ": not found")
		},
		Read: func(string) ([]byte, error) { return nil, os.ErrNotExist },
		Glob: func(string) []string { return nil },
	}
}

func registry(t *testing.T, utilization int) string {
	list, err := plist.Marshal([]any{map[string]any{"IOObjectClass": "AGXAcceleratorG16X",
		"PerformanceStatistics":   map[string]any{"Device Utilization %": utilization, "In use system memory": 3 << 30},
		"IORegistryEntryChildren": []any{map[string]any{"IOUserClientCreator": "pid 378, WindowServer"}}}}, plist.XMLFormat)
	if err != nil {
		t.Fatal(err)
	}
	return string(list)
}

func m4(t *testing.T) map[string]string {
	return map[string]string{
		"sysctl -n hw.model": "Mac16,6\n", "sysctl -n machdep.cpu.brand_string": "Apple M4 Max\n",
		"sysctl -n hw.memsize":    "68719476736\n",
		"sw_vers -productVersion": "15.7.3\n", "sw_vers -buildVersion": "24G419\n",
		"csrutil status": "System Integrity Protection status: enabled.\n",
		"system_profiler -json SPDisplaysDataType": `{"SPDisplaysDataType":[{"sppci_model":"Apple M4 ` +
			`Max","sppci_cores":"40","spdisplays_mtlgpufamilysupport":"spdisplays_metal3"}]}`,
		"/usr/sbin/ioreg -a -r -c IOAccelerator": registry(t, 4),
		"xcode-select -p":                        "/Library/Developer/CommandLineTools\n",
		"xcrun clang --version":                  "Apple clang version 17.0.0\n",
	}
}

// TestMachine: the output of a Mac's programs becomes these checks.
func TestMachine(t *testing.T) {
	cases := []struct {
		name   string
		change func(map[string]string)
		check  func(*Probe) Check
		status Status
		says   string
	}{
		{"machine", nil, (*Probe).machine, Info, "Mac16,6, Apple M4 Max"},
		{"memory and version", nil, (*Probe).machine, Info, "64 GiB, macOS 15.7.3 (24G419)"},
		{"too old", func(a map[string]string) { a["sw_vers -productVersion"] = "12.7" }, (*Probe).machine, Fail,
			"macOS 12.7"},
		{"protected", nil, (*Probe).protection, Info, "is on"},
		{"unprotected", func(a map[string]string) { a["csrutil status"] = "System Integrity Protection status: disabled." },
			(*Probe).protection, Info, "is off"},
		{"protection unknown", func(a map[string]string) { delete(a, "csrutil status") }, (*Probe).protection, Warn,
			"does not report"},
		{"GPU", nil, (*Probe).gpus, OK, "Apple M4 Max, 40 cores, metal3"},
		{"GPU of an older system", func(a map[string]string) {
			a["system_profiler -json SPDisplaysDataType"] =
				`{"SPDisplaysDataType":[{"sppci_model":"Intel Iris","spdisplays_metal":"spdisplays_supported"}]}`
		}, (*Probe).gpus, OK, "Intel Iris, supported"},
		{"no Metal", func(a map[string]string) {
			a["system_profiler -json SPDisplaysDataType"] = `{"SPDisplaysDataType":[{"sppci_model":"VGA"}]}`
		},
			(*Probe).gpus, Fail, "no GPU with Metal"},
		{"system_profiler prints nonsense", func(a map[string]string) {
			a["system_profiler -json SPDisplaysDataType"] =
				"oops"
		}, (*Probe).gpus, Warn, "does not list"},
		{"GPU idle", nil, (*Probe).busy, Info,
			"AGXAcceleratorG16X: 1 processes connected, 3 GiB of GPU memory in use, 4% busy"},
		{"GPU taken", func(a map[string]string) { a["/usr/sbin/ioreg -a -r -c IOAccelerator"] = registry(t, 97) },
			(*Probe).busy, Warn, "97% busy"},
		{"no registry", func(a map[string]string) { delete(a, "/usr/sbin/ioreg -a -r -c IOAccelerator") }, (*Probe).busy,
			Warn, "cannot read the GPU's utilization"},
		{"command line tools only", nil, (*Probe).xcode, Info, "no xctrace"},
		{"Xcode", func(a map[string]string) { a["xcrun xctrace version"] = "xctrace version 16.0 (16F6)\n" }, (*Probe).xcode,
			OK, "xctrace version 16.0"},
		{"no tools", func(a map[string]string) { delete(a, "xcode-select -p") }, (*Probe).xcode, Warn, "no Xcode"},
		{"variables", nil, (*Probe).variables, Warn, "that change a trace: 1"},
		{"folders", nil, (*Probe).paths, OK, "sockets in"},
		{"no Python", nil, func(p *Probe) Check { return p.pythons("/l", nil) }, Info, "none found"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			answers := m4(t)
			if c.change != nil {
				c.change(answers)
			}
			got := c.check(mac(t, answers))
			if got.Status != c.status || !strings.Contains(got.Text, c.says) {
				t.Errorf("%s: %q, want %s with %q", got.Status, got.Text, c.status, c.says)
			}
			if got.Status == Fail && got.Advice == "" {
				t.Errorf("%q says no and gives no advice", got.Text)
			}
			for _, line := range got.Details {
				if strings.Contains(line, "abc") {
					t.Errorf("a secret is shown: %q", line)
				}
			}
		})
	}
}

func TestProtectionOffReachesTheDecision(t *testing.T) {
	p := mac(t, map[string]string{"csrutil status": "System Integrity Protection status: disabled."})
	p.protection()
	if !p.Host.ProtectionOff {
		t.Error("that protection is off does not reach the decisions on programs")
	}
}

// TestLeftovers uses real sockets: one that is served and one whose server is
// gone.
func TestLeftovers(t *testing.T) {
	temp, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	p := &Probe{Temp: temp, Directory: t.TempDir(), Glob: func(pattern string) []string {
		if !strings.HasPrefix(pattern, temp) && !strings.Contains(pattern, ".part") {
			return nil // not the real /tmp
		}
		found, _ := filepath.Glob(pattern)
		return found
	}}
	if c := p.leftovers(); c.Status != OK {
		t.Errorf("nothing is there: %+v", c)
	}
	listen := func(folder string) net.Listener {
		os.Mkdir(filepath.Join(temp, folder), 0o700)
		listener, err := net.Listen("unix", filepath.Join(temp, folder, "s"))
		if err != nil {
			t.Fatal(err)
		}
		listener.(*net.UnixListener).SetUnlinkOnClose(false)
		return listener
	}
	defer listen("mtrace-live").Close()
	listen("mtrace-dead").Close()
	os.Mkdir(filepath.Join(temp, "mtrace-build"), 0o700)
	os.WriteFile(filepath.Join(temp, "mtrace-build", "file"), nil, 0o600)
	os.WriteFile(filepath.Join(p.Directory, ".python3-77.mtrace.part"), nil, 0o600)
	c := p.leftovers()
	want := []string{filepath.Join(temp, "mtrace-dead"), filepath.Join(p.Directory, ".python3-77.mtrace.part")}
	if strings.Join(c.Details, " ") != strings.Join(want, " ") {
		t.Errorf("%q, want %q", c.Details, want)
	}
}

// TestCompare: the self-test must not pass when a call is missed, seen twice or
// made up, nor when GPU times are missing or on another clock.
func TestCompare(t *testing.T) {
	commit := wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	set := wire.MustLookup(wire.FamilyEncoder, "setComputePipelineState:")
	program := func() *selfTestOutput {
		r := &selfTestOutput{ResultRight: true, CommandBuffers: 2, Completed: 2, StartAfter: 900, ReturnAfter: 5000, Call: 30}
		r.Calls = append(r.Calls, struct {
			Role     string `json:"role"`
			Selector string `json:"selector"`
			Count    uint64 `json:"count"`
		}{"command_buffer", "commit", 2}, struct {
			Role     string `json:"role"`
			Selector string `json:"selector"`
			Count    uint64 `json:"count"`
		}{"compute_encoder", "setComputePipelineState:", 4000})
		return r
	}
	saw := func() *sight { return &sight{calls: map[wire.Call]uint64{commit: 2, set: 4000}, timed: 2} }
	cases := []struct {
		name   string
		change func(*selfTestOutput, *sight)
		calls  Status
		times  Status
	}{
		{"all is well", func(*selfTestOutput, *sight) {}, OK, OK},
		{"a call is missed", func(_ *selfTestOutput, s *sight) { s.calls[set]-- }, Fail, OK},
		{"a call is seen twice", func(_ *selfTestOutput, s *sight) { s.calls[commit]++ }, Fail, Fail},
		{"a kind is missed", func(_ *selfTestOutput, s *sight) { delete(s.calls, set) }, Fail, OK},
		{"a kind is made up", func(_ *selfTestOutput, s *sight) { s.calls[wire.CallScheduled] = 1; s.calls[64] = 3 }, Fail,
			OK},
		{"Metal waits for a lock of its own", func(_ *selfTestOutput,
			s *sight) {
			s.calls[wire.MustLookup(wire.FamilyLock, "pthread_mutex_lock")] = 3
		}, OK, OK},
		{"records are lost beside the calls", func(_ *selfTestOutput, s *sight) { s.lost = 1 }, Warn, OK},
		{"the trace is cut", func(_ *selfTestOutput, s *sight) { s.cut = "no end" }, Fail, OK},
		{"the result is wrong", func(r *selfTestOutput, _ *sight) { r.ResultRight = false }, Fail, OK},
		{"a command buffer failed", func(r *selfTestOutput, _ *sight) { r.Completed = 1 }, Fail, OK},
		{"GPU times are missing", func(_ *selfTestOutput, s *sight) { s.timed = 1 }, OK, Fail},
		{"the GPU started before the commit", func(r *selfTestOutput, _ *sight) { r.StartAfter = -50000 }, OK, Warn},
		{"the GPU ended after the wait", func(r *selfTestOutput, _ *sight) { r.ReturnAfter = -50000 }, OK, Warn},
	}
	for _, c := range cases {
		r, s := program(), saw()
		c.change(r, s)
		if got := compareCalls(r, s); got.Status != c.calls {
			t.Errorf("%s: calls %s, want %s: %s", c.name, got.Status, c.calls, got.Text)
		}
		if got := compareTimes(r, s); got.Status != c.times {
			t.Errorf("%s: times %s, want %s: %s", c.name, got.Status, c.times, got.Text)
		}
	}
}

// TestLock: a wait that was not seen is distinguished from a wait that could not be seen.
func TestLock(t *testing.T) {
	const refused = "waits for locks and signals are not recorded: dyld refuses"
	for _, c := range []struct {
		name   string
		seen   sight
		status Status
		text   string
	}{
		{"seen", sight{lock: 99e6}, OK, "the trace records a wait of"},
		{"not seen", sight{}, Warn, "the trace records a wait of 0 ns"},
		{"could not be seen", sight{unseen: refused}, Fail, refused},
	} {
		got := lock(&selfTestOutput{Lock: 100e6}, &c.seen)
		if got.Status != c.status || !strings.Contains(got.Text, c.text) {
			t.Errorf("%s: %s %q, want %s and %q", c.name, got.Status, got.Text, c.status, c.text)
		}
	}
}

func TestScrub(t *testing.T) {
	p := Private{}.add("/Users/ann", "~").add("ann", "USER").add("ann-macbook.local", "HOST").add("root",
		"USER").add("al", "USER")
	for text, want := range map[string]string{
		"/Users/ann/x/python":         "~/x/python",
		"/Users/anna/x":               "/Users/anna/x",
		"by ann on ann-macbook.local": "by USER on HOST",
		"channel annotation":          "channel annotation",
		"/tmp/ann":                    "/tmp/USER",
		"/root/al":                    "/root/al",
	} {
		if got := p.Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	report := Report{Schema: Schema, Args: []string{"/Users/ann/t.py"},
		Checks: []Check{{ID: "x", Text: "ann", Details: []string{"ann"},
			Data: map[string]any{"/Users/ann": []python{{Path: "/Users/ann/python"}}, "n": 12345678901}}}}
	clean, err := p.Scrub(report)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := clean.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "ann") {
		t.Errorf("private text is left:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "12345678901") {
		t.Errorf("a number was changed:\n%s", out.String())
	}
}

// TestText holds the report for reading against a golden file.
func TestText(t *testing.T) {
	r := Report{Args: []string{"python3", "train.py"}, Checks: []Check{
		{ID: "machine", Status: Info, Text: "Mac16,6, Apple M4 Max, 16 processors, 64 GiB, macOS 15.7.3 (24G419)"},
		{ID: "library", Status: OK, Text: "/opt/mtrace/libmtrace.dylib for x86_64, arm64",
			Details: []string{"left out when all is well"}},
		{ID: "command", Status: Fail, Text: "/usr/bin/python3 cannot be traced: it is protected by System Integrity " +
			"Protection: dyld drops DYLD_INSERT_LIBRARIES, for all it starts too",
			Advice:  "use a copy that does not come with macOS, for instance Homebrew's",
			Details: []string{"/usr/bin/python3, Mach-O arm64e"}},
		{ID: "self-test", Status: Skipped, Text: "not asked for"},
	}}
	r.finish()
	var out bytes.Buffer
	if err := r.WriteText(&out, false, false); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "report.txt")
	if *update {
		os.MkdirAll("testdata", 0o755)
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the report changed:\n%s", out.String())
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if len([]rune(line)) > width {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
}
