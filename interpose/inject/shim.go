package inject

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// nextInShim returns the program that a pyenv shim starts. A shim is a bash script in $PYENV_ROOT/shims; it starts
// the program of the same name in the selected version of Python. The environment is changed as pyenv-exec does.
func nextInShim(h Host, s invocation, script string, content []byte) (*invocation, error) {
	folder, name := filepath.Split(h.absolute(script))
	root, isShim := strings.CutSuffix(filepath.Clean(folder), "/shims")
	if !isShim || !bytes.Contains(content, []byte(`pyenv" exec "$program" "$@"`)) {
		return nil, nil
	}
	selected := pyenvVersion(h, root, s.env)
	for _, version := range strings.FieldsFunc(selected, func(r rune) bool { return r == ':' }) {
		program := filepath.Join(root, "versions", version, "bin", name)
		if refused, err := h.executable(program); err != nil || refused != "" {
			continue
		}
		path, _ := s.env.get("PATH")
		env := s.env.with("PYENV_ROOT", root).with("PYENV_VERSION", selected)
		env = env.with("PATH", filepath.Dir(program)+":"+path)
		next := s
		next.path, next.args, next.env, next.via = program, append([]string{program}, s.args[2:]...), env, "pyenv shim"
		return &next, nil
	}
	return nil, nil
}

// pyenvVersion returns the selected versions, separated by colons: from PYENV_VERSION, else from the nearest
// .python-version file, else from the global file.
func pyenvVersion(h Host, root string, env environment) string {
	if version, ok := env.get("PYENV_VERSION"); ok && version != "" {
		return version
	}
	for folder := h.Directory; ; folder = filepath.Dir(folder) {
		if content, err := os.ReadFile(filepath.Join(folder, ".python-version")); err == nil {
			return joinVersions(content)
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	content, err := os.ReadFile(filepath.Join(root, "version"))
	if err != nil {
		return ""
	}
	return joinVersions(content)
}

func joinVersions(content []byte) string {
	var versions []string
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		versions = append(versions, strings.Fields(line)...)
	}
	return strings.Join(versions, ":")
}
