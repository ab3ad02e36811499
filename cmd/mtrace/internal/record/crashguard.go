package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A crashGuard remembers that the last traced run of a command crashed inside a method that the tracer had replaced.
// The cause is then unknown. The next run therefore replaces nothing. If it succeeds, the tracer is the likely cause,
// and tracing stays off for the command; if it crashes too, the tracer is not the cause, and later runs are traced
// again.
type crashGuard struct {
	Path string // path of the note; "" if none can be stored
	note crashNote
	off  bool // nothing is replaced in this run, because of the note
}

// crashNote is what is kept between runs.
type crashNote struct {
	Program string `json:"program"`
	Tracer  string `json:"tracer"` // another one is another chance
	Crash   string `json:"crash"`  // "SIGSEGV inside commit"
	Cleared bool   `json:"cleared"`
}

// NewCrashGuard looks up the command. Without a folder for notes there is no guard.
func NewCrashGuard(command []string, library string) *crashGuard {
	g := &crashGuard{}
	folder, err := os.UserCacheDir()
	if err != nil {
		return g
	}
	directory, _ := os.Getwd() // with relative names, the command depends on the folder
	name := sha256.Sum256([]byte(directory + "\x00" + strings.Join(command, "\x00")))
	g.Path = filepath.Join(folder, "mtrace", "crashes", hex.EncodeToString(name[:8])+".json")
	tracer := cli.ToolVersion()
	if info, err := os.Stat(library); err == nil {
		tracer += fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
	}
	var old crashNote
	if content, err := os.ReadFile(g.Path); err == nil && json.Unmarshal(content, &old) == nil && old.Tracer == tracer {
		g.note = old
	}
	g.off = g.note.Crash != "" && !g.note.Cleared
	g.note.Program, g.note.Tracer = command[0], tracer
	return g
}

// before is the message to the user if nothing is replaced, or "".
func (g *crashGuard) before() string {
	if !g.off {
		return ""
	}
	return fmt.Sprintf("the last traced run of this command crashed with %s, which the tracer had replaced: this run "+
		"replaces no methods, so its Metal "+
		"calls are not recorded; "+
		"--crash-guard=false traces it nevertheless, and --skip-class excludes single classes", g.note.Crash)
}

// after stores how the run ended, and returns a message for the user, or "".
func (g *crashGuard) after(ended syscall.WaitStatus, inside string) string {
	crashed := ended.Signaled() && isCrash(ended.Signal())
	switch {
	case g.Path == "":
		return ""
	case g.off && crashed:
		g.note.Cleared = true
		g.keep()
		return "it also crashed without replaced methods: the tracer is not the cause, and later runs are traced again"
	case g.off:
		return "it did not crash without replaced methods: the tracer is likely the cause; please report it"
	case crashed && inside != "" && !g.note.Cleared:
		g.note.Crash = signalName(ended.Signal()) + " inside " + inside
		g.keep()
		return fmt.Sprintf("the program crashed with %s, which the tracer had replaced: the next run of this command "+
			"replaces no methods, to find out whose "+
			"fault that is", g.note.Crash)
	case !crashed && g.note.Crash == "":
		os.Remove(g.Path) // of another tracer, if it is there
	}
	return ""
}

// keep writes the note. If that fails, the next run is traced normally.
func (g *crashGuard) keep() {
	content, err := json.Marshal(g.note)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(g.Path), 0o700)
	}
	if err == nil {
		os.WriteFile(g.Path, content, 0o600)
	}
}

// crashes are the signals of crashed code. Metal's own assertions abort, which is not caused by the tracer.
var crashes = map[syscall.Signal]string{syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP"}

func isCrash(s syscall.Signal) bool      { return crashes[s] != "" }
func signalName(s syscall.Signal) string { return crashes[s] }

// An insideWatch stores the calls that the threads of a process were inside when it ended. It ignores waiting threads,
// because they cannot have crashed.
type insideWatch struct {
	collector.Observer // the rest is not looked at
	mutex              sync.Mutex
	pids               map[tracefile.ProcessIndex]int
	inside             map[int]string
}

func newInsideWatch() *insideWatch {
	return &insideWatch{Observer: collector.Nobody{}, pids: map[tracefile.ProcessIndex]int{}, inside: map[int]string{}}
}

// Process implements collector.Observer.
func (w *insideWatch) Process(p tracefile.ProcessIndex, h wire.Hello) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.pids[p] = h.PID
}

// End implements collector.Observer.
func (w *insideWatch) End(p tracefile.ProcessIndex, end tracefile.End) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, c := range end.Current {
		row := c.Call.Row()
		if row.Group == wire.GroupWait || row.Group == wire.GroupLock || row.Family == wire.FamilyTracer {
			continue
		}
		w.inside[w.pids[p]] = row.Selector
	}
}

func (w *insideWatch) of(pid int) string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.inside[pid]
}
