package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// harmless are environment variables whose values stay in a shared report. They are public, or contain only user
// names, host names and paths, which are replaced by other rules.
var harmless = []string{
	"PATH", "HOME", "PWD", "OLDPWD", "TMPDIR", "SHELL", "USER", "LOGNAME", "TERM", "TERM_PROGRAM", "COLORTERM", "LANG",
	"LANGUAGE", "EDITOR", "PAGER",
	"SHLVL", "_", "HOSTNAME", "GOPATH", "GOROOT", "GOFLAGS", "GOCACHE", "XPC_SERVICE_NAME", "DEBIAN_FRONTEND",
}

// leastSecret is the minimum length of a variable's value that is replaced. Shorter values occur in ordinary words,
// which would be replaced too.
const leastSecret = 6

// ordinary matches values that reports also contain for other reasons: numbers, switches (true, always) and paths.
// Replacing them would garble the report; SharedText shortens paths.
var ordinary = regexp.MustCompile(`^(?:[0-9.,]+|(?i:true|false|enabled|disabled|always|never)|[~/.][^\s]*)$`)

// environment adds the values of environment variables to the private texts, except those known to be harmless. A
// shared report shows $NAME in place of the value.
func (p Private) environment(environ []string) Private {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(harmless, name) || slices.Contains(shown, name) || strings.HasPrefix(name, "LC_") ||
			len(value) < leastSecret ||
			ordinary.MatchString(value) {
			continue
		}
		p = append(p, replacement{value, "$" + name, true})
	}
	slices.SortStableFunc(p, func(a, b replacement) int { return len(b.secret) - len(a.secret) })
	return p
}

// Folders adds the working folder and the temporary folder, whose names may identify the user or the project.
func (p Private) Folders() Private {
	if folder, err := os.Getwd(); err == nil && strings.Count(folder, "/") > 1 {
		p = p.add(folder, "$PWD")
	}
	if folder := filepath.Clean(os.TempDir()); strings.Count(folder, "/") > 1 {
		p = p.add(folder, "$TMPDIR")
	}
	return p
}

// userInfo matches the user name and password in a URL.
var userInfo = regexp.MustCompile(`://[^/@\s"]+@`)

// absolute matches a path of at least two names that begins with / or ~/. Its groups are the character before the path
// (a path must not begin inside a word), the ~ if there is one, and the rest of the path.
var absolute = regexp.MustCompile(`(^|[\s"'=:(,;\[])(~|)((?:/[^/\s"'<>:;,()\[\]\\]+){2,})`)

// known are folders whose contents are the same on every machine: paths in them stay in a shared report.
var known = []string{"/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/System/", "/Library/", "/Applications/",
	"/opt/homebrew/", "/dev/", "/proc/", "/etc/",
	"/var/crash/", "/tmp/mtrace-"}

// SharedText is Text for a report that is sent to others: it also shortens each path to its last name, unless the
// path is in one of the known system folders.
func (p Private) SharedText(s string) string {
	return absolute.ReplaceAllStringFunc(p.Text(s), func(found string) string {
		m := absolute.FindStringSubmatch(found)
		if m[2] == "" && slices.ContainsFunc(known, func(folder string) bool { return strings.HasPrefix(m[3], folder) }) {
			return found
		}
		if m[2] != "" {
			m[2] = "~/"
		}
		return m[1] + m[2] + "…/" + filepath.Base(m[3])
	})
}

// shared returns a JSON value with all private texts replaced. key is the value's key in its JSON object: under
// "command" and "args", arguments are replaced, too.
func (p Private) shared(key string, v any) any {
	switch v := v.(type) {
	case string:
		return p.SharedText(v)
	case []any:
		if key == "command" || key == "args" {
			arguments(v)
		}
		for i := range v {
			v[i] = p.shared("", v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, value := range v {
			clean[p.SharedText(key)] = p.shared(key, value)
		}
		return clean
	}
	return v
}

// arguments replaces the arguments of a command line, which may contain secrets. It keeps the program, the names of
// flags and variables, and existing files.
func arguments(line []any) {
	for i, v := range line {
		text, is := v.(string)
		if !is || i == 0 {
			continue
		}
		name, _, assigned := strings.Cut(text, "=")
		_, missing := os.Stat(text)
		switch {
		case strings.HasPrefix(text, "--") && !assigned, missing == nil,
			strings.HasPrefix(text, "-") && len(text) <= 2:
		case strings.HasPrefix(text, "--"), assigned && isName(name):
			line[i] = name + "=" + notShown
		case strings.HasPrefix(text, "-"):
			line[i] = text[:2] + notShown
		default:
			line[i] = notShown
		}
	}
}

// isName reports whether a text can be the name of an environment variable.
func isName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 || !isNameByte(byte(r)) }) < 0
}
