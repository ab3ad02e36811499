package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LibraryName returns the file name of the library that mtrace injects into traced programs.
func LibraryName() string {
	if runtime.GOOS == "darwin" {
		return "libmtrace.dylib"
	}
	return "libmtrace.so"
}

// FindLibrary returns the path of the library to inject: the file in MTRACE_LIBRARY, otherwise the one in the
// executable's folder or in ../lib.
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
	return "", fmt.Errorf(
		"%s, which records the calls, is neither in mtrace's folder nor in ../lib (go install does not build it): "+
			"run ./build.sh build in mtrace's sources and set MTRACE_LIBRARY to its bin/%[1]s, "+
			"or use a release's archive, which includes it", LibraryName())
}

// SoftwareMetal returns the path of the software Metal: a library that provides Metal on a machine without a GPU
// if programs preload it. It returns false on macOS, and if the library is not installed.
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

// WithSoftwareMetal adds the variables that preload the software Metal, a replacement on the CPU. It does nothing on
// macOS, or if the replacement is not installed.
func WithSoftwareMetal(environ []string) []string {
	preload, ok := SoftwareMetal()
	if !ok {
		return environ
	}
	environ = withPath(environ, "LD_PRELOAD", preload)
	// some programs open libMetal.so by name, without a path
	return withPath(environ, "LD_LIBRARY_PATH", filepath.Join(filepath.Dir(preload), "lib"))
}

// withPath appends entry to an environment variable that holds a list of paths, unless the list already contains it.
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

// BesideExecutable returns the path of the file `name` in `dir`, a folder relative to that of mtrace's executable,
// and whether the file exists. Symbolic links to the executable are resolved first.
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
