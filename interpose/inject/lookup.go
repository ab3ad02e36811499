package inject

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath is what execvp(3) searches when PATH is not set: _PATH_DEFPATH
// on macOS, confstr(_CS_PATH) on glibc.
const defaultPath = "/usr/bin:/bin"

func hasSlash(name string) bool { return strings.ContainsRune(name, '/') }

// lookup finds name as execvp(3) does: a name with a slash is a path, any other is tried in each directory of PATH, an
// empty one being the working directory. A file that exists but is not executable does not end the search; it is
// reported if nothing better follows. The result has the spelling that execvp would pass to the kernel, because scripts
// see it.
func (h Host) lookup(name string, env environment) (string, error) {
	if name == "" {
		return "", &NotFoundError{Name: name}
	}
	if hasSlash(name) {
		refused, err := h.executable(name)
		if err != nil {
			return "", &NotFoundError{Name: name}
		}
		if refused != "" {
			return "", &NotExecutableError{Path: name, Reason: refused}
		}
		return name, nil
	}
	path, ok := env.get("PATH")
	if !ok {
		path = defaultPath
	}
	var denied *NotExecutableError
	for _, directory := range strings.Split(path, ":") {
		if directory == "" {
			directory = "."
		}
		candidate := directory + "/" + name
		refused, err := h.executable(candidate)
		if err != nil {
			continue
		}
		if refused == "" {
			return candidate, nil
		}
		if denied == nil {
			denied = &NotExecutableError{Path: candidate, Reason: refused}
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &NotFoundError{Name: name}
}

// executable returns the reason why the kernel would refuse to execute path, or "" if it would not. err is set if the
// file does not exist.
func (h Host) executable(path string) (refused string, err error) {
	full := h.absolute(path)
	info, err := os.Stat(full)
	if err != nil {
		if os.IsPermission(err) {
			return "permission denied on its directory", nil
		}
		return "", err
	}
	switch {
	case info.IsDir() && strings.HasSuffix(filepath.Clean(full), ".app"):
		return "", nil // a bundle; its executable is found later
	case info.IsDir():
		return "it is a directory", nil
	case !info.Mode().IsRegular():
		return "it is not a regular file", nil
	case info.Mode()&0o111 == 0, unix.Access(full, unix.X_OK) != nil:
		return "permission denied; chmod +x makes it executable", nil
	}
	return "", nil
}
