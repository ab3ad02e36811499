package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// pythonFolders are where Pythons live besides PATH. ~ is the home folder.
var pythonFolders = []string{
	"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin",
	"/Library/Frameworks/Python.framework/Versions/*/bin",
	"~/.pyenv/versions/*/bin", "~/miniconda3/bin", "~/miniforge3/bin", "~/anaconda3/bin", "/opt/miniconda3/bin", "/opt/homebrew/Caskroom/*/base/bin",
	"~/.local/share/uv/python/*/bin", ".venv/bin", "venv/bin",
}

// python is one interpreter and whether the library gets into it.
type python struct {
	Path       string   `json:"path"`
	Real       string   `json:"real"` // behind links, shims and stubs
	Injectable bool     `json:"injectable"`
	Reasons    []string `json:"reasons,omitempty"`
}

// pythons lists the interpreters of the machine, those in PATH first.
func (p *Probe) pythons(library string) Check {
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
		found = append(found, one)
	}
	c := Check{ID: "python", Status: OK, Data: found}
	good := 0
	for _, one := range found {
		line := "can be traced:    " + one.Path
		if one.Injectable {
			good++
		} else {
			line = "cannot be traced: " + one.Path + " " + strings.Join(one.Reasons, "; ")
		}
		c.Details = append(c.Details, line)
	}
	c.Text = fmt.Sprintf("%d found, %d can be traced", len(found), good)
	switch {
	case len(found) == 0:
		c.Status, c.Text = Info, "none found"
	case good == 0:
		c.Status, c.Advice = Warn, "install one that does not come with the system, for instance brew install python"
	case !found[0].Injectable:
		c.Status, c.Advice = Warn, "the first in PATH cannot be traced; use "+found[slices.IndexFunc(found, func(o python) bool { return o.Injectable })].Path
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
