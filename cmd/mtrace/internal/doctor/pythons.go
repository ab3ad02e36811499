package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// pythonFolders are searched for Python interpreters after the folders in PATH. ~ is the home folder, * any name.
var pythonFolders = []string{
	"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin",
	"/Library/Frameworks/Python.framework/Versions/*/bin",
	"~/.pyenv/versions/*/bin", "~/miniconda3/bin", "~/miniforge3/bin", "~/anaconda3/bin", "/opt/miniconda3/bin",
	"/opt/homebrew/Caskroom/*/base/bin",
	"~/.local/share/uv/python/*/bin", ".venv/bin", "venv/bin",
}

// python describes one interpreter, and whether mtrace's library can be injected into it.
type python struct {
	Path       string   `json:"path"`
	Real       string   `json:"real"` // path of the executable behind links, shims and stubs
	Injectable bool     `json:"injectable"`
	Reasons    []string `json:"reasons,omitempty"`
	// Loaded reports whether the injected library connected from this interpreter. It is nil if the interpreter was
	// not run.
	Loaded *bool `json:"loaded,omitempty"`
	// Frames reports whether --stacks python recorded the interpreter's functions; nil if that was not tried. If
	// Frames is false, FramesUnknown is the reason that the library gave, or empty.
	Frames        *bool  `json:"frames,omitempty"`
	FramesUnknown string `json:"frames_unknown,omitempty"`
}

// maxProved limits how many interpreters are run, because each run takes a fraction of a second.
const maxProved = 12

// pythons checks each Python interpreter of the machine. If prove is not nil, it runs the interpreters that should be
// injectable, to see whether they are.
func (p *Probe) pythons(library string, prove func(program string) loading) Check {
	var found []python
	seen := map[string]bool{}
	for _, path := range p.pythonPaths() {
		plan, err := p.Host.Prepare([]string{path}, library, p.Environ)
		if err != nil {
			continue
		}
		last := plan.Chain[len(plan.Chain)-1].Path
		if real, err := filepath.EvalSymlinks(last); err == nil {
			last = real
		}
		if seen[last] {
			continue
		}
		seen[last] = true
		one := python{Path: path, Real: last, Injectable: plan.Injectable}
		for _, reason := range plan.Reasons {
			one.Reasons = append(one.Reasons, reason.Text)
		}
		if prove != nil && plan.Injectable && len(found) < maxProved {
			l := prove(path)
			one.Loaded, one.Frames, one.FramesUnknown = &l.loaded, &l.frames, l.why
		}
		found = append(found, one)
	}
	c := Check{ID: "python", Status: OK, Data: found}
	good, wrong, proved, framed := 0, 0, 0, 0
	for _, one := range found {
		line := one.Path + " can be traced"
		switch {
		case !one.Injectable:
			line = one.Path + " cannot be traced: it " + strings.Join(one.Reasons, "; ")
		case one.Loaded == nil:
			good++
		case *one.Loaded:
			good++
			proved++
			line = one.Path + " was traced"
			switch {
			case *one.Frames:
				framed++
				line += ", and the frames of its functions can be recorded"
			case one.FramesUnknown != "":
				line += "; " + one.FramesUnknown
			default:
				line += "; the frames of its functions were not recorded"
			}
		default:
			wrong++
			line = one.Path + " should have loaded the library, but did not"
		}
		c.Details = append(c.Details, line)
	}
	c.Text = fmt.Sprintf("%d found, %d can be traced", len(found), good)
	if proved > 0 {
		c.Text += fmt.Sprintf(", --stacks python records the frames of %d", framed)
	}
	switch {
	case len(found) == 0:
		c.Status, c.Text = Info, "none found"
	case wrong > 0:
		c.Status, c.Text = Warn, fmt.Sprintf(
			"%d found, %d can be traced, %d could not be traced although nothing seems to prevent it",
			len(found), good, wrong)
		c.Advice = "please report this with the output of mtrace doctor --json"
	case good == 0:
		c.Status, c.Advice = Warn, "install a Python that does not come with the system, for instance brew install python"
	case !found[0].Injectable:
		c.Status, c.Advice = Warn, "the first Python in PATH cannot be traced; use "+found[slices.IndexFunc(found,
			func(o python) bool { return o.Injectable })].Path
	}
	return c
}

func (p *Probe) pythonPaths() []string {
	home := p.env("HOME")
	var folders []string
	folders = append(folders, filepath.SplitList(p.env("PATH"))...)
	for _, folder := range pythonFolders {
		if rest, ok := strings.CutPrefix(folder, "~/"); ok {
			if home == "" {
				continue
			}
			folder = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(p.Directory, folder)
		}
		folders = append(folders, folder)
	}
	var paths []string
	for _, folder := range folders {
		for _, name := range []string{"python3", "python"} {
			for _, path := range p.Glob(filepath.Join(folder, name)) {
				if !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}
