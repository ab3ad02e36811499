package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The C half, with a drainer in C, under the sanitizers: as a program that holds the shim itself, because theirs must be the
// first library of a process.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("three instrumented builds")
	}
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		t.Run(sanitizer, func(t *testing.T) {
			name := strings.ReplaceAll(sanitizer, ",", "-")
			flags := []string{"gcc", "-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-DMTRACE_SMALL", "-fsanitize=" + sanitizer, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-Wno-tsan"}
			shapes := build(t, "libshapes-"+name+".so", append(flags, "-fPIC", "-shared", "-o", "OUT", "testdata/shapes.m", "-lobjc", "-lBlocksRuntime")...)
			command := append(flags, "-fobjc-exceptions", "-fvisibility=hidden", "-o", "OUT", "testdata/client.m", "testdata/drainer.c")
			for _, source := range sources {
				if !strings.HasSuffix(source, "_darwin.c") {
					command = append(command, source)
				}
			}
			program := build(t, "client-"+name, append(command, shapes, "-lobjc", "-lpthread", "-ldl", "-rdynamic")...)
			for _, scenario := range []string{"classes", "threads", "short-threads", "exceptions", "jumps", "reuse", "odd", "fork", "flood"} {
				t.Run(scenario, func(t *testing.T) {
					cmd := client(t, scenario, "200")
					cmd.Path = program
					// The objects that the client throws are nobody's to free.
					cmd.Env = []string{"ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=halt_on_error=1", "MTRACE_STACKS=native,python"}
					r := traceWith(t, cmd, "", func(*os.Process) {})
					r.compare(t)
					if strings.Contains(r.stderr, "Sanitizer") {
						t.Error(r.stderr)
					}
				})
			}
		})
	}
}
