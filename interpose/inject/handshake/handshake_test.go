package handshake

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/interpose/inject"
)

func TestExplain(t *testing.T) {
	good := &inject.Plan{Program: "/opt/bin/python3", Injectable: true, Variable: "DYLD_INSERT_LIBRARIES=/l"}
	refused := &inject.Plan{Program: "/bin/sh", Reasons: []inject.Finding{{Code: inject.SystemProtected, Path: "/bin/sh",
		Text: "is protected"}}}
	protected := func(program string) []inject.Finding {
		if strings.HasPrefix(program, "/bin/") {
			return []inject.Finding{{Code: inject.SystemProtected, Path: program, Text: "is protected", Advice: "leave it out"}}
		}
		return nil
	}
	python := Process{PID: 10, Parent: 1, Program: "/opt/bin/python3"}
	hello := python
	hello.Hello = true
	metal := hello
	metal.Metal = true
	shell := Process{PID: 11, Parent: 10, Program: "/bin/sh"}
	lost := Process{PID: 12, Parent: 11, Program: "/opt/bin/python3"}
	cases := []struct {
		name      string
		plan      *inject.Plan
		processes []Process
		want      []inject.Code
		says      string
	}{
		{"Metal was seen", good, []Process{metal, shell, lost}, nil, ""},
		{"Metal was seen in a child only", good, []Process{hello, {PID: 11, Parent: 10, Hello: true, Metal: true}}, nil, ""},
		{"cannot be injected", refused, nil, []inject.Code{inject.SystemProtected}, "is protected"},
		{"cannot be injected itself, but its child was", refused, []Process{{PID: 11, Parent: 10, Hello: true, Metal: true}},
			nil, ""},
		{"should have loaded and did not", good, []Process{python}, []inject.Code{inject.NeverLoaded},
			"DYLD_PRINT_LIBRARIES"},
		{"should have loaded, nothing seen", good, nil, []inject.Code{inject.NeverLoaded}, "/opt/bin/python3"},
		{"executed a protected program in its own place", good, []Process{python, {PID: 10, Parent: 1, Program: "/bin/true"}},
			[]inject.Code{inject.SystemProtected}, "/bin/true: is protected"},
		{"loaded and no Metal", good, []Process{hello}, []inject.Code{inject.NoMetal}, "made no Metal call"},
		{"loaded in two and no Metal", good, []Process{hello, {PID: 11, Parent: 10, Program: "/x", Hello: true}},
			[]inject.Code{inject.NoMetal}, "in 2 processes"},
		{"loaded, and a device made past it", good, []Process{{PID: 10, Parent: 1, Program: "/opt/bin/python3", Hello: true,
			UnseenDevice: true}},
			[]inject.Code{inject.UnseenDevice}, "its device was made by a function"},
		{"used Metal and could not be recorded", good, []Process{hello, {PID: 11, Parent: 10, Program: "/x", Hello: true,
			NotTraced: "not traced: no memory; buy some"}},
			[]inject.Code{inject.NotTraced}, "/x: it uses Metal and is not traced: no memory; buy some"},
		{"a shell dropped it for all below", good, []Process{hello, shell, lost},
			[]inject.Code{inject.NoMetal, inject.Dropped},
			"/bin/sh: process 11 started without the library, and so did 1 below it: it is protected; leave it out"},
		{"a fork of a process with the library has it too", good,
			[]Process{hello, {PID: 11, Parent: 10, Program: "/opt/bin/python3"}}, []inject.Code{inject.NoMetal}, ""},
		{"lost by what a process ran in its own place", good,
			[]Process{hello, {PID: 11, Parent: 10, Program: "/usr/bin/env", Hello: true},
				{PID: 11, Parent: 10, Program: "/bin/sh"}, {PID: 12, Parent: 11, Program: "/opt/bin/x"}},
			[]inject.Code{inject.NoMetal, inject.Dropped},
			"/bin/sh: process 11 started without the library, and so did 1 below it"},
		{"lost by what the first process ran in its own place", good,
			[]Process{hello, {PID: 10, Parent: 1, Program: "/bin/x"}},
			[]inject.Code{inject.NoMetal, inject.Dropped}, "/bin/x: process 10 started without the library: it is protected"},
		{"a shell that runs many times is reported once", good,
			[]Process{hello, shell, {PID: 13, Parent: 10, Program: "/bin/sh"}},
			[]inject.Code{inject.NoMetal, inject.Dropped}, ""},
		{"a child lost it for a reason nobody knows", good, []Process{hello, {PID: 11, Parent: 10, Program: "/opt/x"}},
			[]inject.Code{inject.NoMetal, inject.Dropped}, "run it under mtrace by itself"},
		{"parents in a circle", good, []Process{hello, {PID: 20, Parent: 21, Program: "/a"},
			{PID: 21, Parent: 20, Program: "/b"}}, []inject.Code{inject.NoMetal}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := Explain(c.plan, 10, c.processes, protected)
			var codes []inject.Code
			var text []string
			for _, f := range found {
				codes = append(codes, f.Code)
				text = append(text, f.String())
			}
			if !slices.Equal(codes, c.want) {
				t.Errorf("%q, want %v", text, c.want)
			}
			if !strings.Contains(strings.Join(text, "\n"), c.says) {
				t.Errorf("%q does not say %q", text, c.says)
			}
		})
	}
}

// TestTree looks at a real process and its child, and again after it executed
// another program in its own place.
func TestTree(t *testing.T) {
	if allProcessesMissing() {
		t.Skip("processes cannot be listed on this system")
	}
	shell := exec.Command("/bin/sh", "-c", `sleep 60 & echo started; read line; exec sleep 60`)
	in, _ := shell.StdinPipe()
	out, _ := shell.StdoutPipe()
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	tree := NewTree(shell.Process.Pid)
	t.Cleanup(func() {
		for _, p := range tree.Processes() {
			if process, err := os.FindProcess(p.PID); err == nil {
				process.Kill()
			}
		}
		shell.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	names := func() []string {
		if err := tree.Look(); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range tree.Processes() {
			names = append(names, filepath.Base(p.Program))
		}
		return names
	}
	sleep := func(names []string) int {
		count := 0
		for _, name := range names {
			if name == "sleep" {
				count++
			}
		}
		return count
	}
	until := func(what string, condition func() bool) {
		t.Helper()
		for end := time.Now().Add(3 * time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s was not seen: %+v", what, tree.Processes())
			}
		}
	}
	until("the child", func() bool { return sleep(names()) == 1 })
	if first := tree.Processes()[0]; first.PID != shell.Process.Pid || first.Parent != os.Getpid() {
		t.Errorf("the first process is %+v, want %d below %d", first, shell.Process.Pid, os.Getpid())
	}
	in.Write([]byte("go\n"))
	until("the program executed in place of the shell", func() bool { return sleep(names()) == 2 })
	twice := 0
	for _, p := range tree.Processes() {
		if p.PID == shell.Process.Pid {
			twice++
		}
	}
	if twice != 2 {
		t.Errorf("the process that executed another program is there %d times: %+v", twice, tree.Processes())
	}
}

func allProcessesMissing() bool { _, err := allProcesses(); return err != nil }

func BenchmarkLook(b *testing.B) {
	tree := NewTree(os.Getpid())
	for b.Loop() {
		if err := tree.Look(); err != nil {
			b.Skip(err)
		}
	}
}
