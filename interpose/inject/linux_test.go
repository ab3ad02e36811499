//go:build linux

package inject

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// elfFile describes an ELF image that these tests lay out themselves, after elf(5), for cases that the compiler here
// cannot produce.
type elfFile struct {
	class       elf.Class
	machine     elf.Machine
	interpreter string
}

func (e elfFile) bytes() []byte {
	var out []byte
	order := binary.LittleEndian
	u16 := func(v ...uint16) {
		for _, x := range v {
			out = order.AppendUint16(out, x)
		}
	}
	u32 := func(v ...uint32) {
		for _, x := range v {
			out = order.AppendUint32(out, x)
		}
	}
	word := func(v ...uint64) {
		for _, x := range v {
			if e.class == elf.ELFCLASS64 {
				out = order.AppendUint64(out, x)
			} else {
				out = order.AppendUint32(out, uint32(x))
			}
		}
	}
	header, program := uint16(64), uint16(56)
	if e.class == elf.ELFCLASS32 {
		header, program = 52, 32
	}
	out = append(out, 0x7f, 'E', 'L', 'F', byte(e.class), byte(elf.ELFDATA2LSB), 1)
	out = append(out, make([]byte, 9)...)
	u16(uint16(elf.ET_DYN), uint16(e.machine))
	u32(1)
	word(0, uint64(header), 0)
	u32(0)
	u16(header, program, 1, 0, 0, 0)
	name := append([]byte(e.interpreter), 0)
	at := uint64(header) + uint64(program)
	u32(uint32(elf.PT_INTERP))
	if e.class == elf.ELFCLASS64 {
		u32(4)
		word(at, 0, 0, uint64(len(name)), uint64(len(name)), 1)
	} else {
		word(at, 0, 0, uint64(len(name)), uint64(len(name)))
		u32(4, 1)
	}
	return append(out, name...)
}

const (
	programSource = `#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* prints its arguments, one a line, and what the tests look for */
int main(int argc, char **argv) {
	for (int i = 0; i < argc; i++) printf("%s\n", argv[i]);
	char *preload = getenv("LD_PRELOAD");
	printf("LD_PRELOAD=%s\n", preload ? preload : "(unset)");
	return 0;
}
`
	// The library marks standard output from its constructor; that is how the
	// tests see whether the dynamic linker loaded it.
	librarySource = `#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { (void)!write(1, "LOADED\n", 7); }
`
)

// compiled are the real ELF files of these tests.
type compiled struct{ dynamic, static, staticPIE, library string }

func compile(t *testing.T, w *world) compiled {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler here: real ELF programs cannot be made")
	}
	source, library := w.put("^/p.c", []byte(programSource)), w.put("^/l.c", []byte(librarySource))
	build := func(out string, args ...string) string {
		out = w.at(out)
		if message, err := exec.Command(compiler, append(args, "-o", out)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, message)
		}
		return out
	}
	return compiled{
		dynamic:   build("^/dynamic", source),
		static:    build("^/static", source, "-static"),
		staticPIE: build("^/static-pie", source, "-static-pie"),
		library:   build("^/libmtrace.so", library, "-shared", "-fPIC"),
	}
}

// TestLinuxDecisions runs every plan and compares its claim with the dynamic linker's behaviour: Injectable if and only
// if the library announced itself. Cases that cannot be executed here compare reasons only.
func TestLinuxDecisions(t *testing.T) {
	base := newWorld(t, "linux", runtime.GOARCH)
	files := compile(t, base)
	root := os.Geteuid() == 0
	cases := []struct {
		name    string
		command []string
		prepare func(w *world)
		user    uint32 // run as this user, when root
		noRun   bool
		want    []Code
	}{
		{name: "dynamic", command: []string{"^/dynamic", "a b"}},
		{name: "static", command: []string{"^/static"}, want: []Code{StaticProgram}},
		{name: "static, position independent", command: []string{"^/static-pie"}, want: []Code{StaticProgram}},
		{name: "script", command: []string{"^/s"}, prepare: func(w *world) { w.script("^/s", "#!^/dynamic one two\n") }},
		{name: "script of a static interpreter", command: []string{"^/s"},
			prepare: func(w *world) { w.script("^/s", "#!^/static\n") }, want: []Code{StaticProgram}},
		{name: "script through env", command: []string{"^/s"},
			prepare: func(w *world) { w.script("^/s", "#!/usr/bin/env -S A=1 ^/dynamic -x\n") }},
		{name: "script without #!", command: []string{"^/s", "x"},
			prepare: func(w *world) { w.script("^/s", "exec ^/dynamic \"$@\"\n") }},
		{name: "script of a script", command: []string{"^/s"},
			prepare: func(w *world) { w.script("^/i", "#!^/dynamic i\n"); w.script("^/s", "#!^/i s\n") }},
		{name: "wrapper of pip", command: []string{"^/s", "x"}, prepare: func(w *world) {
			w.script("^/s", "#!/bin/sh\n'''exec' ^/dynamic \"$0\" \"$@\"\n' '''\n")
		}},
		{name: "env on the command line", command: []string{"/usr/bin/env", "-u", "X", "Y=2", "^/dynamic"}},
		{name: "env that takes everything away", command: []string{"/usr/bin/env", "-i", "Y=2", "^/dynamic", "x"}},
		{name: "env that takes the variable away", command: []string{"/usr/bin/env", "-u", "LD_PRELOAD", "^/dynamic", "x"}},
		{name: "env that takes everything away, in a #! line", command: []string{"^/s"},
			prepare: func(w *world) { w.script("^/s", "#!/usr/bin/env -S -i ^/dynamic\n") }},
		{name: "set-user-id of another user", command: []string{"^/suid"}, user: 65534, prepare: func(w *world) {
			copyFile(w, "^/dynamic", "^/suid", 0o755|os.ModeSetuid)
		}, want: []Code{SetID}},
		{name: "set-user-id of the same user", command: []string{"^/suid"}, prepare: func(w *world) {
			copyFile(w, "^/dynamic", "^/suid", 0o755|os.ModeSetuid)
		}},
		{name: "set-group-id", command: []string{"^/sgid"}, user: 65534, prepare: func(w *world) {
			copyFile(w, "^/dynamic", "^/sgid", 0o755|os.ModeSetgid)
		}, want: []Code{SetID}},
		{name: "file capabilities", command: []string{"^/cap"}, user: 65534, prepare: func(w *world) {
			path := copyFile(w, "^/dynamic", "^/cap", 0o755)
			// vfs_cap_data revision 2, cap_net_raw permitted and effective
			data := []byte{1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
			if err := unix.Setxattr(path, "security.capability", data, 0); err != nil {
				t.Skipf("file capabilities cannot be set here: %v", err)
			}
		}, want: []Code{FileCapabilities}},
		{name: "32-bit", command: []string{"^/p"}, noRun: true, prepare: func(w *world) {
			w.put("^/p", elfFile{elf.ELFCLASS32, elf.EM_386, "/lib/ld-linux.so.2"}.bytes())
		}, want: []Code{WrongMachine}},
		{name: "another processor", command: []string{"^/p"}, noRun: true, prepare: func(w *world) {
			w.put("^/p", elfFile{elf.ELFCLASS64, elf.EM_S390, "/lib/ld64.so.1"}.bytes())
		}, want: []Code{WrongMachine}},
		{name: "x32", command: []string{"^/p"}, noRun: true, prepare: func(w *world) {
			w.put("^/p", elfFile{elf.ELFCLASS32, elf.EM_X86_64, "/libx32/ld-linux-x32.so.2"}.bytes())
		}, want: []Code{WrongMachine}},
		{name: "musl", command: []string{"^/p"}, noRun: true, prepare: func(w *world) {
			machine := elf.EM_X86_64
			if runtime.GOARCH == "arm64" {
				machine = elf.EM_AARCH64
			}
			w.put("^/p", elfFile{elf.ELFCLASS64, machine, "/lib/ld-musl-x86_64.so.1"}.bytes())
		}, want: []Code{OtherCLibrary}},
		{name: "damaged", command: []string{"^/p"}, noRun: true, prepare: func(w *world) {
			w.put("^/p", []byte("\x7fELF\x02\x01\x01\x00 and nothing more"))
		}, want: []Code{DamagedImage}},
		{name: "Mach-O", command: []string{"^/p"}, noRun: true, prepare: func(w *world) { w.put("^/p", arm64.bytes(t)) },
			want: []Code{WrongFormat}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.user != 0 && !root {
				t.Skip("needs root, to make the file and to run it as another user")
			}
			w := newWorld(t, "linux", runtime.GOARCH)
			os.Chmod(w.root, 0o755)
			for _, file := range []string{files.dynamic, files.static, files.staticPIE, files.library} {
				w.put("^/"+filepath.Base(file), must(os.ReadFile(file)))
			}
			w.host.UID, w.host.GID = os.Geteuid(), os.Getegid()
			if c.user != 0 {
				w.host.UID, w.host.GID = int(c.user), int(c.user)
			}
			if c.prepare != nil {
				c.prepare(w)
			}
			var command []string
			for _, word := range c.command {
				command = append(command, w.at(word))
			}
			plan, err := w.host.Prepare(command, w.at("^/libmtrace.so"), os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			if got := codes(plan.Reasons); !slices.Equal(got, c.want) {
				t.Errorf("reasons %v, want %v", plan.Reasons, c.want)
			}
			if plan.Injectable != (len(c.want) == 0) {
				t.Errorf("injectable %v with reasons %v", plan.Injectable, plan.Reasons)
			}
			if c.noRun {
				return
			}
			output := run(t, w, plan.Program, plan.Args, plan.Env, c.user)
			if loaded := strings.Contains(output, "LOADED\n"); loaded != plan.Injectable && !(plan.Inherited && loaded) {
				t.Errorf("the plan says injectable %v, the dynamic linker loaded it: %v\n%s", plan.Injectable, loaded, output)
			}
			// Untraced, the program must see the same arguments.
			direct := run(t, w, must(w.host.lookup(command[0], os.Environ())), command, os.Environ(), c.user)
			if a, b := arguments(output), arguments(direct); !slices.Equal(a, b) && plan.Args[0] != "/bin/sh" {
				t.Errorf("arguments under the plan %q, without it %q", a, b)
			}
		})
	}
}

// arguments removes the parts from the output of programSource that may differ.
func arguments(output string) []string {
	return slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool {
		return line == "LOADED" || strings.HasPrefix(line, "LD_PRELOAD=")
	})
}

func run(t *testing.T, w *world, program string, args, env []string, user uint32) string {
	t.Helper()
	c := &exec.Cmd{Path: program, Args: args, Env: env, Dir: w.root}
	if user != 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	output, err := c.CombinedOutput()
	if err != nil && !errors.Is(err, syscall.ENOEXEC) {
		t.Fatalf("%s: %v\n%s", program, err, output)
	}
	return string(output)
}

func copyFile(w *world, from, to string, mode os.FileMode) string {
	path := w.put(to, must(os.ReadFile(w.at(from))))
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestLibraryIsChecked: ld.so writes "object cannot be preloaded" into the
// program's standard error for a path it cannot use, so such a path must never
// reach the environment.
func TestLibraryIsChecked(t *testing.T) {
	w := newWorld(t, "linux", runtime.GOARCH)
	files := compile(t, w)
	cases := []struct {
		name, library string
		want          Code
	}{
		{"missing", "^/nothing.so", LibraryMissing},
		{"empty name", "", LibraryMissing},
		{"blank in the path", "^/a folder/l.so", LibraryPath},
		{"colon in the path", "^/a:b/l.so", LibraryPath},
		{"dollar in the path", "^/$LIB/l.so", LibraryPath},
		{"folder", "^/dir.so", LibraryFormat},
		{"program", "^/dynamic", LibraryFormat},
		{"text", "^/text.so", LibraryFormat},
		{"Mach-O", "^/mac.dylib", LibraryFormat},
	}
	for _, folder := range []string{"^/a folder/l.so", "^/a:b/l.so", "^/$LIB/l.so"} {
		copyFile(w, "^/libmtrace.so", folder, 0o755)
	}
	w.put("^/dir.so/x", nil)
	w.script("^/text.so", "not a library\n")
	w.put("^/mac.dylib", arm64.asLibrary().bytes(t))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			plan, err := w.host.Prepare([]string{files.dynamic}, w.at(c.library), []string{"A=1"})
			if err != nil {
				t.Fatal(err)
			}
			if got := codes(plan.Reasons); !slices.Equal(got, []Code{c.want}) {
				t.Errorf("reasons %v, want %s", plan.Reasons, c.want)
			}
			if !slices.Equal(plan.Env, []string{"A=1"}) || plan.Variable != "" {
				t.Errorf("environment %q", plan.Env)
			}
		})
	}
	plan, err := w.host.Prepare([]string{files.dynamic}, "libmtrace.so", []string{"LD_PRELOAD=/one.so /two.so:" +
		files.library})
	if err != nil || !slices.Equal(plan.Env, []string{"LD_PRELOAD=" + files.library + ":/one.so:/two.so"}) {
		t.Errorf("a relative library beside the user's own: %v, %+v", err, plan)
	}
}
