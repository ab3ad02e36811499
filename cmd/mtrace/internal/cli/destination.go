package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/wholefile"
)

// StandardOutput is the file name that stands for standard output.
const StandardOutput = "-"

// A Destination is where a document is written: a file, standard output (-), an inherited file descriptor (fd:N), or
// nowhere if empty. A flag of this type without a value means standard output.
type Destination string

// Set implements pflag.Value.
func (d *Destination) Set(text string) error {
	switch text {
	case "": // --json=$FILE with an unset FILE must not be silently ignored
		return fmt.Errorf("give a file, fd:N or -")
	case "true":
		text = StandardOutput
	case "false":
		text = ""
	}
	*d = Destination(text)
	return nil
}

// Type implements pflag.Value.
func (d *Destination) Type() string { return "destination" }

// String implements pflag.Value.
func (d *Destination) String() string { return string(*d) }

// Elsewhere reports whether a document is written, but not to standard output.
func (d Destination) Elsewhere() bool { return d != "" && d != StandardOutput }

// descriptor returns N if the destination has the form fd:N. `is` is false for every other form.
func (d Destination) descriptor() (number int, is bool, err error) {
	text, is := strings.CutPrefix(string(d), "fd:")
	if !is {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), true, err
}

// Take checks that the destination can be written; call it before long work, so that the work is not lost. It also
// marks a descriptor fd:N close-on-exec: otherwise programs that mtrace starts would inherit it.
func (d Destination) Take(flag string, force bool, inputs ...string) error {
	number, is, err := d.descriptor()
	switch {
	case is && err != nil:
		return UsageError("%s=%s: give the number of a descriptor after fd:, like fd:3", flag, d)
	case is && !given(number):
		return UsageError("%s=%s: descriptor %d is not open for writing: add %d>FILE to the command line", flag, d,
			number, number)
	case is && number > 2:
		unix.CloseOnExec(number)
	case !is:
		return MayWrite(flag, string(d), force, inputs...)
	}
	return nil
}

// ForceFlag declares --force, without which no command replaces an existing file.
func ForceFlag(flags *pflag.FlagSet, force *bool) {
	flags.BoolVar(force, "force", false, "replace existing files")
}

// MayWrite returns an error if the file named by a flag cannot be written, or is one of the inputs; call it before
// long work. It accepts an empty path (no file) and - (standard output).
func MayWrite(flag, path string, force bool, inputs ...string) error {
	if path == "" || path == StandardOutput {
		return nil
	}
	for _, input := range inputs {
		if err := NotTheInput(path, input); err != nil {
			return err
		}
	}
	if _, err := wholefile.CheckTarget(path, force); err != nil {
		return UsageError("%s: %w", flag, err)
	}
	if folder := filepath.Dir(path); notAFolder(folder) {
		return UsageError("%s %s: there is no folder %s", flag, path, folder)
	}
	return nil
}

// given reports whether the user passed this descriptor, open for writing, to mtrace. Descriptors that mtrace opened
// itself are close-on-exec; inherited descriptors are not, and count as the user's.
func given(number int) bool {
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 {
		return false
	}
	mode, err := unix.FcntlInt(uintptr(number), unix.F_GETFL, 0)
	return err == nil && mode&unix.O_ACCMODE != unix.O_RDONLY
}

// Write calls `fill` with the opened destination. An existing file is replaced only with force, and never if it is
// the input, which is still being read.
func (d Destination) Write(std Stdio, input string, force bool, fill func(io.Writer) error) error {
	number, is, err := d.descriptor()
	switch {
	case is && err == nil:
		f := os.NewFile(uintptr(number), string(d))
		if err := fill(f); err != nil {
			return Status{ExitUsage, fmt.Errorf("writing to descriptor %d: %w", number, err)}
		}
		return AsStatus(f.Close())
	case d == StandardOutput:
		return fill(std.Out)
	}
	return WriteFile(std, string(d), input, force, func(f *os.File) error { return fill(f) })
}

// WriteText runs print with the destination as its standard output. If print fails, its output up to then is still
// written, and its error is returned: the readable part of an incomplete trace is shown.
func (d Destination) WriteText(std Stdio, input string, force bool, print func(Stdio, string) error) error {
	var printed error
	err := d.Write(std, input, force, func(w io.Writer) error {
		f, is := w.(*os.File)
		if !is {
			return fmt.Errorf("%s is no file", d)
		}
		to := std
		to.Out = f
		printed = print(to, input)
		return nil
	})
	return cmp.Or(err, printed)
}

// WriteFile calls `write` with a new file at path; - is standard output. An existing file is replaced only with
// force, and never if it is the input.
func WriteFile(std Stdio, path, input string, force bool, write func(*os.File) error) error {
	if path == StandardOutput {
		return AsStatus(toStandardOutput(std, write))
	}
	if err := NotTheInput(path, input); err != nil {
		return err
	}
	return AsStatus(wholefile.Write(path, force, write))
}

// toStandardOutput calls write with standard output. If standard output is a terminal, control characters are
// removed: names in a trace could contain some that change the terminal's settings.
func toStandardOutput(std Stdio, write func(*os.File) error) error {
	if !term.IsTerminal(int(std.Out.Fd())) {
		return write(std.Out)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(analyze.SafeText(std.Out, false), out)
		out.Close()
		copied <- err
	}()
	err = errors.Join(write(in), in.Close())
	return errors.Join(err, <-copied)
}

// NotTheInput returns an error if the output file is the input, which would be overwritten while it is read.
func NotTheInput(path, input string) error {
	if path != StandardOutput && wholefile.Same(path, input) {
		return UsageError("%s is the input: name another file for the output", path)
	}
	return nil
}

// NotForPeople returns an error if standard output is a terminal, where binary data would be unreadable.
func NotForPeople(std Stdio, what string) error {
	if term.IsTerminal(int(std.Out.Fd())) {
		return UsageError("%s is binary, and standard output is a terminal: name a file", what)
	}
	return nil
}

// notAFolder reports whether path does not exist or is not a folder.
func notAFolder(path string) bool {
	info, err := os.Stat(path)
	return err != nil || !info.IsDir()
}
