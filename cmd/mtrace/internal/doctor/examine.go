package doctor

// Question is what mtrace doctor was asked.
type Question struct {
	Tool string // mtrace's version
	// Library is the file to inject; if it is empty, LibraryProblem is the reason.
	Library        string
	LibraryProblem error
	Command        []string
	// SelfTest is nil if it must not be run; SelfTestProblem is the reason.
	SelfTest        *SelfTest
	SelfTestProblem string
}

// Examine runs all checks. progress receives the name of the next one.
func Examine(p *Probe, q Question, progress func(what string)) Report {
	r := Report{Schema: Schema, Tool: q.Tool, OS: p.OS, Arch: p.Arch, Args: q.Command}
	add := func(what string, check func() Check) {
		progress(what)
		r.Checks = append(r.Checks, check())
	}
	add("machine", p.machine)
	if p.OS == "darwin" {
		add("system protection", p.protection)
		add("GPUs", p.gpus)
		add("GPU use", p.busy)
		add("Xcode", p.xcode)
	}
	add("library", func() Check { return p.library(q.Library, q.LibraryProblem) })
	add("Pythons", func() Check {
		if q.SelfTest == nil {
			return p.pythons(q.Library, nil)
		}
		return p.pythons(q.Library, q.SelfTest.loads)
	})
	add("variables", p.variables)
	add("folders", p.paths)
	add("leftovers", p.leftovers)
	if len(q.Command) > 0 {
		add("command", func() Check { return p.command(q.Command, q.Library) })
	}
	progress("self-test")
	if q.SelfTest != nil {
		r.Checks = append(r.Checks, q.SelfTest.Run()...)
	} else {
		r.Checks = append(r.Checks, Check{ID: "self-test", Status: Skipped, Text: q.SelfTestProblem})
	}
	r.finish()
	return r
}
