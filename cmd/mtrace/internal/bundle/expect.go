package bundle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mtrace/cmd/mtrace/internal/doctor"
)

// expectation is one value that is known in advance. found returns the observed value and whether it is right.
type expectation struct {
	id, expected string
	found        func(*Evidence) (string, bool)
}

// answers are the doctor's checks with the results that docs/mac-checklist.md expects. "info" results are not judged.
var answers = []struct{ id, expected string }{
	{"library", "a library that this machine's programs load"},
	{"python", "each Python that should load the library loads it"},
	{"variables", "no variable that changes what a trace shows"},
	{"paths", "room for sockets and traces"},
	{"self-test", "every call of every kind recorded exactly once"},
	{"gpu-clock", "GPU times on the clock of mach_absolute_time, by 2 us"},
	{"full-queue", "a wait of 30 ms for a command buffer, recorded to within a tenth"},
	{"lock", "a wait for a lock, with its holder"},
	{"cost", "below 100 ns a call, the handler below 1 us"},
	{"start-cost", "no thread and no signal handler in a program without Metal"},
	{"coverage", "all commits and completions pass the internal functions of Metal that the tracer counts at"},
	{"nested-calls", "nested calls counted once"},
	{"validation", "the same counts under MTL_DEBUG_LAYER=1"},
	{"stacks", "stacks that reach beyond their caller, with names"},
	{"encoder-timing", "encoders measured, or a reason why not"},
}

// bases has the class in Metal.framework that each object's class chain must contain directly below the root: the hooks
// on base classes depend on it.
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

// macExpectations are about files that only a Mac's tools can judge.
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

// lacks returns a check that fails if the file contains any of the texts. The file's first line is the command.
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

// sameOutput: tracing must not change the program's output. The C program prints times, so only its standard error is
// compared.
func (r *Run) sameOutput() (string, bool) {
	switch {
	case r.Untraced.Err != "" && r.Untraced.Err != r.Traced.Err:
		return "standard error differs", false
	case r.Name == "python" && r.Untraced.Out != r.Traced.Out:
		return "standard output differs", false
	}
	return "the same", true
}

// sameCalls compares the program's own counts of calls with the report's.
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
	found := fmt.Sprintf("%d command buffers, %d ns of the GPU", seen, r.Report.GPU.SumNS)
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

// chain returns a role's class chain from the doctor's class table.
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

// compare holds the evidence against all expectations.
func compare(e *Evidence) []Check {
	var checks []Check
	for _, x := range expectations(e) {
		found, same := x.found(e)
		checks = append(checks, Check{ID: x.id, Expected: x.expected, Found: found, Differs: !same})
	}
	return checks
}
