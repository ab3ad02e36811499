package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"mtrace/cmd/mtrace/internal/bundle"
	"mtrace/cmd/mtrace/internal/doctor"
)

// runBundle examines the machine, runs two programs, and writes all of it, with every expected value as a check, to one archive. The error is
// the answer that something differs, with status 1.
func (o doctorOptions) runBundle(std stdio, command []string) error {
	if len(command) > 0 || o.json || o.all || o.noSelfTest {
		return usageError("--bundle takes no command and no other flag: it runs everything, and writes it to the archive")
	}
	folder := filepath.Dir(o.bundle)
	if o.bundle == standardOutput {
		folder = "" // that for files that nobody keeps
		if err := notForPeople(std, "an archive"); err != nil {
			return err
		}
	}
	// Made first, or minutes are spent for nothing; renamed last, or half an archive is sent.
	file, err := os.CreateTemp(folder, ".mtrace-bundle-*")
	if err != nil {
		return usageError("the archive cannot be written there: %v", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	checks, err := o.gather(std, file)
	if err == nil {
		err = file.Close()
	}
	if err == nil {
		err = os.Chmod(file.Name(), 0o644)
	}
	said := std.out
	switch {
	case err != nil:
	case o.bundle == standardOutput:
		said = std.err
		err = copyOut(std, file.Name())
	default:
		err = os.Rename(file.Name(), o.bundle)
	}
	if err != nil {
		return usageError("the archive was not written: %v", err)
	}
	fmt.Fprint(said, bundle.Text(checks))
	fmt.Fprintf(std.err, "mtrace: wrote %s: please send it, whatever differs; names of user, host and home folder are replaced in it\n", o.bundle)
	if bundle.Differing(checks) > 0 {
		return status{code: exitNo}
	}
	return nil
}

// copyOut copies a file to standard output.
func copyOut(std stdio, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(std.out, file)
	return err
}

func (o doctorOptions) gather(std stdio, file *os.File) ([]bundle.Check, error) {
	begin := time.Now()
	progress := func(what string) { fmt.Fprintf(std.err, "mtrace: %s…\n", what) }
	e := &bundle.Evidence{OS: runtime.GOOS}
	question := doctor.Question{Tool: toolVersion()}
	question.Library, question.LibraryProblem = findLibrary()
	question.SelfTest, question.SelfTestProblem = o.selfTest(question.Library)
	progress("examining this machine, which takes a minute")
	e.Doctor = doctor.Examine(doctor.ThisMachine(), question, func(string) {})
	if err := e.AddDoctor(); err != nil {
		return nil, err
	}
	if question.SelfTest != nil {
		setting := bundle.Setting{
			Tool: question.SelfTest.Tool, SelfTest: question.SelfTest.Program, Python: findPython(), Library: question.Library,
			Environ: os.Environ(), Alone: withSoftwareMetal(os.Environ()),
		}
		if err := e.Programs(setting, progress); err != nil {
			return nil, err
		}
		e.System(setting)
	}
	home, _ := os.UserHomeDir()
	e.Crash(bundle.CrashFolders(runtime.GOOS, home), begin)
	e.Log(begin)
	return e.Write(file, doctor.ThisUser(), begin)
}

// findPython prefers one that did not come with macOS, whose own takes no library.
func findPython() string {
	for _, path := range []string{"/opt/homebrew/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(path); runtime.GOOS == "darwin" && err == nil {
			return path
		}
	}
	path, _ := exec.LookPath("python3")
	return path
}
