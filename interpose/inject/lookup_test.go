package inject

import (
	"errors"
	"os"
	"testing"
)

// TestLookup follows execvp(3): search order, empty elements, and the skipped and reported files.
func TestLookup(t *testing.T) {
	w := newWorld(t, "linux", "amd64")
	w.put("^/a/tool", []byte("x"))
	w.put("^/b/tool", []byte("x"))
	w.put("^/b/only", []byte("x"))
	w.put("^/here", []byte("x"))
	w.put("^/b/folder/x", []byte("x"))
	w.put("^/a/plain", []byte("x"))
	os.Chmod(w.at("^/a/plain"), 0o644)
	w.put("^/a/later", []byte("x"))
	os.Chmod(w.at("^/a/later"), 0o644)
	w.put("^/b/later", []byte("x"))
	w.link("^/nowhere", "^/a/dangling")
	cases := []struct {
		name, path, command, want string
		status                    int // 127 not found, 125 not executable
	}{
		{"first wins", "^/a:^/b", "tool", "^/a/tool", 0},
		{"second folder", "^/a:^/b", "only", "^/b/only", 0},
		{"a file without x does not end the search", "^/a:^/b", "later", "^/b/later", 0},
		{"a file without x is reported", "^/a:^/b", "plain", "", 125},
		{"a folder is not a program", "^/b", "folder", "", 125},
		{"dangling link", "^/a", "dangling", "", 127},
		{"empty element is the working directory", "^/a:", "here", "./here", 0},
		{"path with a slash is not searched", "^/a", "b/only", "b/only", 0},
		{"path with a slash, missing", "^/a", "./tool", "", 127},
		{"not found", "^/a:^/b", "nothing", "", 127},
		{"PATH of nonsense", "::/dev/null:", "nothing", "", 127},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := w.host.lookup(c.command, environment{w.at("PATH=" + c.path)})
			if got != w.at(c.want) {
				t.Errorf("%q, want %q", got, w.at(c.want))
			}
			var status interface{ ExitStatus() int }
			switch {
			case c.status == 0 && err != nil:
				t.Error(err)
			case c.status != 0 && (!errors.As(err, &status) || status.ExitStatus() != c.status):
				t.Errorf("error %v, want one of status %d", err, c.status)
			}
		})
	}
}

// TestErrors: the messages that the user reads when nothing can be started.
func TestErrors(t *testing.T) {
	w := newWorld(t, "linux", "amd64")
	w.script("^/bad", "#!/no/such/interpreter -x\n")
	w.script("^/windows", "#!/bin/sh\r\n")
	w.put("^/junk", []byte("\x01\x02\x00\x03 junk"))
	w.put("^/dir/x", nil)
	w.put("^/Empty.app/x", nil)
	w.script("^/No.app/Contents/Info.plist", infoPlist(""))
	w.script("^/Up.app/Contents/Info.plist", infoPlist("../../../bin/sh"))
	w.script("^/Gone.app/Contents/Info.plist", infoPlist("gone"))
	w.script("^/Bad.app/Contents/Info.plist", "<plist><dict>")
	cases := []struct{ command, want string }{
		{"nothing", "nothing: not found in PATH; give its path or check PATH"},
		{"./nothing", "./nothing: not found; check the path"},
		{"./bad", "./bad: its interpreter /no/such/interpreter was not found; install it or correct the #! line"},
		{"./windows", `./windows: its interpreter "/bin/sh\r" was not found; the #! line ends in a carriage return, ` +
			`which dos2unix removes`},
		{"./junk", "./junk: cannot be executed: it is neither a program of a known format nor a script"},
		{"./dir", "./dir: cannot be executed: it is a directory"},
		{"./Empty.app", "./Empty.app: cannot be executed: it is a folder without Contents/Info.plist; give a program or " +
			"an application bundle"},
		{"./No.app", "./No.app: cannot be executed: its Info.plist names no executable (CFBundleExecutable)"},
		{"./Up.app", "./Up.app: cannot be executed: its Info.plist names no executable (CFBundleExecutable)"},
		{"./Gone.app", "./Gone.app: cannot be executed: its executable Gone.app/Contents/MacOS/gone is missing"},
	}
	for _, c := range cases {
		_, err := w.host.Prepare([]string{c.command}, "", w.env)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v, want\n%s", c.command, err, c.want)
		}
	}
	var bad *NotExecutableError
	if _, err := w.host.Prepare([]string{"./Bad.app"}, "", w.env); !errors.As(err, &bad) {
		t.Errorf("a damaged Info.plist gives %v", err)
	}
	for _, command := range [][]string{nil, {}, {""}} {
		if _, err := w.host.Prepare(command, "", w.env); !errors.Is(err, ErrNoCommand) {
			t.Errorf("command %q gives %v", command, err)
		}
	}
}

// TestEndlessChain: scripts that interpret each other must end in an answer.
func TestEndlessChain(t *testing.T) {
	w := newWorld(t, "linux", "amd64")
	w.script("^/a", "#!^/b\n")
	w.script("^/b", "#!^/a\n")
	plan, err := w.host.Prepare([]string{"./a"}, "", w.env)
	if err != nil || len(plan.Chain) != maxHops || plan.Injectable {
		t.Errorf("%+v, %v", plan, err)
	}
}
