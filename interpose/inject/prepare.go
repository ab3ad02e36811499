package inject

import (
	"io/fs"
	"slices"
)

const (
	modeSetUID = fs.ModeSetuid
	modeSetGID = fs.ModeSetgid
)

// Prepare plans how to start command on this machine with library loaded into it. environ is the command's environment
// (NAME=VALUE each); its PATH is searched.
//
// It returns a *NotFoundError, a *NotExecutableError or ErrNoCommand if the command cannot be started at all.
// Everything that only prevents tracing is in the plan, whose Program, Args and Env then start the command untraced.
func Prepare(command []string, library string, environ []string) (*Plan, error) {
	return ThisHost().Prepare(command, library, environ)
}

// Prepare is the function of that name for a described machine.
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

// start is the first step that the kernel can execute, after bundles and after text that only a shell runs.
func (c *chain) start() int {
	for i, hop := range c.hops {
		if hop.Image.Format != FormatBundle && (i+1 == len(c.hops) || c.steps[i+1].via != viaShell) {
			return i
		}
	}
	return len(c.hops) - 1
}

// launch is the step to start, so that as few programs as possible are between mtrace and the final image. On macOS
// every skipped program is one less that might drop the preload variable. Elsewhere the user's command is kept, except
// that programs which remove the variable from the environment are skipped.
func (c *chain) launch(system string) int {
	last := c.start()
	for i, s := range c.steps {
		if !s.observed && (system == "darwin" || s.cleared) {
			last = max(last, i)
		}
	}
	return last
}

// decide fills in whether the library is loaded and how.
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

// startByArch keeps arch(1) in the plan, because only arch can start another slice than the kernel would. arch sets the
// variables that it loses itself.
func startByArch(h Host, plan *Plan, c *chain, chosen step) {
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

// Inspect returns the reasons why the dynamic linker of a resolved program would not load the library, and warnings.
// Both are empty for a program that loads it. It serves for programs that are already running.
func (h Host) Inspect(program, library string) (reasons, warnings []Finding) {
	_, image, problem := h.checkLibrary(library)
	if problem != nil {
		return []Finding{*problem}, nil
	}
	j := judge(h, program, h.imageOf(step{path: program}), image)
	return j.reasons, j.warnings
}
