// Package testlibrary builds the library for tests: once for all packages of a checkout, and again only when its
// sources change. The go command compiles the C half anew each time it builds with -buildmode=c-shared, twenty seconds
// of a processor (seen with Go 1.26).
package testlibrary

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Build returns the path of the built library, in a folder of the user's cache. Processes that come at once wait for
// the first.
func Build() (path string, err error) {
	source, err := sourceFolder()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "mtrace-tests", fmt.Sprintf("library-%x", sha256.Sum256([]byte(source)))[:24])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close() // which unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("waiting for another build of the library: %w", err)
	}
	state, err := stateOf(source)
	if err != nil {
		return "", err
	}
	name := "libmtrace.so"
	if runtime.GOOS == "darwin" {
		name = "libmtrace.dylib"
	}
	path, stamp := filepath.Join(dir, name), filepath.Join(dir, "built-from")
	if built, _ := os.ReadFile(stamp); bytes.Equal(built, state) {
		return path, nil
	}
	os.Remove(stamp)
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-o", path+".new", ".")
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the library: %w\n%s", err, out)
	}
	// programs that have the old one keep it
	return path, errors.Join(os.Rename(path+".new", path), os.WriteFile(stamp, state, 0o600))
}

// sourceFolder is the folder of the library's package.
func sourceFolder() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if dir := filepath.Dir(file); ok && filepath.IsAbs(dir) {
		return filepath.Dir(dir), nil
	}
	return "", errors.New("the library's sources are not found: build the test without -trimpath")
}

// stateOf is a hash of all that the library is made from: its sources and the compilers.
func stateOf(source string) ([]byte, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), os.Getenv("CC"), os.Getenv("CGO_CFLAGS"), os.Getenv("CGO_LDFLAGS"),
		os.Getenv("GOFLAGS"))
	add := func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintln(hash, path, len(text))
		hash.Write(text)
		return nil
	}
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return add(path)
	})
	if err == nil {
		err = add(filepath.Join(source, "..", "go.mod"))
	}
	return fmt.Appendf(nil, "%x\n", hash.Sum(nil)), err
}
