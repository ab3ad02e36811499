package bundle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mtrace/cmd/mtrace/internal/doctor"
)

// An expectation is a check together with the result that a working machine gives. found returns the actual result,
// and whether it is as expected.
type expectation struct {
	id, expected string
	found        func(*Evidence) (string, bool)
}

// answers are the checks of mtrace doctor, with the results that docs/mac-checklist.md expects. A check with the
// status "info" counts as expected.
var answers = []struct{ id, expected string }{
	{"library", "the library to inject exists and programs of this machine load it"},
	{"python", "each Python that should load the library loads it"},
	{"variables", "no environment variable is set that changes what a trace contains"},
	{"paths", "sockets and traces can be written"},
	{"self-test", "every call of every kind recorded exactly once"},
	{"gpu-clock", "GPU times agree with mach_absolute_time to within 2 us"},
	{"full-queue", "a wait of 30 ms for a free command buffer is recorded to within 10 %"},
	{"lock", "a wait for a lock is recorded with the thread that held it"},
	{"cost", "tracing adds less than 100 ns to a call; the completion handler takes less than 1 us"},
	{"start-cost", "no thread and no signal handler in a program without Metal"},
	{"coverage", "all commits and completions that were counted inside Metal were recorded"},
	{"nested-calls", "nested calls counted once"},
	{"validation", "the same counts under MTL_DEBUG_LAYER=1"},
	{"stacks", "stacks go beyond the calling function, and functions have names"},
	{"encoder-timing", "encoders' GPU times are measured, or the reason is given why not"},
}

// bases maps each kind of object (device, queue) to the class of Metal.framework from which its class must inherit.
// The tracer also hooks these base classes, in case it does not know a driver's class. An object that does not
// inherit from its base class may therefore stay untraced.
var bases = map[string]string{
	"device": "_MTLDevice", "queue": "_MTLCommandQueue", "command_buffer": "_MTLCommandBuffer",
	"compute_encoder": "_MTLCommandEncoder",
}

func expectations(e *Evidence) []expectation {
	var all []expectation
	for _, a := range answers {
		all = append(all, expectation{"doctor/" + a.id, a.expected,
			func(e *Evidence) (string, bool) { return answered(e.Doctor, a.id) }})
	}
	for role, base := range bases {
		all = append(all, expectation{"classes/" + role, "a chain with " + base,
			func(e *Evidence) (string, bool) { return chain(e.Doctor, role, base) }})
	}
	for i := range e.Runs {
		all = append(all, runExpectations(&e.Runs[i], e.OS)...)
	}
	if e.OS == "darwin" {
		all = append(all, macExpectations...)
	}
	all = append(all, expectation{"crashes", "none", func(e *Evidence) (string, bool) {
		return fmt.Sprintf("%d: %s", len(e.Crashes), strings.Join(e.Crashes, ", ")), len(e.Crashes) == 0
	}})
	slices.SortStableFunc(all, func(a, b expectation) int { return strings.Compare(a.id, b.id) })
	return all
}

// macExpectations check the output of macOS's own tools (codesign, dyld_info) for the injected library.
var macExpectations = []expectation{
	{"library/signature", "valid on disk", contains("library/signature.txt", "valid on disk")},
	{"library/fixups", "a bind of MTLCreateSystemDefaultDevice",
		contains("library/fixups.txt", "MTLCreateSystemDefaultDevice")},
	{"library/malformations", "dyld finds none", lacks("library/malformations.txt", "malformed", "not found", "error")},
	{"library/interposing", "dyld replaces MTLCreateSystemDefaultDevice", contains("library/interposing.txt",
		"MTLCreateSystemDefaultDevice")},
	{"library/interposed-locks", "dyld replaces pthread_mutex_lock", contains("library/interposing.txt",
		"pthread_mutex_lock")},
}

func contains(file, text string) func(*Evidence) (string, bool) {
	return func(e *Evidence) (string, bool) {
		content := string(e.files[file])
		if strings.Contains(content, text) {
			return "it is", true
		}
		return "not in " + file, false
	}
}

// lacks returns a check that fails if the tool's output in file contains any of the texts. The first line is skipped:
// it is the command. A missing file also fails.
func lacks(file string, texts ...string) func(*Evidence) (string, bool) {
	return func(e *Evidence) (string, bool) {
		_, answer, asked := strings.Cut(string(e.files[file]), "\n")
		for _, text := range texts {
			if strings.Contains(answer, text) {
				return strings.TrimSpace(answer), false
			}
		}
		return "none", asked
	}
}

func runExpectations(r *Run, system string) []expectation {
	say := func(id, expected string, found func() (string, bool)) expectation {
		return expectation{r.Name + "/" + id, expected, func(*Evidence) (string, bool) { return found() }}
	}
	all := []expectation{say("ran", "it ran and was traced", func() (string, bool) {
		return orNone(r.Problem),
			r.Problem == ""
	})}
	if r.Report == nil {
		return all
	}
	metal := "the software Metal"
	if system == "darwin" {
		metal = "Apple's"
	}
	return append(all,
		say("exit", "0, untraced and traced", func() (string, bool) {
			return fmt.Sprintf("%d and %d", r.Untraced.Exit, r.Traced.Exit), r.Untraced.Exit == 0 && r.Traced.Exit == 0
		}),
		say("result", "right", func() (string, bool) {
			return fmt.Sprintf("right: %v", r.Said.ResultRight),
				r.Said.ResultRight
		}),
		say("output", "the same, traced or not", r.sameOutput),
		say("calls", "each call that it made once", r.sameCalls),
		say("lost", "0", func() (string, bool) { return fmt.Sprint(r.Report.Lost.Total), r.Report.Lost.Total == 0 }),
		say("command-buffers", "GPU times of each", r.gpuTimes),
		say("warnings", "none", func() (string, bool) {
			return orNone(strings.Join(r.Report.Warnings, "; ")), len(r.Report.Warnings) == 0
		}),
		say("metal", metal, func() (string, bool) {
			return orNone(r.Report.Source.Device), r.Report.Source.SoftwareMetal == (system != "darwin")
		}),
	)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// sameOutput checks that tracing did not change the program's output. The C program prints measured times on standard
// output, so only its standard error is compared.
func (r *Run) sameOutput() (string, bool) {
	switch {
	case r.Untraced.Err != "" && r.Untraced.Err != r.Traced.Err:
		return "standard error differs", false
	case r.Name == "python" && r.Untraced.Out != r.Traced.Out:
		return "standard output differs", false
	}
	return "the same", true
}

// sameCalls checks that the trace has each Metal call exactly as often as the program says that it made the call.
func (r *Run) sameCalls() (string, bool) {
	made, seen := map[string]int64{}, map[string]int64{}
	for _, call := range r.Said.Calls {
		made[call.Selector] += call.Count
	}
	for _, call := range r.Report.Calls {
		seen[call.Selector] += call.Count
	}
	var differing []string
	for selector, count := range made {
		if seen[selector] != count {
			differing = append(differing, fmt.Sprintf("%s made %d, seen %d", selector, count, seen[selector]))
		}
	}
	slices.Sort(differing)
	if len(differing) > 0 || len(made) == 0 {
		return fmt.Sprintf("%d kinds made; %s", len(made), strings.Join(differing, "; ")), false
	}
	return fmt.Sprintf("%d kinds, all of them", len(made)), true
}

func (r *Run) gpuTimes() (string, bool) {
	seen := 0
	for _, t := range r.Report.Threads {
		seen += int(t.CommandBuffers)
	}
	found := fmt.Sprintf("%d command buffers, %d ns of GPU time", seen, r.Report.GPU.SumNS)
	return found, seen >= r.Said.CommandBuffers && r.Said.CommandBuffers > 0 && r.Report.GPU.SumNS > 0
}

func answered(r doctor.Report, id string) (string, bool) {
	for _, c := range r.Checks {
		if c.ID != id {
			continue
		}
		found := fmt.Sprintf("%s: %s", c.Status, c.Text)
		if len(c.Details) > 0 && c.Status != doctor.OK {
			found += " (" + strings.Join(c.Details[:min(3, len(c.Details))], "; ") + ")"
		}
		return found, c.Status == doctor.OK || c.Status == doctor.Info
	}
	return "not asked", false
}

// chain returns the superclasses of the object that has the given role ("queue"), as text, and whether base is one of
// them.
func chain(r doctor.Report, role, base string) (string, bool) {
	for _, c := range r.Checks {
		if c.ID != "classes" {
			continue
		}
		var table struct {
			Classes []struct {
				Role  string
				Chain []string
			}
		}
		encoded, err := json.Marshal(c.Data)
		if err == nil {
			err = json.Unmarshal(encoded, &table)
		}
		if err != nil {
			return err.Error(), false
		}
		for _, class := range table.Classes {
			if class.Role == role {
				return strings.Join(class.Chain, " < "), slices.Contains(class.Chain, base)
			}
		}
	}
	return "no such object", false
}

// compare returns a check for each expectation.
func compare(e *Evidence) []Check {
	var checks []Check
	for _, x := range expectations(e) {
		found, same := x.found(e)
		checks = append(checks, Check{ID: x.id, Expected: x.expected, Found: found, Differs: !same})
	}
	return checks
}
