package bundle

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// macQuestions are the commands that are run on a Mac, by file in the archive. If a command fails, the file has its
// error message.
var macQuestions = map[string][]string{
	"system/versions.txt": {"sw_vers"}, "system/kernel.txt": {"uname", "-a"}, "system/processor.txt": {"sysctl", "hw",
		"machdep.cpu"},
	"system/gpus.txt": {"system_profiler", "SPDisplaysDataType"}, "system/timebase.txt": {"sysctl", "hw.tbfrequency",
		"sysctl.proc_translated"},
}

var linuxQuestions = map[string][]string{"system/kernel.txt": {"uname", "-srm"}}

// mostLog is how much of the end of a log or crash report is kept.
const mostLog = 1 << 20

// System collects system information that the doctor does not have, including the system's view of the library.
func (e *Evidence) System(s Setting) {
	questions := linuxQuestions
	if e.OS == "darwin" {
		questions = macQuestions
		questions["library/signature.txt"] = []string{"codesign", "--verify", "--verbose=4", s.Library}
		questions["library/fixups.txt"] = []string{"dyld_info", "-fixups", s.Library}
		// with it dyld_info prints nothing else
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

// Log collects the lines of the system's log about mtrace's programs since a given time. Only a Mac's log names the
// library of each line.
func (e *Evidence) Log(since time.Time) {
	if e.OS != "darwin" {
		return
	}
	o := start(os.Environ(), "log", "show", "--style", "compact", "--start", since.Format("2006-01-02 15:04:05"),
		"--predicate", `process BEGINSWITH "mtrace" OR sender CONTAINS "libmtrace"`)
	e.add("system/log.txt", end([]byte(o.Out+o.Err)))
}

// CrashFolders are where systems leave crash reports.
func CrashFolders(system, home string) []string {
	if system == "darwin" {
		return []string{filepath.Join(home, "Library/Logs/DiagnosticReports"), "/Library/Logs/DiagnosticReports"}
	}
	return []string{"/var/crash"}
}

// Crash collects the crash reports of mtrace's programs since a given time.
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

// mostReport bounds a crash report; larger files are ignored.
const mostReport = 16 << 20

// readReport reads a crash report. On some systems everybody may write into the folder, so links are not followed.
func readReport(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, mostReport))
}

// ours reports whether a crash report is about one of mtrace's programs, or a program that had loaded the library.
func ours(name string, content []byte) bool {
	return strings.Contains(name, "mtrace") || strings.Contains(string(content), "libmtrace")
}

func end(content []byte) []byte { return content[max(0, len(content)-mostLog):] }
