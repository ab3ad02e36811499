package bundle

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"mtrace/analyze/report"
	"mtrace/collector"
)

//go:embed program.py
var pythonProgram []byte

// Run has the results of one program that was run twice: untraced and traced.
type Run struct {
	Name    string // "c" or "python"
	Problem string // why the program was not run or not traced; otherwise empty
	// Untraced and Traced must have the same output, except for the measured times that the C program prints.
	Untraced, Traced Outcome
	Said             Said           // printed by the traced program
	Report           *report.Report // report on the traced run; nil if there is no trace
}

// Outcome is a program's exit status and output.
type Outcome struct {
	Exit     int // exit status; -1 if the program did not start, or a signal or the time limit ended it
	Out, Err string
}

// Said is the JSON in which the C and the Python program report their own calls, to be compared with the trace.
type Said struct {
	CommandBuffers int  `json:"command_buffers"`
	ResultRight    bool `json:"result_right"`
	Calls          []struct {
		Selector string `json:"selector"`
		Count    int64  `json:"count"`
	} `json:"calls"`
}

// Setting is the configuration of the runs.
type Setting struct {
	Tool     string   // path of the mtrace executable
	SelfTest string   // path of the bundled C program
	Python   string   // path of a Python interpreter; empty if there is none
	Library  string   // path of the library that is injected
	Environ  []string // environment of the traced runs
	Alone    []string // environment of the untraced runs: with the software Metal, if it is used
}

// limit is how long a program may run before it is killed as hung. A run takes seconds even on a loaded machine.
const limit = 3 * time.Minute

// Programs runs a C program and a Python program, each untraced and traced, and adds outputs, reports and traces to
// the evidence. progress receives the name of each program when it starts.
func (e *Evidence) Programs(s Setting, progress func(string)) error {
	folder, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	script := filepath.Join(folder, "program.py")
	if err := os.WriteFile(script, pythonProgram, 0o600); err != nil {
		return err
	}
	progress("a C program")
	e.program(s, folder, "c", []string{s.SelfTest})
	progress("a Python program")
	if s.Python == "" {
		e.Runs = append(e.Runs, Run{Name: "python", Problem: "there is no python3"})
		return nil
	}
	e.program(s, folder, "python", []string{s.Python, script})
	return nil
}

func (e *Evidence) program(s Setting, folder, name string, command []string) {
	r := Run{Name: name}
	trace := filepath.Join(folder, name+".mtrace")
	r.Untraced = start(s.Alone, command...)
	r.Traced = start(s.Environ, slices.Concat([]string{s.Tool, "run", "--no-report", "-o", trace, "--"}, command)...)
	if err := json.Unmarshal([]byte(r.Traced.Out), &r.Said); err != nil {
		r.Problem = "the traced program printed no valid description of its calls: " + err.Error()
	}
	summary := start(s.Environ, s.Tool, "report", "--json", trace)
	if err := json.Unmarshal([]byte(summary.Out), &r.Report); err != nil {
		r.Problem, r.Report = "mtrace report failed for its trace: "+summary.Err, nil
	}
	text := filepath.Join(folder, name+".jsonl")
	exported := start(s.Environ, s.Tool, "export", trace, "--format", "jsonl", "-o", text)
	if content, err := os.ReadFile(text); err == nil {
		e.add(name+"/trace.jsonl", content)
	} else {
		e.add(name+"/trace.jsonl", []byte(exported.Err))
	}
	e.add(name+"/report.json", []byte(summary.Out))
	for kind, o := range map[string]Outcome{"untraced": r.Untraced, "traced": r.Traced} {
		e.add(name+"/"+kind+".out", []byte(o.Out))
		e.add(name+"/"+kind+".err", []byte(o.Err))
		e.add(name+"/"+kind+".exit", []byte(strconv.Itoa(o.Exit)+"\n"))
	}
	e.Runs = append(e.Runs, r)
}

func start(environ []string, command ...string) Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = environ
	c.WaitDelay = time.Second
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	problem := c.Run()
	o := Outcome{Exit: -1, Out: out.String(), Err: err.String()}
	if c.ProcessState != nil {
		o.Exit = c.ProcessState.ExitCode()
	}
	if problem != nil && o.Exit == -1 {
		o.Err += problem.Error() + "\n"
	}
	return o
}
