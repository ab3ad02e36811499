// Package handshake says, after a run or during one, whether the library
// reported from the programs it was meant for, and if not, which process lost
// it and why. A dynamic linker that refuses a library usually says nothing, so
// silence has to be noticed by us.
package handshake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/interpose/inject"
)

// Process is a process of the traced program: the one that was started or
// something below it.
type Process struct {
	PID, Parent int
	// Program is the path of its executable, empty when it was gone before it
	// could be asked.
	Program string
	// Hello is true when the library in it reported to the collector.
	Hello bool
	// Metal is true when it made a Metal call.
	Metal bool
	// UnseenDevice is true when it made a Metal device where the library does
	// not look.
	UnseenDevice bool
	// NotTraced is why the library could not record a process that uses
	// Metal, as the process itself said it; empty when it could.
	NotTraced string
	// Running is true when it still ran when the recording ended.
	Running bool
}

// Inspect tells why a program's dynamic linker would not load the library; see
// inject.Host.Inspect.
type Inspect func(program string) []inject.Finding

// Explain states what is worth saying about the processes of a run. It returns
// nothing when Metal was seen. root is the process that was started.
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

// notTraced names the processes that use Metal and could not be recorded, and
// why; those that have the same reason are reported once.
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

// neverLoaded is for a plan that should have worked and a library that never
// reported.
func neverLoaded(plan *inject.Plan, root int, processes []Process, inspect Inspect) []inject.Finding {
	program := plan.Program
	for _, p := range processes {
		if p.PID == root && p.Program != "" {
			program = p.Program // what it executed last
		}
	}
	if reasons := inspect(program); len(reasons) > 0 {
		return reasons
	}
	advice := "LD_DEBUG=libs in front of the command shows what the dynamic linker does"
	if strings.HasPrefix(plan.Variable, "DYLD_") {
		advice = "DYLD_PRINT_LIBRARIES=1 in front of the command shows what dyld loads; a security product or a profile " +
			"may forbid it"
	}
	return []inject.Finding{{
		Code: inject.NeverLoaded, Path: program,
		Text:   "ran to its end and the library never reported from it, so nothing was traced",
		Advice: advice,
	}}
}

// dropped names each process that has no library although the program before
// it had: the one that started it, or the one it ran in its own place. There
// the variable was lost, and everything below went without.
func dropped(root int, processes []Process, inspect Inspect) []inject.Finding {
	// A process is there once for each program it ran. With the library it
	// reported, or is the fork of one that did.
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
			return false // neverLoaded's
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

// stillRunning says that processes of the program live on, which may use Metal yet.
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
	text := "1 process of the program still runs; what it does from now on is not in this trace"
	if count > 1 {
		text = fmt.Sprintf("%d processes of the program still run; what they do from now on is not in this trace", count)
	}
	return []inject.Finding{{Code: inject.StillRunning, Path: plan.Program, Text: text,
		Advice: "mtrace run --wait-for-children waits until all have ended"}}
}

func noMetal(plan *inject.Plan, processes []Process) inject.Finding {
	if slices.ContainsFunc(processes, func(p Process) bool { return p.UnseenDevice }) {
		return inject.Finding{
			Code: inject.UnseenDevice, Path: plan.Program,
			Text: "the program uses Metal, but its device was made by a function or inside a framework that the tracer " +
				"does not replace",
			Advice: "if the program can, let it call MTLCreateSystemDefaultDevice before; and please report which function " +
				"it uses",
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
		Advice: "check that it uses the GPU at all (for torch: device mps); mtrace doctor shows whether a Metal program " +
			"is seen",
	}
}
