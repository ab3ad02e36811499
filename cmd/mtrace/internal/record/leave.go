package record

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
)

// keepEmpty is the value of --keep-empty: whether the trace of a program without Metal calls is kept. said is nil if
// the flag was not given.
type keepEmpty struct{ said *bool }

// Set implements pflag.Value.
func (k *keepEmpty) Set(text string) error {
	yes := text == "true"
	if !yes && text != "false" {
		return fmt.Errorf("give true or false")
	}
	k.said = &yes
	return nil
}

// Type implements pflag.Value.
func (k *keepEmpty) Type() string { return "bool" }

// String implements pflag.Value.
func (k *keepEmpty) String() string {
	if k.said == nil {
		return ""
	}
	return fmt.Sprint(*k.said)
}

// keepsEmpty reports whether a trace without Metal calls is kept. --keep-empty decides; without that flag, such a
// trace is kept if -o or --no-report is given.
func (o *RunOptions) keepsEmpty() bool {
	if said := o.keepEmpty.said; said != nil {
		return *said
	}
	return o.Output != "" || o.NoReport
}

// checkOutput returns an error for impossible destinations of trace and report, before the program is started.
func (o *RunOptions) checkOutput(command []string) error {
	if o.Output == cli.StandardOutput {
		return cli.UsageError(
			"-o -: a trace mixed with the program's standard output would be unreadable: name a file or a pipe")
	}
	if o.NoReport && o.view.JSON != "" {
		return cli.UsageError("--no-report and --json exclude each other: give one of them")
	}
	if o.view.JSON == cli.StandardOutput && len(command) > 1 && command[1] == "--" {
		if _, err := exec.LookPath(command[0]); err != nil {
			return cli.UsageError("%s is not a program; "+
				"to write the report to this file, give --json=%s", command[0], command[0])
		}
	}
	o.view.Force = o.Force
	return o.view.Check(nil)
}

// leave prints where the trace is and how large. A trace without Metal calls is removed, unless the user wants to
// keep it.
func (s *session) leave(w io.Writer, o RunOptions) {
	s.tellWhere(w)
	if s.file == nil || s.file.Kept || o.Quiet {
		return
	}
	if !o.keepsEmpty() && s.whole && s.empty() {
		if err := os.Remove(s.path); err == nil {
			fmt.Fprintln(w, "mtrace: no Metal call was recorded, so the empty trace was removed; --keep-empty keeps it")
			return
		}
	}
	if info, err := os.Stat(s.path); err == nil {
		fmt.Fprintf(w, "mtrace: wrote %s, %s\n", s.path, analyze.FormatBytes(uint64(info.Size())))
	}
}

// empty reports whether the trace contains nothing about Metal: no call was recorded, and no process is known to have
// used Metal unrecorded.
func (s *session) empty() bool {
	for _, p := range s.witness.processes() {
		if p.Metal || p.UnseenDevice || p.NotTraced != "" {
			return false
		}
	}
	return true
}
