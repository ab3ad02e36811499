package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite: what is not whole never stands in the place of what was. `mtrace report --html`, `mtrace pprof` and `mtrace check --junit`
// used to empty the older file first, and left half a page of it when the disk was full.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "page"), filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	holds := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(path); string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+Suffix)); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
	put := func(path, text string, err error) error {
		return Write(path, func(f *os.File) error {
			f.WriteString(text)
			return err
		})
	}
	if err := put(path, "first", nil); err != nil {
		t.Error(err)
	}
	holds("first")
	full := errors.New("the disk is full")
	if err := put(path, "half", full); err != full {
		t.Error(err)
	}
	holds("first")
	os.Chmod(path, 0o600)
	if err := put(link, "through a link", nil); err != nil {
		t.Error(err)
	}
	holds("through a link")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is no link any more")
	}
	if err := put(os.DevNull, "text", nil); err != nil {
		t.Error(err)
	}
	if err := put(dir, "text", nil); err == nil {
		t.Error("a folder was written to")
	}
}
