package inject

import (
	"os"
	"path/filepath"
	"strings"
)

// nextInPython returns the program that a Python interpreter starts, if that is known: in a framework build of macOS
// its own application, or a shell if it runs conda.
func nextInPython(h Host, s invocation, c *chain) (*invocation, error) {
	if app, ok := frameworkApp(h.absolute(s.path)); ok {
		c.note(ReExecution, s.path, "replaces itself by "+app+", so the library starts twice in one process", "")
		next := s
		next.path, next.via, next.observed = app, "re-executes itself", true
		return &next, nil
	}
	if len(s.args) > 2 && filepath.Base(s.args[1]) == "conda" && s.args[2] == "run" && h.OS == "darwin" {
		c.note(ChildUnknown, s.args[1], "conda run starts the program from a shell of macOS, which cannot be traced",
			"activate the environment and run mtrace in it, or put mtrace behind conda: conda run … mtrace run -- PROGRAM")
		return observe(h, s, "/bin/bash", "conda run")
	}
	return nil, nil
}

// adviseOtherPython changes the advice about a Python that cannot be traced. If PATH has a Python that can be traced,
// the advice names it.
func adviseOtherPython(h Host, reasons []Finding, env environment, library Image) {
	for i := range reasons {
		name := filepath.Base(reasons[i].Path)
		if !isPython(name) || reasons[i].Code != SystemProtected && reasons[i].Code != PlatformBinary {
			continue
		}
		folders, _ := env.get("PATH")
		for _, folder := range strings.Split(folders, ":") {
			candidate := filepath.Join(folder, name)
			if refused, err := h.executable(candidate); folder == "" || err != nil || refused != "" {
				continue
			}
			image := h.imageOf(invocation{path: candidate})
			if image.Format == FormatMachO && judge(h, candidate, image, library).loads {
				reasons[i].Advice = "use " + candidate + ", which can be traced"
				break
			}
		}
	}
}

// frameworkApp returns the application that a framework build of Python executes in its own place. There
// bin/python3.X is a stub (Mac/Tools/pythonw.c in Python's sources) that replaces itself by Resources/Python.app.
func frameworkApp(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	folder := filepath.Dir(real)
	version := filepath.Dir(folder)
	if filepath.Base(folder) != "bin" || !strings.Contains(version, ".framework/Versions/") {
		return "", false
	}
	app := filepath.Join(version, "Resources", "Python.app", "Contents", "MacOS", "Python")
	if info, err := os.Stat(app); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	return app, true
}

// nextInUV returns the interpreter that uv run will probably start: that of the project's environment. If uv has yet
// to create the environment, there is none.
func nextInUV(h Host, s invocation, c *chain) (*invocation, error) {
	if len(s.args) < 2 || s.args[1] != "run" {
		return nil, nil
	}
	folder, ok := s.env.get("UV_PROJECT_ENVIRONMENT")
	if !ok {
		folder = nearestName(h, ".venv")
	}
	if folder != "" {
		python := filepath.Join(h.absolute(folder), "bin", "python3")
		if refused, err := h.executable(python); err == nil && refused == "" {
			return observe(h, s, python, "uv run")
		}
	}
	c.note(ChildUnknown, s.path, "mtrace cannot tell which interpreter uv run will start",
		"put mtrace behind uv: uv run mtrace run -- PROGRAM")
	return nil, nil
}

// observe returns the program at path, which the program of s starts, as the next program of the chain. mtrace checks
// whether the next program can load the tracing library, but can start only the program of s.
func observe(h Host, s invocation, path, via string) (*invocation, error) {
	if _, err := h.executable(path); err != nil {
		return nil, nil
	}
	next := s
	next.path, next.args, next.via, next.observed = path, []string{path}, via, true
	return &next, nil
}

// nearestName returns the nearest folder with this name, in the working directory or above it; "" if there is none.
func nearestName(h Host, name string) string {
	for folder := h.Directory; ; folder = filepath.Dir(folder) {
		candidate := filepath.Join(folder, name)
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}
