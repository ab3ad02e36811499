package tools

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"mtrace/analyze/wholefile"
	"mtrace/cmd/mtrace/internal/bundle"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/doctor"
	"mtrace/collector"
)

// runBundle checks the machine, runs two traced programs, and writes everything into an archive for the developers.
// The exit status is 1 if a result is not the expected one.
func (o doctorOptions) runBundle(std cli.Stdio, command []string) error {
	if len(command) > 0 || o.json || o.all || o.noSelfTest {
		return cli.UsageError("--bundle runs all checks: leave out the command, --json, --verbose and --no-self-test")
	}
	var checks []bundle.Check
	gather := func(file *os.File) (err error) {
		checks, err = o.gather(std, file)
		return err
	}
	said := std.Out
	var err error
	if o.bundle == cli.StandardOutput {
		if err := cli.NotForPeople(std, "an archive"); err != nil {
			return err
		}
		said = std.Err
		err = copyOut(std, gather)
	} else {
		// The file is created before the checks, so that a name that cannot be created fails at once and not after
		// minutes. It gets its final name only after the checks, so that nobody sends an incomplete archive.
		err = wholefile.Write(o.bundle, o.force, gather)
	}
	if err != nil {
		return cli.UsageError("the archive was not written: %v", err)
	}
	fmt.Fprint(said, bundle.Text(checks))
	fmt.Fprintf(std.Err, "mtrace: wrote %s: please send it to the developers, even if nothing differs; "+
		"user and host names, paths and values of environment variables are replaced in it\n", o.bundle)
	if bundle.Differing(checks) > 0 {
		return cli.Status{Code: cli.ExitNo}
	}
	return nil
}

// copyOut calls `fill` with a temporary file, and copies the file to standard output once it is complete.
func copyOut(std cli.Stdio, fill func(*os.File) error) error {
	file, err := os.CreateTemp(collector.TemporaryFolder(), ".mtrace-bundle-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := fill(file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(std.Out, file)
	return err
}

func (o doctorOptions) gather(std cli.Stdio, file *os.File) ([]bundle.Check, error) {
	begin := time.Now()
	progress := func(what string) { fmt.Fprintf(std.Err, "mtrace: %s…\n", what) }
	e := &bundle.Evidence{OS: runtime.GOOS}
	question := doctor.Question{Tool: cli.ToolVersion()}
	question.Library, question.LibraryProblem = cli.FindLibrary()
	question.SelfTest, question.SelfTestProblem = o.selfTest(question.Library)
	progress("examining this machine, which takes a minute")
	e.Doctor = doctor.Examine(doctor.ThisMachine(), question, func(string) {})
	if err := e.AddDoctor(); err != nil {
		return nil, err
	}
	if question.SelfTest != nil {
		setting := bundle.Setting{
			Tool: question.SelfTest.Tool, SelfTest: question.SelfTest.Program, Python: findPython(), Library: question.Library,
			Environ: os.Environ(), Alone: cli.WithSoftwareMetal(os.Environ()),
		}
		if err := e.Programs(setting, progress); err != nil {
			return nil, err
		}
		e.System(setting)
	}
	home, _ := os.UserHomeDir()
	e.Crash(bundle.CrashFolders(runtime.GOOS, home), begin)
	e.Log(begin)
	return e.Write(file, doctor.ThisUser().Folders(), begin)
}

// findPython returns a Python 3. On macOS it prefers Homebrew's, because the library cannot be injected into the one
// that comes with macOS.
func findPython() string {
	for _, path := range []string{"/opt/homebrew/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(path); runtime.GOOS == "darwin" && err == nil {
			return path
		}
	}
	path, _ := exec.LookPath("python3")
	return path
}
