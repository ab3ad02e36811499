// Package handshake determines, after a run or during one, whether the library reported from the programs that it was
// meant for, and if not, which process lost it and why. A dynamic linker that refuses a library usually prints nothing,
// so the absence of a report has to be detected.
package handshake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/interpose/inject"
)

// Process is a process of the traced program: the started process or a descendant.
type Process struct {
	PID, Parent int
	// Program is the path of the process's executable, empty if the process ended before it could be read.
	Program string
	// Hello is true if the tracing library in this process reported to the collector.
	Hello bool
	// Metal is true if the process made a Metal call that was recorded.
	Metal bool
	// UnseenDevice is true if the process created a Metal device in a way that the tracing library does not hook.
	UnseenDevice bool
	// NotTraced is the reason, as the process itself reported it, why its Metal calls could not be recorded; empty if
	// they were.
	NotTraced string
	// Running is true if the process was still running when the recording ended.
	Running bool
}

// Inspect returns the reasons why a program's dynamic linker would not load the tracing library: see
// inject.Host.Inspect.
type Inspect func(program string) []inject.Finding

// Explain returns findings that explain why a trace contains no Metal calls; nothing if Metal calls were recorded.
// root is the id of the process that mtrace started, processes are all processes of the run.
func Explain(plan *inject.Plan, root int, processes []Process, inspect Inspect) []inject.Finding {
	switch {
	case slices.ContainsFunc(processes, func(p Process) bool { return p.Metal }):
		return nil
	case !plan.Injectable && !slices.ContainsFunc(processes, func(p Process) bool { return p.Hello }):
		return plan.Reasons
	case !slices.ContainsFunc(processes, func(p Process) bool { return p.Hello }):
		return append(neverLoaded(plan, root, processes, inspect), dropped(root, processes, inspect)...)
	}
	found := notTraced(plan, processes)
	if len(found) == 0 {
		found = stillRunning(plan, processes)
	}
	if len(found) == 0 {
		found = []inject.Finding{noMetal(plan, processes)}
	}
	return append(found, dropped(root, processes, inspect)...)
}

// notTraced returns one finding for each distinct reason why processes that use Metal could not be recorded.
func notTraced(plan *inject.Plan, processes []Process) (found []inject.Finding) {
	for _, p := range processes {
		if p.NotTraced == "" || slices.ContainsFunc(found, func(f inject.Finding) bool { return f.Text == said(p) }) {
			continue
		}
		found = append(found, inject.Finding{Code: inject.NotTraced, Path: cmp.Or(p.Program, plan.Program), Text: said(p)})
	}
	return found
}

func said(p Process) string { return "it uses Metal and is " + p.NotTraced }

// neverLoaded returns findings for the case that the plan expected the library to load, but it reported from no
// process.
func neverLoaded(plan *inject.Plan, root int, processes []Process, inspect Inspect) []inject.Finding {
	program := plan.Program
	for _, p := range processes {
		if p.PID == root && p.Program != "" {
			program = p.Program // the program that the process executed last
		}
	}
	if reasons := inspect(program); len(reasons) > 0 {
		return reasons
	}
	advice := "LD_DEBUG=libs in front of the command shows what the dynamic linker does"
	if strings.HasPrefix(plan.Variable, "DYLD_") {
		advice = "DYLD_PRINT_LIBRARIES=1 in front of the command shows what dyld loads; " +
			"a security product or a profile may forbid it"
	}
	return []inject.Finding{{
		Code: inject.NeverLoaded, Path: program,
		Text:   "ended, and mtrace's library never reported from it, so nothing was traced",
		Advice: advice,
	}}
}

// dropped returns a finding for each process at which the library was lost: it does not have the library, although
// the process that started it, or the program that ran before in the same process, had it. Something removed the
// preload variable there. All descendants of such a process lack the library, too; they get no findings of their own.
func dropped(root int, processes []Process, inspect Inspect) []inject.Finding {
	// processes lists a process once for each program that it ran. A process had the library if the library reported
	// from it, or if it is a fork of such a process.
	reported := map[int][]string{root: nil}
	lost := map[int]bool{}
	parent := map[int]int{}
	for _, p := range processes {
		parent[p.PID] = p.Parent
		if p.Hello {
			reported[p.PID] = append(reported[p.PID], p.Program)
		}
	}
	without := func(p Process) bool {
		if p.PID == root && len(reported[root]) == 0 {
			return false // neverLoaded reports this case
		}
		return !p.Hello && p.Program != "" && !slices.Contains(reported[p.Parent], p.Program)
	}
	for _, p := range processes {
		lost[p.PID] = lost[p.PID] || without(p)
	}
	below := map[int]int{}
	for pid := range parent {
		steps := 0
		for at, ok := parent[pid]; ok && steps < len(parent); at, ok = parent[at] {
			below[at]++
			steps++
		}
	}
	var found []inject.Finding
	told := map[string]bool{}
	for _, p := range processes {
		_, before := reported[p.PID]
		_, above := reported[p.Parent]
		if !without(p) || told[p.Program] || !before && (!above || lost[p.Parent]) {
			continue
		}
		told[p.Program] = true
		text := fmt.Sprintf("process %d started without the library", p.PID)
		if n := below[p.PID]; n > 0 {
			text += fmt.Sprintf(", and so did %d below it", n)
		}
		advice := "run it under mtrace by itself"
		if reasons := inspect(p.Program); len(reasons) > 0 {
			text += ": it " + reasons[0].Text
			if reasons[0].Advice != "" {
				advice = reasons[0].Advice
			}
		}
		found = append(found, inject.Finding{Code: inject.Dropped, Path: p.Program, Text: text, Advice: advice})
	}
	return found
}

// stillRunning returns a finding if processes of the program are still running: they may yet use Metal, which the
// trace will not contain.
func stillRunning(plan *inject.Plan, processes []Process) []inject.Finding {
	count := 0
	for _, p := range processes {
		if p.Running {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	text := "1 process of the program still runs; its later calls are not in this trace"
	if count > 1 {
		text = fmt.Sprintf("%d processes of the program still run; their later calls are not in this trace", count)
	}
	return []inject.Finding{{Code: inject.StillRunning, Path: plan.Program, Text: text,
		Advice: "mtrace run --wait-for-children waits until all processes have ended"}}
}

func noMetal(plan *inject.Plan, processes []Process) inject.Finding {
	if slices.ContainsFunc(processes, func(p Process) bool { return p.UnseenDevice }) {
		return inject.Finding{
			Code: inject.UnseenDevice, Path: plan.Program,
			Text: "the program uses Metal, " +
				"but its device was made by a function or inside a framework that the tracer does not replace",
			Advice: "if the program can, let it call MTLCreateSystemDefaultDevice before; " +
				"and please report which function it uses",
		}
	}
	count := 0
	for _, p := range processes {
		if p.Hello {
			count++
		}
	}
	text := "the library was loaded, and the program made no Metal call"
	if count > 1 {
		text = fmt.Sprintf("the library was loaded in %d processes, and none of them made a Metal call", count)
	}
	return inject.Finding{
		Code: inject.NoMetal, Path: plan.Program, Text: text,
		Advice: "check that it uses the GPU at all (for torch: device mps); " +
			"mtrace doctor shows whether a Metal program is seen",
	}
}
