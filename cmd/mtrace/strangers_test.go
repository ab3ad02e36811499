package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// strangerScript connects to every collector's socket in a folder that /proc/net/unix shows, as often as requested. It
// sends the bytes and, if a file is named, the file's descriptor with the frame after them. It prints how many
// connections it has, and holds them until its input ends.
const strangerScript = `
import array, os, socket, struct, sys
times, hello, rings = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
path, folder = sys.argv[4:6]
held = []
for line in open("/proc/net/unix"):
    name = line.split()[-1]
    if not name.startswith(folder + "/mtrace-collector-"):
        continue
    for _ in range(times):
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(name)
            s.sendall(hello)
            if path:
                fd = os.open(path, os.O_RDWR)
                s.sendmsg([rings], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        except OSError:
            continue
        held.append(s)
print(len(held), flush=True)
sys.stdin.read()
`

// lyingRegion is a file with shared memory whose counters claim a million lost records and 12,345 forked children.
func lyingRegion(t *testing.T, dir string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "region"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(wire.RegionSize); err != nil {
		t.Fatal(err)
	}
	mapped, err := wiretest.Map(file)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mapped)
	now := wiretest.Now()
	region, err := wiretest.Format(mapped, os.Getpid(), wire.ClockNanoseconds, 0, 0,
		wire.ClockSample{Ticks: now, Nanos: int64(now)})
	if err != nil {
		t.Fatal(err)
	}
	region.Count(wire.RegionUnringedOffset, 1000000)
	region.Count(wire.RegionForksOffset, 12345)
	if err := os.Chmod(file.Name(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// A process of another user is neither trusted nor counted while root records, and takes nothing from the program. The
// user nobody found the socket in /proc/net/unix: its calls were in root's trace, and its claims in the first lines.
// While it held 1,021 silent connections none of the program's processes was traced.
func TestStrangersInRootsTrace(t *testing.T) {
	needTruth(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	client := buildShapesClient(t)
	dir, err := os.MkdirTemp("/tmp", "strangers-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	hello := hex.EncodeToString(wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, wiretest.Hello())))
	rings := hex.EncodeToString(wiretest.Frame(wire.FrameRings, 0, 0, nil))
	for _, c := range []struct{ name, times, hello, rings, region string }{
		{"no stranger", "0", "", "", ""},
		{"a process that says hello", "1", hello, "", ""},
		{"a process that lies", "1", hello, rings, lyingRegion(t, dir)},
		{"connections that say nothing", "1100", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := t.TempDir()
			ready, run, report, path := filepath.Join(files, "ready"), filepath.Join(files, "run"),
				filepath.Join(files, "report"), filepath.Join(files, "t.mtrace")
			script := `touch "$1"; until [ -e "$2" ]; do sleep 0.02; done; "$0" classes 3 && "$0" out-of-reach 1 user`
			traced := exec.Command("sh", "-c", `ulimit -n 1024; exec "$0" "$@"`, tool.mtrace, "run", "--json="+report, "-o",
				path, "--", "sh", "-c", script, client, ready, run)
			traced.Env = append(os.Environ(), "TMPDIR="+dir)
			startInTime(t, traced)
			awaitFile(t, ready)

			stranger := exec.Command("/usr/bin/python3", "-c", strangerScript, c.times, c.hello, c.rings, c.region, dir)
			stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			input, _ := stranger.StdinPipe()
			output, _ := stranger.StdoutPipe()
			startInTime(t, stranger)
			held, err := bufio.NewReader(output).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the stranger has %s connections", strings.TrimSpace(held))
			time.Sleep(200 * time.Millisecond)
			if err := os.WriteFile(run, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := traced.Wait(); err != nil {
				t.Error(err)
			}
			io.WriteString(input, "end")
			input.Close()
			stranger.Wait()

			text, err := os.ReadFile(report)
			if err != nil {
				t.Fatal(err)
			}
			var document struct {
				Events uint64
				Lost   struct {
					Total     uint64
					Processes int `json:"untraced_processes"`
					Children  int `json:"untraced_children"`
				}
			}
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			trace, err := tracefile.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer trace.Close()
			strangers, used := 0, 0
			for _, p := range trace.Processes() {
				if p.Program == wiretest.Hello().Program || p.Program == "" {
					strangers++
				}
				if p.Clock != 0 {
					used++
				}
			}
			if strangers > 0 || used != 3 || document.Events == 0 ||
				document.Lost.Total+uint64(document.Lost.Processes+document.Lost.Children) != 0 {
				t.Errorf("%d strangers, %d processes that used Metal, %d events, lost %+v", strangers, used, document.Events,
					document.Lost)
			}
		})
	}
}

// awaitFile waits until a file is there.
func awaitFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !cli.Exists(path); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(fmt.Errorf("%s was not made", path))
		}
	}
}
