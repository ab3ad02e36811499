package inject

import (
	"io/fs"
	"slices"
)

const (
	modeSetUID = fs.ModeSetuid
	modeSetGID = fs.ModeSetgid
)

// Prepare plans how to start command on this machine with library loaded into it. environ is the command's
// environment, one NAME=VALUE per element; its PATH is searched.
//
// It returns a *NotFoundError, a *NotExecutableError or ErrNoCommand if the command cannot be started at all. If only
// tracing is impossible, there is no error, and the plan's Program, Args and Env start the command untraced.
func Prepare(command []string, library string, environ []string) (*Plan, error) {
	return ThisHost().Prepare(command, library, environ)
}

// Prepare plans how to start command on the machine h: see the function Prepare.
func (h Host) Prepare(command []string, library string, environ []string) (*Plan, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, ErrNoCommand
	}
	c, err := h.follow(command, environment(environ))
	if err != nil {
		return nil, err
	}
	first, launch := c.start(), c.launch(h.OS)
	plan := &Plan{
		Program:  c.steps[first].path,
		Args:     slices.Clone(c.steps[first].args),
		Env:      slices.Clone(environ),
		Chain:    c.hops,
		Warnings: c.notes,
	}
	path, image, problem := h.checkLibrary(library)
	if problem != nil {
		plan.Reasons = append(plan.Reasons, *problem)
		return plan, nil
	}
	h.decide(plan, c, launch, path, image)
	return plan, nil
}

// start returns the index of the first program of the chain that the kernel can execute. It skips application bundles
// and text files that only a shell runs.
func (c *chain) start() int {
	for i, hop := range c.hops {
		if hop.Image.Format != FormatBundle && (i+1 == len(c.hops) || c.steps[i+1].via != viaShell) {
			return i
		}
	}
	return len(c.hops) - 1
}

// launch returns the index of the program of the chain that mtrace starts. On macOS it is the last one that mtrace can
// start itself, because each program before it might drop the preload variable. Elsewhere it is the user's command; but
// programs that remove the variable from the environment are skipped.
func (c *chain) launch(system string) int {
	last := c.start()
	for i, s := range c.steps {
		if !s.observed && (system == "darwin" || s.cleared) {
			last = max(last, i)
		}
	}
	return last
}

// decide judges the programs from index launch on, and fills in the plan: whether the library is loaded or why it is
// not, and which program to start with which environment. path is the library's path.
func (h Host) decide(plan *Plan, c *chain, launch int, path string, library Image) {
	passes, harmless := true, true
	for i := launch; i < len(c.hops); i++ {
		hop := &c.hops[i]
		if hop.Image.Format == FormatScript || hop.Image.Format == FormatBundle {
			continue
		}
		j := judge(h, hop.Path, hop.Image, library)
		final := i == len(c.hops)-1
		plan.Warnings = append(plan.Warnings, j.warnings...)
		if !j.passes || !j.harmless || final && !j.loads {
			plan.Reasons = append(plan.Reasons, j.reasons...)
		}
		passes = passes && j.passes
		harmless = harmless && j.harmless
	}
	plan.Injectable = len(plan.Reasons) == 0
	adviseOtherPython(h, plan.Reasons, c.steps[launch].env, library)
	plan.Inherited = !plan.Injectable && passes && harmless
	if !plan.Injectable && !plan.Inherited {
		return
	}
	chosen := c.steps[launch]
	plan.Program, plan.Args = chosen.path, slices.Clone(chosen.args)
	env, setting := preloaded(h, chosen.env, path)
	if c.hops[len(c.hops)-1].Image.ownSanitizerOptions {
		env = env.withoutOrderCheck()
	}
	plan.Env, plan.Variable = env.withOurs(plan.Env), setting
	if chosen.archArgs != nil {
		startByArch(h, plan, c, chosen)
	}
	for i := range launch {
		c.hops[i].Skipped = true
	}
}

// startByArch makes the plan start arch(1), because only arch can start another slice than the kernel would choose.
// dyld removes the preload variables from arch's own environment, so they become options of arch.
func startByArch(h Host, plan *Plan, c *chain, chosen invocation) {
	for i, s := range c.steps {
		if len(c.steps) > i+1 && c.steps[i+1].via == "arch" {
			plan.Program = s.path
		}
	}
	args := slices.Clone(chosen.archArgs)
	for _, name := range preloadVariables(h.OS) {
		value, _ := environment(plan.Env).get(name)
		args = append(args, "-e", name+"="+value)
	}
	plan.Args = append(append(args, chosen.path), chosen.args[1:]...)
}

// Inspect returns the reasons why the dynamic linker of a program would not load the library, and warnings; both are
// empty if nothing is wrong. It judges only this program, not those that it starts, because it is used for programs
// that already run.
func (h Host) Inspect(program, library string) (reasons, warnings []Finding) {
	_, image, problem := h.checkLibrary(library)
	if problem != nil {
		return []Finding{*problem}, nil
	}
	j := judge(h, program, h.imageOf(invocation{path: program}), image)
	return j.reasons, j.warnings
}
