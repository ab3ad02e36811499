package python

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A shared environment has other projects' packages for the test, which take a minute to download, unpack and compile.
// It is in the user's cache, for one month: then the newest versions are installed.
type shared struct {
	dir  string
	path string   // of its interpreter
	lock *os.File // held while it is open
}

// unfinished is a file in the environment while pip runs.
const unfinished = "unfinished"

// openShared opens the environment for the Python that runs here. Other processes wait until it is closed.
func openShared() (*shared, error) {
	version, err := output("", nil, "python3", "-c", "import sys; print(sys.implementation.cache_tag)")
	if err != nil {
		return nil, fmt.Errorf("python3: %w\n%s", err, version)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "mtrace-tests")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.Create(filepath.Join(folder, "python-"+version+".lock"))
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for another test of the Python package: %w", err), lock.Close())
	}
	dir := filepath.Join(folder, "python-"+version+"-"+time.Now().UTC().Format("2006-01"))
	s := &shared{dir: dir, path: filepath.Join(dir, "bin", "python3"), lock: lock}
	all, _ := filepath.Glob(filepath.Join(folder, "python-"+version+"-*"))
	for _, old := range all {
		if _, err := os.Stat(filepath.Join(old, unfinished)); err == nil || old != dir {
			os.RemoveAll(old)
		}
	}
	if err := s.make(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

// make makes the environment if it does not exist.
func (s *shared) make() error {
	if _, err := os.Stat(s.path); err == nil {
		return nil
	}
	return s.complete(func() error {
		out, err := output("", nil, "python3", "-m", "venv", s.dir)
		if err != nil {
			return errors.New(lastLine(out))
		}
		return nil
	})
}

// complete calls change, and marks the environment as unfinished meanwhile: a killed test leaves the mark.
func (s *shared) complete(change func() error) error {
	mark := filepath.Join(s.dir, unfinished)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	if err := change(); err != nil {
		return errors.Join(err, os.Remove(mark))
	}
	return os.Remove(mark)
}

// install installs packages that have not been installed together before. The error is pip's last line.
func (s *shared) install(packages ...string) error {
	installed := filepath.Join(s.dir, "installed-"+strings.Join(packages, "+"))
	if _, err := os.Stat(installed); err == nil {
		return nil
	}
	return s.complete(func() error {
		args := append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "0",
			"--timeout", "10"}, packages...)
		if out, err := output("", nil, s.path, args...); err != nil {
			return errors.New(lastLine(out))
		}
		return os.WriteFile(installed, nil, 0o600)
	})
}

// close lets other processes open it.
func (s *shared) close() { s.lock.Close() }

// sees makes the packages of a shared environment importable.
func (p *python) sees(others *shared) {
	p.t.Helper()
	const folder = "import sysconfig; print(sysconfig.get_path('purelib'))"
	from, to := p.must(p.dir, others.path, "-c", folder), p.must(p.dir, p.path, "-c", folder)
	if err := os.WriteFile(filepath.Join(to, "others.pth"), []byte(from+"\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}
