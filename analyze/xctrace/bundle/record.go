package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Recording says which program to record, and how.
type Recording struct {
	Command  []string // the program and its arguments
	Output   string   // the .trace bundle to make
	Template string   // name, or path of a .tracetemplate file
	Limit    time.Duration
	Env      []string  // NAME=VALUE, for the program
	Stdin    io.Reader // for the program; nil means none
	Stdout   io.Writer // for the program
	Stderr   io.Writer
}

// Record records a program with xctrace until the program ends or an interrupt arrives, and waits until the bundle is
// saved. It returns an error if there is no usable bundle.
func (t *Tool) Record(ctx context.Context, r Recording) error {
	program, args, err := resolve(r.Command)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(r.Output); err == nil {
		return fmt.Errorf(
			"%s exists already, and xctrace does not overwrite it: remove it or choose another path with --output",
			r.Output)
	}
	line := []string{"record", "--template", r.Template, "--output", r.Output, "--no-prompt", "--target-stdout", "-"}
	if r.Stdin != nil {
		line = append(line, "--target-stdin", "-")
	}
	for _, setting := range r.Env {
		line = append(line, "--env", setting)
	}
	if r.Limit > 0 {
		line = append(line, "--time-limit", fmt.Sprintf("%dms", r.Limit.Milliseconds()))
	}
	line = append(line, "--launch", "--", program)
	line = append(line, args...)
	t.say("recording %s into %s; press Ctrl-C to stop", program, r.Output)

	var said tail
	cmd := t.command(ctx, line...)
	// interrupt xctrace, which then saves the recording; killing it would lose the recording
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin = r.Stdin
	cmd.Stdout = io.MultiWriter(r.Stdout, &said)
	cmd.Stderr = io.MultiWriter(r.Stderr, &said)
	// run xctrace in a process group of its own; otherwise Ctrl-C would interrupt it twice, by the terminal and by
	// mtrace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run xctrace record: %w", err)
	}
	stop := t.interrupts(cmd.Process)
	err = cmd.Wait()
	stop()
	return t.judge(ctx, r.Output, err, said.String())
}

// interrupts forwards the first SIGINT or SIGTERM that mtrace gets to xctrace as SIGINT, so that xctrace stops and
// saves the recording, which can take minutes. stop ends the forwarding.
func (t *Tool) interrupts(xctrace *os.Process) (stop func()) {
	signals := make(chan os.Signal, 4)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		asked := false
		for {
			select {
			case <-signals:
				if asked {
					// do not forward a second interrupt: xctrace would drop the recording
					t.say("xctrace is still saving the recording")
					continue
				}
				asked = true
				t.say("stopping the recording; xctrace saves it, which can take minutes")
				xctrace.Signal(os.Interrupt)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// judge decides whether the recording succeeded. It checks the bundle, because the status of xctrace record is not
// reliable: it may report a failure for a good recording, or success if nothing was saved.
func (t *Tool) judge(ctx context.Context, output string, err error, said string) error {
	var f *failure
	if err != nil {
		failed := asFailure("record", err, said)
		if !errors.As(failed, &f) {
			return failed
		}
	}
	if err := waitForBundle(output, 10*time.Second); err != nil {
		if f != nil {
			return f
		}
		return fmt.Errorf("xctrace record ended without an error, but created no %s: %s", output, lastLine(said))
	}
	toc, err := t.TOC(context.WithoutCancel(ctx), output)
	if err != nil {
		if f != nil {
			return fmt.Errorf("%w (and %s cannot be read)", f, output)
		}
		// the tables may be readable although the table of contents is not; if they are not, the export fails later
		t.say("%v: whether the recording is complete is not known", err)
		return nil
	}
	if toc.Runs[0].Started.IsZero() {
		return fmt.Errorf("the recording failed: %s has no start date; xctrace said: %s", output, lastLine(said))
	}
	if f != nil {
		t.say("xctrace ended with status %d, but the recording is complete", f.code)
	}
	return nil
}

// waitForBundle waits until the bundle exists and no longer grows. It waits no longer than `patience`.
func waitForBundle(path string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	before := int64(-1)
	for {
		size, err := sizeOf(path)
		if err == nil && size == before {
			return nil
		}
		if err == nil {
			before = size
		}
		if errors.Is(err, os.ErrNotExist) && time.Now().Add(patience*9/10).After(deadline) {
			return err // after a tenth of the time not even a directory exists
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s is not finished", path)
		}
		time.Sleep(patience / 100)
	}
}

func sizeOf(path string) (size int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, err
	}
	err = filepath.Walk(path, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			size += info.Size()
		}
		return nil
	})
	return size, err
}

// resolve returns the program that xctrace must launch, with its absolute path, which xctrace requires. For a script
// it returns the script's interpreter, because xctrace launches only binaries.
func resolve(command []string) (program string, args []string, err error) {
	if len(command) == 0 {
		return "", nil, errors.New("no program was given; use mtrace xctrace record -- CMD ARG…")
	}
	program, err = find(command[0])
	if err != nil {
		return "", nil, err
	}
	args = command[1:]
	for range 4 {
		interpreter, option, err := shebang(program)
		if err != nil || interpreter == "" {
			return program, args, err
		}
		rest := append([]string{program}, args...)
		if filepath.Base(interpreter) == "env" && option != "" && !strings.HasPrefix(option, "-") {
			if program, err = find(option); err != nil {
				return "", nil, err
			}
			args = rest
			continue
		}
		if option != "" {
			rest = append([]string{option}, rest...)
		}
		program, args = interpreter, rest
	}
	return "", nil, fmt.Errorf(
		"%s: its interpreter is a script with another interpreter, and so on more than four times", command[0])
}

func find(name string) (string, error) {
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s was not found in PATH, or is not executable: give the path of a program", name)
	}
	return filepath.Abs(found)
}

// shebang returns the interpreter and its option from the first line of a script; both are empty for other programs.
func shebang(path string) (interpreter, option string, err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrPermission) {
		return "", "", nil // a script must be readable, so this is a binary
	}
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	buf := make([]byte, 512)
	n, _ := io.ReadFull(file, buf)
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	if !strings.HasPrefix(line, "#!") {
		return "", "", nil
	}
	interpreter, option, _ = strings.Cut(strings.TrimSpace(line[2:]), " ")
	return interpreter, strings.TrimSpace(option), nil
}
