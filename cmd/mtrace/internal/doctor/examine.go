package doctor

// Question says what mtrace doctor must check.
type Question struct {
	Tool string // mtrace's version
	// Library is the path of the library to inject. If it is empty, LibraryProblem says why it was not found.
	Library        string
	LibraryProblem error
	Command        []string
	// SelfTest runs the bundled Metal program. If it is nil, the self-test is skipped and SelfTestProblem says why.
	SelfTest        *SelfTest
	SelfTestProblem string
}

// Examine runs all checks and returns their results. It calls progress with the name of each check before running it.
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
