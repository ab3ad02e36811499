package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LibraryName returns the file name of the injected library on this system.
func LibraryName() string {
	if runtime.GOOS == "darwin" {
		return "libmtrace.dylib"
	}
	return "libmtrace.so"
}

// FindLibrary finds the library of this tool: MTRACE_LIBRARY, otherwise next to the executable or in ../lib.
func FindLibrary() (string, error) {
	if path := os.Getenv("MTRACE_LIBRARY"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("MTRACE_LIBRARY names %s, which does not exist", path)
		}
		return filepath.Abs(path)
	}
	for _, dir := range []string{".", "../lib"} {
		if path, ok := BesideExecutable(dir, LibraryName()); ok {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not in the tool's folder, and nothing can be recorded without it (go install builds the "+
		"tool only): run ./build.sh build in mtrace's sources "+
		"and set MTRACE_LIBRARY to its bin/%[1]s, or use a release's archive, which has both", LibraryName())
}

// SoftwareMetal finds the preload library of the software Metal, for machines that have no Metal.
func SoftwareMetal() (string, bool) {
	if runtime.GOOS == "darwin" {
		return "", false
	}
	if dir := os.Getenv("MTRACE_SOFTMETAL"); dir != "" {
		path := filepath.Join(dir, "libsoftmetal-preload.so")
		_, err := os.Stat(path)
		return path, err == nil
	}
	return BesideExecutable("softmetal", "libsoftmetal-preload.so")
}

// WithSoftwareMetal adds the software Metal to an environment, as its launcher does, if there is no other Metal.
func WithSoftwareMetal(environ []string) []string {
	preload, ok := SoftwareMetal()
	if !ok {
		return environ
	}
	environ = withPath(environ, "LD_PRELOAD", preload)
	// for programs that search libMetal.so by its Linux name
	return withPath(environ, "LD_LIBRARY_PATH", filepath.Join(filepath.Dir(preload), "lib"))
}

// withPath appends an entry to a variable that is a list of paths, unless it is in the list already.
func withPath(environ []string, variable, entry string) []string {
	for i, e := range environ {
		if value, ok := strings.CutPrefix(e, variable+"="); ok {
			if !slices.Contains(strings.FieldsFunc(value, func(c rune) bool { return c == ':' || c == ' ' }), entry) {
				environ[i] = variable + "=" + strings.TrimPrefix(value+":"+entry, ":")
			}
			return environ
		}
	}
	return append(environ, variable+"="+entry)
}

// BesideExecutable looks for a file in a folder relative to the folder of the running executable.
func BesideExecutable(dir, name string) (string, bool) {
	executable, err := os.Executable()
	if err != nil {
		return "", false
	}
	if executable, err = filepath.EvalSymlinks(executable); err != nil {
		return "", false
	}
	path := filepath.Join(filepath.Dir(executable), dir, name)
	_, err = os.Stat(path)
	return path, err == nil
}
