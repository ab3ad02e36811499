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

// StandardOutput stands for standard output where a file name is expected.
const StandardOutput = "-"

// A Destination is where a document goes: nowhere if empty, otherwise to a file, to standard output (-), or to a
// descriptor that the tool was started with (fd:N). Given as a flag without a value, it is standard output.
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

// Elsewhere reports whether the document is requested and does not go to standard output.
func (d Destination) Elsewhere() bool { return d != "" && d != StandardOutput }

// descriptor is the number behind fd:.
func (d Destination) descriptor() (number int, is bool, err error) {
	text, is := strings.CutPrefix(string(d), "fd:")
	if !is {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), true, err
}

// Take returns an error early, before long work, if the destination cannot be written. From then on a descriptor is
// closed on exec, so that started programs do not inherit it.
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

// ForceFlag declares the flag that permits replacing a file.
func ForceFlag(flags *pflag.FlagSet, force *bool) {
	flags.BoolVar(force, "force", false, "replace existing files")
}

// MayWrite returns an error early, before long work, if the file that a flag names cannot be written. The file must not
// be one of the inputs. An empty path is no file, and - is standard output.
func MayWrite(flag, path string, force bool, inputs ...string) error {
	if path == "" || path == StandardOutput {
		return nil
	}
	for _, input := range inputs {
		if err := NotTheInput(path, input); err != nil {
			return err
		}
	}
	if _, err := wholefile.Look(path, force); err != nil {
		return UsageError("%s: %w", flag, err)
	}
	if folder := filepath.Dir(path); notAFolder(folder) {
		return UsageError("%s %s: there is no folder %s", flag, path, folder)
	}
	return nil
}

// given reports whether a descriptor was open for writing when the tool was started. Descriptors that the tool opened
// itself are close-on-exec; inherited ones are not.
func given(number int) bool {
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 {
		return false
	}
	mode, err := unix.FcntlInt(uintptr(number), unix.F_GETFL, 0)
	return err == nil && mode&unix.O_ACCMODE != unix.O_RDONLY
}

// Write writes the document. It replaces an existing file only with force, and never the input file, which is being
// read.
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

// WriteText writes the text that print prints on its standard output. An incomplete trace is printed as far as
// possible, and the error says so.
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

// WriteFile writes the file at path from input; - is standard output. It replaces an existing file only with force, and
// never the input itself.
func WriteFile(std Stdio, path, input string, force bool, write func(*os.File) error) error {
	if path == StandardOutput {
		return AsStatus(toStandardOutput(std, write))
	}
	if err := NotTheInput(path, input); err != nil {
		return err
	}
	return AsStatus(wholefile.Write(path, force, write))
}

// toStandardOutput writes to standard output. On a terminal, control characters are removed.
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

// NotTheInput returns the error for an output file that is also the input.
func NotTheInput(path, input string) error {
	if path != StandardOutput && wholefile.Same(path, input) {
		return UsageError("%s is the input: name another file for the output", path)
	}
	return nil
}

// NotForPeople returns the error for writing binary data to a terminal.
func NotForPeople(std Stdio, what string) error {
	if term.IsTerminal(int(std.Out.Fd())) {
		return UsageError("%s is binary, and standard output is a terminal: name a file", what)
	}
	return nil
}

// notAFolder reports whether path is not an existing folder.
func notAFolder(path string) bool {
	info, err := os.Stat(path)
	return err != nil || !info.IsDir()
}
