package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mtrace/interpose/inject"
)

// A Probe gives the checks of mtrace doctor access to the machine. Tests use a probe that simulates another
// machine.
type Probe struct {
	OS, Arch string
	Environ  []string
	// Run runs a program of the system and returns its standard output.
	Run func(name string, args ...string) (string, error)
	// Read returns the content of a file, at most the first megabyte.
	Read func(path string) ([]byte, error)
	// Glob finds files by pattern.
	Glob func(pattern string) []string
	// Directory is the working directory, Temp the folder for temporary files.
	Directory, Temp string
	// Host describes the machine for package inject.
	Host inject.Host
}

// commandLimit is how long a system command may run before it is killed. The first run of system_profiler takes
// several seconds.
const commandLimit = 20 * time.Second

// ThisMachine returns a probe that runs real commands and reads real files.
func ThisMachine() *Probe {
	host := inject.ThisHost()
	return &Probe{
		OS: host.OS, Arch: host.Arch, Environ: os.Environ(),
		Directory: host.Directory, Temp: os.TempDir(), Host: host,
		Run:  runProgram,
		Read: func(path string) ([]byte, error) { return readLimited(path, 1<<20) },
		Glob: func(pattern string) []string {
			found, _ := filepath.Glob(pattern)
			return found
		},
	}
}

func runProgram(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.WaitDelay = time.Second
	output, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(firstLine(string(exit.Stderr)))
	}
	return string(output), err
}

func readLimited(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content := make([]byte, limit)
	n, err := file.Read(content)
	return content[:n], err
}

// env looks a variable up.
func (p *Probe) env(name string) string {
	for _, entry := range p.Environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// ask runs a program and returns the first line of its output; empty if it fails.
func (p *Probe) ask(name string, args ...string) string {
	output, err := p.Run(name, args...)
	if err != nil {
		return ""
	}
	return firstLine(output)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
