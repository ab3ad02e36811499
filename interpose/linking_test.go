package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/fixtures/softmetal"
)

// linkedWith are the arguments by which gcc links the software Metal, so that it is found when the program runs.
func linkedWith(install softmetal.Install) []string {
	return []string{"-Wl,--no-as-needed", install.Library(), "-Wl,-rpath," + install.Dir}
}

// linkingHost builds testdata/linking_host.c.
func linkingHost(t testing.TB) string {
	t.Helper()
	return build(t, "linking-host", "gcc", "-O1", "-Itestdata", "-o", "OUT", "testdata/linking_host.c", "-ldl")
}

// plugin builds testdata/linking_plugin.c, or a library without code of its own when from is "none", with more
// arguments.
func plugin(t testing.TB, name, from string, arguments ...string) string {
	t.Helper()
	command := []string{"gcc", "-shared", "-fPIC", "-O1", "-Itestdata", "-o", "OUT"}
	if from == "none" {
		command = append(command, "-x", "c", "/dev/null", "-x", "none")
	} else {
		command = append(command, "testdata/linking_plugin.c")
	}
	return build(t, name, append(command, arguments...)...)
}

// A plugin that a program opens with RTLD_LOCAL, and that loads Metal, calls the tracer's function instead of Metal's.
// That function once looked for Metal among the program's libraries only and returned "no device". However a program
// links to Metal, it behaves the same with the tracer, and its calls are recorded. Metal in a linker namespace of its
// own is left alone: see docs/injection.md.
func TestLinking(t *testing.T) {
	install, _ := softMetal(t)
	metal := linkedWith(install)
	host := linkingHost(t)
	program := func(name string, libraries ...string) string {
		return build(t, name, append([]string{"gcc", "-O1", "-DPROGRAM", "-Itestdata", "-o", "OUT",
			"testdata/linking_plugin.c"}, libraries...)...)
	}
	linked := plugin(t, "linking-plugin.so", "own", metal...)
	bare := plugin(t, "linking-bare.so", "own")
	beside := plugin(t, "linking-beside.so", "none",
		append([]string{"-Wl,--no-as-needed", bare, "-Wl,-rpath," + filepath.Dir(bare)}, metal...)...)
	through := plugin(t, "linking-through.so", "none", "-Wl,--no-as-needed", linked, "-Wl,-rpath,"+filepath.Dir(linked))
	foundation := []string{"-Wl,--no-as-needed", "-lgnustep-base", "-lobjc"}
	for _, c := range []struct {
		name    string
		command []string
		preload string
		commits int
	}{
		{"linked", []string{program("linking-program", metal...)}, "", 3},
		{"linked behind Foundation", []string{program("linking-behind", append(foundation, metal...)...)}, "", 3},
		{"linked before Foundation", []string{program("linking-before", append(metal, foundation...)...)}, "", 3},
		{"preloaded before the tracer", []string{program("linking-program", metal...)}, install.Library(), 3},
		{"opened globally", []string{host, "global", linked}, "", 3},
		{"opened locally", []string{host, "local", linked}, "", 3},
		{"opened locally, bound lazily", []string{host, "local lazy", linked}, "", 3},
		{"opened locally, twice", []string{host, "local again", linked}, "", 6},
		{"opened locally, through another library", []string{host, "local", through}, "", 3},
		{"opened locally, Metal beside the library that calls it", []string{host, "local", beside}, "", 3},
		{"opened with RTLD_DEEPBIND", []string{host, "deepbind", linked}, "", 3},
		{"symbols asked for", []string{host, "symbols", install.Library()}, "", 3},
		{"symbols of a library opened with RTLD_DEEPBIND", []string{host, "symbols deepbind", install.Library()}, "", 3},
		{"a namespace", []string{host, "namespace", linked}, "", 0},
		{"symbols asked for in a namespace", []string{host, "symbols namespace", install.Library()}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := exec.Command(c.command[0], c.command[1:]...)
			plain.Env = append(os.Environ(), "LD_PRELOAD="+c.preload)
			want, err := plain.CombinedOutput()
			if err != nil || !strings.Contains(string(want), "status 4\n") {
				t.Fatalf("without the tracer: %v\n%s", err, want)
			}
			r := traceWith(t, exec.Command(c.command[0], c.command[1:]...), strings.TrimPrefix(c.preload+":"+library(t), ":"),
				func(*os.Process) {})
			if got := r.stdout + r.stderr; got != string(want) || !r.state.Success() {
				t.Errorf("ended with %v and said\n%swithout the tracer\n%s", r.state, got, want)
			}
			if n := recorded(r.events(t), "commit"); n != c.commits {
				t.Errorf("%d commits recorded, not %d", n, c.commits)
			}
		})
	}
}
