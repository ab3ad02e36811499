package inject

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestShebang(t *testing.T) {
	long := "#!/" + strings.Repeat("x", 300)
	cases := []struct {
		name, head    string
		linux, darwin []string // interpreter and arguments; nil: not a script
	}{
		{"plain", "#!/bin/sh\n", []string{"/bin/sh"}, []string{"/bin/sh"}},
		{"blanks", "#!  \t/bin/sh  \t\n", []string{"/bin/sh"}, []string{"/bin/sh"}},
		{"one argument", "#!/bin/sh -e\n", []string{"/bin/sh", "-e"}, []string{"/bin/sh", "-e"}},
		{"several", "#!/usr/bin/env python3  -u\n", []string{"/usr/bin/env", "python3  -u"},
			[]string{"/usr/bin/env", "python3", "-u"}},
		{"comment", "#!/bin/sh -e # strict\n", []string{"/bin/sh", "-e # strict"}, []string{"/bin/sh", "-e"}},
		{"no newline", "#!/bin/sh", []string{"/bin/sh"}, nil},
		{"nothing", "#!\n", nil, nil},
		{"only blanks", "#!   \n", nil, nil},
		{"name too long for Linux", long + "\n", nil, []string{long[2:]}},
		{"arguments too long for Linux", "#!/bin/sh " + strings.Repeat("a", 300) + "\n",
			[]string{"/bin/sh", strings.Repeat("a", 255-10)}, []string{"/bin/sh", strings.Repeat("a", 300)}},
		{"too long for macOS", "#!/bin/sh " + strings.Repeat("a", 600) + "\n",
			[]string{"/bin/sh", strings.Repeat("a", 255-10)}, nil},
		{"carriage return", "#!/bin/sh\r\n", []string{"/bin/sh\r"}, []string{"/bin/sh\r"}},
		{"not a script", "\x7fELF", nil, nil},
	}
	for _, c := range cases {
		for system, want := range map[string][]string{"linux": c.linux, "darwin": c.darwin} {
			s, ok := parseShebang([]byte(c.head), system)
			var got []string
			if ok {
				got = append([]string{s.interpreter}, s.args...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s on %s: %q, want %q", c.name, system, got, want)
			}
		}
	}
}

// TestShebangAgreesWithTheKernel has the kernel execute scripts and compares
// the arguments their interpreter got with what parseShebang expects.
func TestShebangAgreesWithTheKernel(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("needs the kernel of Linux or macOS")
	}
	printf, err := exec.LookPath("printf")
	if err != nil {
		t.Skip("no printf here")
	}
	// printf reads its first argument as a format; [%s] shows every other.
	for _, line := range []string{
		"#!" + printf + " [%s]",
		"#!" + printf + "\t [%s]\t ",
		"#! " + printf + " [%s] a b",
		"#!" + printf + " [%s]#c",
		"#!" + printf + " [%s]" + strings.Repeat("y", 300),
	} {
		script := filepath.Join(t.TempDir(), "s")
		if err := os.WriteFile(script, []byte(line+"\nrest\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		s, ok := parseShebang([]byte(line+"\nrest\n"), runtime.GOOS)
		if !ok {
			t.Errorf("%q is not understood", line)
			continue
		}
		want, err := exec.Command(s.interpreter, append(s.args, script, "A")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(script, "A").Output()
		if err != nil || string(got) != string(want) {
			t.Errorf("%q: the kernel gives %q (%v), parseShebang %q", line, got, err, want)
		}
	}
}

// TestSplitStringAgreesWithEnv compares with the env of this machine.
func TestSplitStringAgreesWithEnv(t *testing.T) {
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip("no env here")
	}
	if err := exec.Command(env, "-S", "true").Run(); err != nil {
		t.Skip("env of this machine has no -S")
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "NAME=two words"}
	for _, text := range []string{
		`a b  c`, `'a b' "c d"`, `a\_b`, `"a\_b"`, `a\tb`, `"a\nb"`, `'a\nb'`, `${NAME}`, `"${NAME}"`, `'${NAME}'`,
		`x${NAME}y`, `${UNSET}`, `a #b`, `a#b`, `a\#b`, `#a`, `a\cb c`, `a"b"'c'd`, `'it\'s'`, `a\\b`, `"\""`, `\$x`,
	} {
		words, err := splitString(text, environ)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := strings.Join(words, "|")
		c := exec.Command(env, "-S", `printf '%s|' `+text)
		c.Env = environ
		output, err := c.Output()
		if err != nil {
			t.Errorf("env cannot split %s: %v", text, err)
			continue
		}
		if want := strings.TrimSuffix(string(output), "|"); got != want {
			t.Errorf("%s: %q, env gives %q", text, got, want)
		}
	}
	for _, text := range []string{`$NAME`, `'open`, `\z`, `${`} {
		if words, err := splitString(text, environ); err == nil {
			t.Errorf("%s is accepted as %q", text, words)
		}
	}
}

// TestShellWordsAgreeWithSh compares the words with the words that the shell produces.
func TestShellWordsAgreeWithSh(t *testing.T) {
	for _, line := range []string{
		`a b  c`, `'''exec' x`, `"a b"'c d'e`, `a\ b`, `"a\"b\\c\$d"`, `'a\b'`, `"$0" end`, `"${0}x"`, `a # comment`, `a#b`,
		`"" x`, `A="b c"`,
	} {
		words, ok := shellWords(line, "script")
		if !ok {
			t.Errorf("%s is not understood", line)
			continue
		}
		output, err := exec.Command("/bin/sh", "-c", `printf '%s|' `+line, "script").Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(words, "|") + "|"; got != string(output) {
			t.Errorf("%s: %q, sh gives %q", line, got, output)
		}
	}
	for _, line := range []string{`a $B`, "`a`", `a | b`, `a; b`, `a && b`, `*.py`, `"open`, `'open`, `"$(date)"`, `~/x`,
		`a > b`, `{a,b}`} {
		if words, ok := shellWords(line, "script"); ok {
			t.Errorf("%s is accepted as %q", line, words)
		}
	}
}

func TestWrapper(t *testing.T) {
	cases := []struct {
		name, content string
		want          string // command, "-" when not a wrapper
	}{
		{"comments first", "#!/bin/sh\n# made by a tool\n\nexec \"/p\" \"$@\"\n", "/p x y"},
		{"arguments in the middle", "#!/bin/sh\nexec /p -m \"$@\" end\n", "/p -m x y end"},
		{"no arguments handed on", "#!/bin/sh\nexec /p\n", "/p"},
		{"unquoted arguments are split by the shell", "#!/bin/sh\nexec /p $@\n", "-"},
		{"a command before", "#!/bin/sh\ncd /tmp\nexec /p \"$@\"\n", "-"},
		{"a variable that is not exported", "#!/bin/sh\nA=1\nexec /p\n", "-"},
		{"exec with an option", "#!/bin/sh\nexec -a name /p\n", "-"},
		{"redirection", "#!/bin/sh\nexec /p > log\n", "-"},
		{"no exec", "#!/bin/sh\n/p \"$@\"\n", "-"},
		{"empty", "#!/bin/sh\n", "-"},
		{"not a script", "exec /p\n", "-"},
	}
	for _, c := range cases {
		w, ok := parseWrapper([]byte(c.content), "/s", []string{"x", "y"})
		got := strings.Join(w.command, " ")
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
