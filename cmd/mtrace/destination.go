package main

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

// standardOutput is what names it where a file can be named.
const standardOutput = "-"

// A destination is where a document goes: nowhere when empty, else to a file, - for standard output, or fd:N for a
// descriptor that the tool was started with. As a flag it may be given without a value: then it is standard output.
type destination string

// Set implements pflag.Value.
func (d *destination) Set(text string) error {
	switch text {
	case "": // --json=$FILE, where FILE is not set, must not be a wish for nothing
		return fmt.Errorf("give a file, fd:N or -")
	case "true":
		text = standardOutput
	case "false":
		text = ""
	}
	*d = destination(text)
	return nil
}

// Type implements pflag.Value.
func (d *destination) Type() string { return "destination" }

// String implements pflag.Value.
func (d *destination) String() string { return string(*d) }

// elsewhere says that it is asked for, and not on standard output.
func (d destination) elsewhere() bool { return d != "" && d != standardOutput }

// descriptor is the number behind fd:.
func (d destination) descriptor() (number int, is bool, err error) {
	text, is := strings.CutPrefix(string(d), "fd:")
	if !is {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), true, err
}

// take says at once, before long work, when it cannot be written to. A descriptor is from then on the tool's own:
// programs that it starts do not get it.
func (d destination) take(flag string, force bool, inputs ...string) error {
	number, is, err := d.descriptor()
	switch {
	case is && err != nil:
		return usageError("%s=%s: fd: has the number of a descriptor behind it, like fd:3", flag, d)
	case is && !given(number):
		return usageError("%s=%s: no descriptor %d was given that can be written to: %d>FILE on the line gives one", flag, d,
			number, number)
	case is && number > 2:
		unix.CloseOnExec(number)
	case !is:
		return mayWrite(flag, string(d), force, inputs...)
	}
	return nil
}

// forceFlag declares the flag without which no command replaces a file.
func forceFlag(flags *pflag.FlagSet, force *bool) {
	flags.BoolVar(force, "force", false, "replace files that are there already")
}

// mayWrite says before long work why the file that a flag names cannot be written. It is none of the inputs, which are
// read. An empty path is none, and - is standard output.
func mayWrite(flag, path string, force bool, inputs ...string) error {
	if path == "" || path == standardOutput {
		return nil
	}
	for _, input := range inputs {
		if err := notTheInput(path, input); err != nil {
			return err
		}
	}
	if _, err := wholefile.Look(path, force); err != nil {
		return usageError("%s: %w", flag, err)
	}
	if folder := filepath.Dir(path); notAFolder(folder) {
		return usageError("%s %s: there is no folder %s", flag, path, folder)
	}
	return nil
}

// given says that a descriptor was open for writing when the tool was started. One that the tool opened itself closes
// when it starts another program; of those that it was given none does, or it would not have them.
func given(number int) bool {
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 {
		return false
	}
	mode, err := unix.FcntlInt(uintptr(number), unix.F_GETFL, 0)
	return err == nil && mode&unix.O_ACCMODE != unix.O_RDONLY
}

// write writes the document. It replaces an older file only with force, and never the input file, which is being
// read.
func (d destination) write(std stdio, input string, force bool, fill func(io.Writer) error) error {
	number, is, err := d.descriptor()
	switch {
	case is && err == nil:
		f := os.NewFile(uintptr(number), string(d))
		if err := fill(f); err != nil {
			return status{exitUsage, fmt.Errorf("writing to descriptor %d: %w", number, err)}
		}
		return asStatus(f.Close())
	case d == standardOutput:
		return fill(std.out)
	}
	return writeFile(std, string(d), input, force, func(f *os.File) error { return fill(f) })
}

// writeText writes the text that print prints on its standard output. A trace that is not whole is printed as far as it
// goes, and the error says so.
func (d destination) writeText(std stdio, input string, force bool, print func(stdio, string) error) error {
	var printed error
	err := d.write(std, input, force, func(w io.Writer) error {
		f, is := w.(*os.File)
		if !is {
			return fmt.Errorf("%s is no file", d)
		}
		to := std
		to.out = f
		printed = print(to, input)
		return nil
	})
	return cmp.Or(err, printed)
}

// writeFile makes the file path from input; - is standard output. It replaces an older file only with force, and never
// input itself.
func writeFile(std stdio, path, input string, force bool, write func(*os.File) error) error {
	if path == standardOutput {
		return asStatus(toStandardOutput(std, write))
	}
	if err := notTheInput(path, input); err != nil {
		return err
	}
	return asStatus(wholefile.Write(path, force, write))
}

// toStandardOutput writes to standard output. On a terminal, nothing that is written steers it.
func toStandardOutput(std stdio, write func(*os.File) error) error {
	if !term.IsTerminal(int(std.out.Fd())) {
		return write(std.out)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(analyze.SafeText(std.out, false), out)
		out.Close()
		copied <- err
	}()
	err = errors.Join(write(in), in.Close())
	return errors.Join(err, <-copied)
}

// notTheInput is the error for a file to write that is what is read.
func notTheInput(path, input string) error {
	if path != standardOutput && wholefile.Same(path, input) {
		return usageError("%s is what is read: name another file to write", path)
	}
	return nil
}

// notForPeople is the error for binary output that would go to a terminal.
func notForPeople(std stdio, what string) error {
	if term.IsTerminal(int(std.out.Fd())) {
		return usageError("%s is no text, and standard output is a terminal: name a file", what)
	}
	return nil
}

// notAFolder says whether nothing is at path, or something else than a folder.
func notAFolder(path string) bool {
	info, err := os.Stat(path)
	return err != nil || !info.IsDir()
}
