package inject

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath is the list of folders that execvp(3) searches if PATH is not set: _PATH_DEFPATH on macOS,
// confstr(_CS_PATH) with glibc.
const defaultPath = "/usr/bin:/bin"

func hasSlash(name string) bool { return strings.ContainsRune(name, '/') }

// lookup finds the file of a command as execvp(3) does. A name with a slash is a path. Any other name is tried in
// each folder of PATH, where an empty entry means the working directory. A file that is not executable does not end
// the search; it becomes the error only if no executable file follows. The result is spelled as execvp would pass it
// to the kernel, because scripts see that spelling.
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

// executable returns why the kernel would refuse to execute path, or "" if it would execute it. err is set if the
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
		return "permission denied; make it executable with chmod +x", nil
	}
	return "", nil
}
