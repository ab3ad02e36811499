// Package bundle runs Apple's xctrace: it exports the tables of a .trace bundle one at a time, handles xctrace's
// failures, and records new bundles.
package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Tool runs the program xctrace.
type Tool struct {
	Path string
	// Pause is the time between a crash of xctrace and the second attempt; it doubles before each further attempt.
	Pause time.Duration
	// Say receives messages for the user, one line each; nil means none.
	Say func(format string, args ...any)
	// Progress receives messages about the current step; nil means none.
	Progress func(format string, args ...any)
}

// attempts is how often one export is tried in all, because xctrace crashes at random.
const attempts = 3

// Find returns the xctrace that the environment variable MTRACE_XCTRACE names, or else the one on PATH.
func Find() (*Tool, error) {
	path := os.Getenv("MTRACE_XCTRACE")
	if path == "" {
		path = "xctrace"
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("%s was not found: only xctrace can read a .trace bundle, "+
			"which comes with Xcode (not with the Command Line Tools alone); "+
			"on a Mac install Xcode and run sudo xcode-select -s /Applications/Xcode.app, "+
			"on other systems, export the tables on a Mac and copy the XML files", path)
	}
	return &Tool{Path: found, Pause: 500 * time.Millisecond}, nil
}

func (t *Tool) say(format string, args ...any) {
	if t.Say != nil {
		t.Say(format, args...)
	}
}

func (t *Tool) progress(format string, args ...any) {
	if t.Progress != nil {
		t.Progress(format, args...)
	}
}

// failure is the error of a run of xctrace that failed.
type failure struct {
	what   string // "export", "record"
	code   int
	signal syscall.Signal // 0 if it exited without a signal
	output string         // what it wrote to stderr, and stdout of record
}

func (f *failure) Error() string {
	text := fmt.Sprintf("xctrace %s ended with status %d", f.what, f.code)
	if f.signal != 0 {
		text = fmt.Sprintf("xctrace %s was ended by %s", f.what, signalName(f.signal))
	}
	if advice := f.advice(); advice != "" {
		return text + ": " + advice
	}
	if line := lastLine(f.output); line != "" {
		return text + ": " + line
	}
	return text
}

// advice returns, for common failures, what the user can do; else "".
func (f *failure) advice() string {
	said := func(text string) bool { return strings.Contains(f.output, text) }
	switch {
	case said("requires Xcode") || said("unable to find utility"):
		return "only the Command Line Tools are installed, which have no xctrace: " +
			"install Xcode and run sudo xcode-select -s /Applications/Xcode.app"
	case said("license"):
		return "Xcode's licence is not accepted: run sudo xcodebuild -license"
	case said("Cannot find process") || f.what == "record" && f.code == 21:
		return "xctrace cannot find the process to attach to: launch the program instead (mtrace xctrace record -- CMD)"
	case f.what == "record" && f.code == 2 && said("ttach"):
		return "xctrace could not attach: the program is protected, or belongs to another user; launch it instead"
	case f.what == "record" && f.code == 30:
		return "two templates have that name: give the path of the .tracetemplate file with --template"
	case said("does not exist") || said("No such file"):
		return lastLine(f.output)
	}
	return ""
}

// crashed reports whether xctrace crashed, so that another attempt may succeed.
func (f *failure) crashed() bool {
	// if xctrace is a shell script, the shell turns a signal into status 128 plus the signal's number
	return f.signal != 0 || f.code > 128
}

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGTRAP:
		return "SIGTRAP"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGBUS:
		return "SIGBUS"
	}
	return s.String()
}

// asFailure converts the error of a run of xctrace that failed to a failure. Other errors, for example that xctrace
// could not be started, are only wrapped.
func asFailure(what string, err error, output string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("run xctrace %s: %w", what, err)
	}
	f := &failure{what: what, code: exit.ExitCode(), output: output}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		f.signal = status.Signal()
	} else if f.code > 128 && f.code < 128+32 {
		f.signal = syscall.Signal(f.code - 128)
	}
	return f
}

func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// command returns a command that runs xctrace. It removes the environment variables that inject libraries, mtrace's
// own included: xctrace would pass them to the program that it launches, in addition to its own library.
func (t *Tool) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Path, args...)
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "MTRACE_") && name != "MTRACE_XCTRACE" ||
			name == "LD_PRELOAD" {
			continue
		}
		cmd.Env = append(cmd.Env, setting)
	}
	return cmd
}

// tail is a writer that keeps only the last 16 KiB.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 16 << 10
	n, _ := t.Buffer.Write(p)
	if extra := t.Len() - most; extra > 0 {
		t.Next(extra)
	}
	return n, nil
}
