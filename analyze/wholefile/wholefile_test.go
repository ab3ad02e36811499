package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWrite: an incomplete file never replaces an older one, a file is replaced only at the caller's request, and a
// link is never followed.
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
	put := func(path, text string, replace bool, err error) error {
		return Write(path, replace, func(f *os.File) error {
			f.WriteString(text)
			return err
		})
	}
	if err := put(path, "first", false, nil); err != nil {
		t.Error(err)
	}
	holds("first")
	if err := put(path, "second", false, nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	holds("first")
	full := errors.New("the disk is full")
	if err := put(path, "half", true, full); err != full {
		t.Error(err)
	}
	holds("first")
	os.Chmod(path, 0o600)
	if err := put(path, "second", true, nil); err != nil {
		t.Error(err)
	}
	holds("second")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := put(link, "through a link", false, nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := put(link, "in the place of the link", true, nil); err != nil {
		t.Error(err)
	}
	holds("second")
	if text, err := os.ReadFile(link); err != nil || string(text) != "in the place of the link" {
		t.Errorf("%q, %v", text, err)
	}
	if err := put(os.DevNull, "text", false, nil); err != nil {
		t.Error(err)
	}
	if err := put(dir, "text", true, nil); err == nil {
		t.Error("a folder was written to")
	}
}

// TestNobodyComesBetween: a file that another process creates while ours is written is not replaced.
func TestNobodyComesBetween(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page")
	err := Write(path, false, func(*os.File) error { return os.WriteFile(path, []byte("somebody's"), 0o644) })
	if text, _ := os.ReadFile(path); !errors.Is(err, fs.ErrExist) || string(text) != "somebody's" {
		t.Errorf("%v, %q", err, text)
	}
}

// TestPipeOfAnotherUser: a pipe that another user has put into a folder of all users gets nothing.
func TestPipeOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make a file of another user")
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if err := errors.Join(syscall.Mkfifo(path, 0o666), os.Chown(path, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckTarget(path, false); err == nil {
		t.Error("the pipe of another user is written to")
	}
	if use, err := CheckTarget(path, true); err != nil || use != AsItIs {
		t.Errorf("%v, %v", use, err)
	}
}

// TestDescriptorGoesOn: output to /dev/fd/N is appended to the existing content, although the descriptor leads to a
// file.
func TestDescriptorGoesOn(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("first ")
	err = Write(fmt.Sprintf("/dev/fd/%d", f.Fd()), false, func(f *os.File) error {
		_, err := f.WriteString("second")
		return err
	})
	if text, _ := os.ReadFile(f.Name()); err != nil || string(text) != "first second" {
		t.Errorf("%v, %q", err, text)
	}
}
