package bundle

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// macQuestions lists files of the archive, and for each the command that is run on a Mac to fill it. If the command
// fails, the file gets its error message.
var macQuestions = map[string][]string{
	"system/versions.txt": {"sw_vers"}, "system/kernel.txt": {"uname", "-a"}, "system/processor.txt": {"sysctl", "hw",
		"machdep.cpu"},
	"system/gpus.txt": {"system_profiler", "SPDisplaysDataType"}, "system/timebase.txt": {"sysctl", "hw.tbfrequency",
		"sysctl.proc_translated"},
}

var linuxQuestions = map[string][]string{"system/kernel.txt": {"uname", "-srm"}}

// mostLog limits the size of a log or crash report in the archive, in bytes. Of a longer one only the end is
// kept, where the newest lines are.
const mostLog = 1 << 20

// System adds the system information that mtrace doctor's own results lack. On macOS it also adds what codesign,
// dyld_info and otool report about the injected library.
func (e *Evidence) System(s Setting) {
	questions := linuxQuestions
	if e.OS == "darwin" {
		questions = macQuestions
		questions["library/signature.txt"] = []string{"codesign", "--verify", "--verbose=4", s.Library}
		questions["library/fixups.txt"] = []string{"dyld_info", "-fixups", s.Library}
		// -validate_only suppresses all other output of dyld_info, so it needs a run of its own
		questions["library/malformations.txt"] = []string{"dyld_info", "-validate_only", s.Library}
		questions["library/load-commands.txt"] = []string{"otool", "-l", s.Library}
	}
	for name, question := range questions {
		o := start(os.Environ(), question...)
		e.add(name, []byte(strings.Join(question, " ")+"\n"+o.Out+o.Err))
	}
	e.add("versions.json", []byte(start(os.Environ(), s.Tool, "version", "--json").Out))
	if e.OS == "darwin" {
		environ := append(os.Environ(), "DYLD_INSERT_LIBRARIES="+s.Library, "DYLD_PRINT_INTERPOSING=1")
		e.add("library/interposing.txt", []byte(start(environ, s.SelfTest, "idle").Err))
	}
}

// Log adds the lines that mtrace's programs and its library wrote to the system's log since the given time. Only
// macOS's log says which library wrote a line, so other systems are skipped.
func (e *Evidence) Log(since time.Time) {
	if e.OS != "darwin" {
		return
	}
	o := start(os.Environ(), "log", "show", "--style", "compact", "--start", since.Format("2006-01-02 15:04:05"),
		"--predicate", `process BEGINSWITH "mtrace" OR sender CONTAINS "libmtrace"`)
	e.add("system/log.txt", end([]byte(o.Out+o.Err)))
}

// CrashFolders returns the folders into which the system writes crash reports.
func CrashFolders(system, home string) []string {
	if system == "darwin" {
		return []string{filepath.Join(home, "Library/Logs/DiagnosticReports"), "/Library/Logs/DiagnosticReports"}
	}
	return []string{"/var/crash"}
}

// Crash adds crash reports written since the given time that concern mtrace's programs or its library.
func (e *Evidence) Crash(folders []string, since time.Time) {
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // a missing folder has no reports
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since) {
				continue
			}
			content, err := readReport(filepath.Join(folder, entry.Name()))
			if err != nil || !ours(entry.Name(), content) {
				continue
			}
			e.Crashes = append(e.Crashes, entry.Name())
			e.add("crashes/"+entry.Name(), end(content))
		}
	}
}

// mostReport is how many bytes of a crash report are read at most.
const mostReport = 16 << 20

// readReport reads a crash report. It does not follow symbolic links: in a folder where everybody may write, a link
// could add another file of the user to the archive.
func readReport(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, mostReport))
}

// ours reports whether a crash report is about one of mtrace's programs, or about a program that had loaded the
// tracer's library.
func ours(name string, content []byte) bool {
	return strings.Contains(name, "mtrace") || strings.Contains(string(content), "libmtrace")
}

func end(content []byte) []byte { return content[max(0, len(content)-mostLog):] }
