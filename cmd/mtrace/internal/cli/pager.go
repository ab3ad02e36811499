package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Paged writes a text to standard output. On a terminal that has fewer lines than the text it goes through a pager, as
// with git: $MTRACE_PAGER, $PAGER, or less; "cat" or an empty variable means none. Without a pager that runs, the text
// is written directly.
func Paged(std Stdio, write func(io.Writer) error) error {
	rows, program := pagerFor(std)
	if program == "" {
		return write(std.Out)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if bytes.Count(text.Bytes(), []byte("\n")) >= rows {
		pager := exec.Command("/bin/sh", "-c", program)
		pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(text.Bytes()), std.Out, std.Err
		pager.Env = append(os.Environ(), "LESS="+cmp.Or(os.Getenv("LESS"), "FRX"))
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, syscall.SIGINT) // Ctrl-C is for the pager
		defer signal.Stop(interrupted)
		if pager.Start() == nil {
			pager.Wait() // its error is ignored: a pager may exit with any status if the user quits early
			if status := pager.ProcessState.ExitCode(); status != cannotRun && status != notFound {
				return nil
			}
		}
	}
	_, err := std.Out.Write(text.Bytes())
	return err
}

// The shell exits with these statuses if it cannot run a program, or does not find it.
const cannotRun, notFound = 126, 127

// pagerFor returns the pager and the number of lines of the terminal; "" if nothing is to be paged.
func pagerFor(std Stdio) (rows int, program string) {
	_, rows, err := term.GetSize(int(std.Out.Fd()))
	if err != nil || rows <= 0 || !term.IsTerminal(int(std.In.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, ""
	}
	for _, name := range []string{"MTRACE_PAGER", "PAGER"} {
		if program, set := os.LookupEnv(name); set {
			if program == "cat" {
				program = ""
			}
			return rows, program
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return 0, ""
	}
	return rows, "less"
}
