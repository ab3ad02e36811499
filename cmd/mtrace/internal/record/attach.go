package record

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
)

func AttachCommand() cli.Command {
	return cli.Command{
		Name:    "attach",
		Summary: "Explain why a program that already runs cannot be traced, and what to do instead",
		Usage:   "PID",
		Example: "mtrace attach 4711",
		Setup: func(*pflag.FlagSet) func(cli.Stdio, []string) error {
			return func(std cli.Stdio, args []string) error {
				if len(args) != 1 {
					return cli.UsageError("give one process id, not %d: mtrace attach PID", len(args))
				}
				return attach(std, args[0])
			}
		},
	}
}

// attach prints why the running process cannot be traced, and what to do instead. It always returns an error.
func attach(std cli.Stdio, text string) error {
	pid, err := strconv.Atoi(text)
	if err != nil || pid < 1 {
		return cli.UsageError("%q is not a process id", text)
	}
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return cli.UsageError("there is no process %d", pid)
	}
	// if ps is missing, or may not show the process, the advice has a placeholder for the command
	line, _ := exec.Command("ps", "-o", "args=", "-p", text).Output()
	command := cmp.Or(analyze.Printable(strings.TrimSpace(string(line))), "CMD ARG…")
	fmt.Fprintf(std.Out, `Process %d cannot be traced: it runs without mtrace's library, which can be loaded only when `+
		`a program starts.
Its Metal objects exist already, and calls of methods that it has looked up before would silently be missing.

What you can do instead:
  start the program with the library, and record nothing until it matters:
      mtrace run --start-on signal -- %s
      kill -USR1 MTRACE-PID      # starts recording, and the next time stops it
  or record all the time and keep only the end, for a problem that occurs rarely:
      mtrace run --last 30s -- %[2]s
`, pid, command)
	if runtime.GOOS == "darwin" {
		fmt.Fprintf(std.Out, "  or record the running program with Instruments, "+
			"which sees the GPU but not the calls, and read its recording:\n"+
			"      xcrun xctrace record --template 'Metal System Trace' --attach %d --time-limit 10s "+
			"--output now.trace\n      mtrace xctrace now.trace\n", pid)
	}
	return cli.Status{Code: cli.ExitNo}
}
