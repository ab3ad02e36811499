package inject

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An asdfShim is the content of a script in the shims folder of asdf (a version manager): which tools, in which
// versions, provide the program. The script ends in "asdf exec NAME", which starts the selected version.
type asdfShim struct {
	folder, name string // the folder of asdf's data; the program's name
	tools        []string
	versions     map[string][]string // by tool
}

func parseAsdfShim(path string, content []byte) (*asdfShim, bool) {
	folder, name := filepath.Split(path)
	data, inShims := strings.CutSuffix(filepath.Clean(folder), "/shims")
	shim := &asdfShim{folder: data, name: name, versions: map[string][]string{}}
	if !inShims || !strings.Contains(string(content), `asdf exec "`+name+`"`) {
		return nil, false
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		if len(words) != 4 || words[0] != "#" || words[1] != "asdf-plugin:" {
			continue
		}
		if tool := words[2]; !slices.Contains(shim.tools, tool) {
			shim.tools = append(shim.tools, tool)
		}
		shim.versions[words[2]] = append(shim.versions[words[2]], words[3])
	}
	return shim, len(shim.tools) > 0
}

// nextInAsdf returns the program that an asdf shim starts. It returns nil if the system's own program is selected, or
// if the choice cannot be predicted because a plugin's script or a user setting influences it. The plan then starts the
// shim itself.
func nextInAsdf(h Host, s invocation, script string, content []byte) (*invocation, error) {
	shim, ok := parseAsdfShim(h.absolute(script), content)
	if !ok || asdfIsConfigured(s.env) {
		return nil, nil
	}
	for _, tool := range shim.tools {
		if shim.hasScripts(tool) {
			return nil, nil
		}
		for _, version := range asdfVersions(h, tool, s.env) {
			kind, value, qualified := strings.Cut(version, ":")
			if !qualified {
				kind, value = "version", version
			}
			install := filepath.Join(shim.folder, "installs", tool, strings.ReplaceAll(version, ":", "-"))
			switch {
			case version == "system":
				return nil, nil
			case kind == "path":
				install = value
			case !slices.Contains(shim.versions[tool], version):
				continue
			}
			program := filepath.Join(install, "bin", shim.name)
			if refused, err := h.executable(program); err != nil || refused != "" {
				continue
			}
			path, _ := s.env.get("PATH")
			env := s.env.with("ASDF_INSTALL_TYPE", kind).with("ASDF_INSTALL_VERSION", value).with("ASDF_INSTALL_PATH", install)
			next := s
			next.path, next.args, next.via = program, append([]string{program}, s.args[2:]...), "asdf shim"
			next.env = env.with("PATH", filepath.Dir(program)+":"+path)
			return &next, nil
		}
	}
	return nil, nil
}

// hasScripts reports whether the tool's plugin has a script that chooses the program or its environment. The choice
// can then not be predicted.
func (a *asdfShim) hasScripts(tool string) bool {
	plugin := filepath.Join(a.folder, "plugins", tool)
	for _, script := range []string{"bin/exec-env", "bin/exec-path", "bin/list-bin-paths", "shims/" + a.name} {
		if _, err := os.Stat(filepath.Join(plugin, script)); err == nil {
			return true
		}
	}
	return false
}

// asdfIsConfigured reports whether the user's settings make asdf select versions by files other than its own, or run
// commands before a program. The choice can then not be predicted.
func asdfIsConfigured(env environment) bool {
	file, named := env.get("ASDF_CONFIG_FILE")
	if home, _ := env.get("HOME"); !named {
		file = filepath.Join(home, ".asdfrc")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if name == "legacy_version_file" && value == "yes" || strings.HasPrefix(name, "pre_") {
			return true
		}
	}
	return false
}

// asdfVersions returns the selected versions of a tool: from its environment variable, else from the nearest
// .tool-versions file, else from the one in the home folder.
func asdfVersions(h Host, tool string, env environment) []string {
	variable := "ASDF_" + strings.ReplaceAll(strings.ToUpper(tool), "-", "_") + "_VERSION"
	if version, ok := env.get(variable); ok && version != "" {
		return strings.Fields(version)
	}
	name := ".tool-versions"
	if other, ok := env.get("ASDF_DEFAULT_TOOL_VERSIONS_FILENAME"); ok && other != "" {
		name = other
	}
	for folder := h.Directory; ; folder = filepath.Dir(folder) {
		if versions := versionsIn(filepath.Join(folder, name), tool); versions != nil {
			return versions
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	home, _ := env.get("HOME")
	return versionsIn(filepath.Join(home, name), tool)
}

// versionsIn returns a tool's versions from a file of lines "tool version version…".
func versionsIn(path, tool string) []string {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 1 && words[0] == tool {
			return words[1:]
		}
	}
	return nil
}
