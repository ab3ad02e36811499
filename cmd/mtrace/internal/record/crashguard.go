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

// A crashGuard finds out whether the tracer makes a command crash. If a traced run crashed inside a method that the
// tracer had replaced, the next run of the command replaces no methods. If that run succeeds, the tracer is probably
// at fault and stays off for this command; if it crashes too, later runs are traced again.
type crashGuard struct {
	Path string // path of the note; "" if none can be stored
	note crashNote
	off  bool // this run replaces no methods, because the note says that the last one crashed
}

// crashNote is the file that a crashGuard keeps for a command between its runs.
type crashNote struct {
	Program string `json:"program"`
	Tracer  string `json:"tracer"` // version and library file; a note of another tracer is ignored
	Crash   string `json:"crash"`  // "SIGSEGV inside commit"
	Cleared bool   `json:"cleared"`
}

// NewCrashGuard reads the file in which earlier runs of the command noted a crash. It ignores a file of another version
// of the tracer, because that version's bug may be gone. Without a user cache folder crashes are not noted.
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

// before returns a message for the user if this run replaces no methods, with the reason. Otherwise it returns an
// empty text.
func (g *crashGuard) before() string {
	if !g.off {
		return ""
	}
	return fmt.Sprintf("the last traced run of this command crashed with %s, a method that the tracer had replaced: "+
		"this run replaces no methods, to find out whether the tracer is the cause, so no Metal calls are recorded. "+
		"--crash-guard=false traces it nevertheless; --skip-class excludes single classes", g.note.Crash)
}

// after stores in the note whether the run crashed; `inside` names the replaced method in which it crashed, if any.
// It returns a message for the user, or an empty text.
func (g *crashGuard) after(ended syscall.WaitStatus, inside string) string {
	crashed := ended.Signaled() && isCrash(ended.Signal())
	switch {
	case g.Path == "":
		return ""
	case g.off && crashed:
		g.note.Cleared = true
		g.keep()
		return "the program also crashed without replaced methods: " +
			"the tracer is not the cause, and later runs are traced again"
	case g.off:
		return "the program did not crash without replaced methods: " +
			"the tracer is probably the cause, and this command stays untraced. Please report it"
	case crashed && inside != "" && !g.note.Cleared:
		g.note.Crash = signalName(ended.Signal()) + " inside " + inside
		g.keep()
		return fmt.Sprintf("the program crashed with %s, a method that the tracer had replaced: "+
			"the next run of this command replaces no methods, to find out whether the tracer is the cause",
			g.note.Crash)
	case !crashed && g.note.Crash == "":
		os.Remove(g.Path) // the note of another version of the tracer, if there is one
	}
	return ""
}

// keep writes the note. Errors are ignored: the next run is then traced as usual.
func (g *crashGuard) keep() {
	content, err := json.Marshal(g.note)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(g.Path), 0o700)
	}
	if err == nil {
		os.WriteFile(g.Path, content, 0o600)
	}
}

// crashes are the signals that a bug in the tracer can cause. SIGABRT is not one of them: Metal's assertions cause
// it.
var crashes = map[syscall.Signal]string{syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP"}

func isCrash(s syscall.Signal) bool      { return crashes[s] != "" }
func signalName(s syscall.Signal) string { return crashes[s] }

// An insideWatch remembers for each process the call that a thread had begun but not finished when the process ended.
// Threads that only waited are ignored: they cannot have caused a crash.
type insideWatch struct {
	collector.Observer // ignores everything else
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
