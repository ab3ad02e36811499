package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"mtrace/analyze"
)

// keepEmpty is whether the trace of a program that used no Metal is kept: nil when nobody said.
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

// keepsEmpty says whether to keep a trace in which there is nothing.
func (o *runOptions) keepsEmpty() bool {
	if said := o.keepEmpty.said; said != nil {
		return *said
	}
	return o.output != "" || o.noReport
}

// checkOutput states what cannot be where the trace and the report are to go, before there is anything to lose.
func (o *runOptions) checkOutput(command []string) error {
	if o.output == standardOutput {
		return usageError("-o -: standard output is the program's, and a trace in the middle of it can be read by nobody: " +
			"name a file or a pipe")
	}
	if o.noReport && o.view.json != "" {
		return usageError("--no-report makes no report, and --json says where one goes: give one of them")
	}
	if o.view.json == standardOutput && len(command) > 1 && command[1] == "--" {
		if _, err := exec.LookPath(command[0]); err != nil {
			return usageError("%s is no program; a file for the report has = before it: --json=%s", command[0], command[0])
		}
	}
	o.view.force = o.force
	return o.view.check(nil)
}

// leave ends a run whose trace is closed: one in which there is nothing is removed, if nobody asked for it, and of any
// other the line says where it is and how large.
func (s *session) leave(w io.Writer, o runOptions) {
	s.tellWhere(w)
	if s.file == nil || s.file.kept || o.quiet {
		return
	}
	if !o.keepsEmpty() && s.whole && s.empty() {
		if err := os.Remove(s.path); err == nil {
			fmt.Fprintln(w, "mtrace: no Metal call was seen, so no trace is kept; --keep-empty keeps it")
			return
		}
	}
	if info, err := os.Stat(s.path); err == nil {
		fmt.Fprintf(w, "mtrace: wrote %s, %s\n", s.path, analyze.FormatBytes(uint64(info.Size())))
	}
}

// empty says that no process made a Metal call, nor was one known to and could not be recorded.
func (s *session) empty() bool {
	for _, p := range s.witness.processes() {
		if p.Metal || p.UnseenDevice || p.NotTraced != "" {
			return false
		}
	}
	return true
}
