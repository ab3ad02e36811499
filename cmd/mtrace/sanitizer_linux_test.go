package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sanitized is a program that ends with 7, or, given an argument, uses memory that it has freed.
const sanitized = `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *run(void *unused) { char *p = calloc(1, 100); long r = p[5]; free(p); return (void *)r; }
int main(int argc, char **argv) {
  pthread_t t; void *r;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, &r);
  if (argc > 1) { char *volatile p = malloc(10); free(p); printf("%d\n", p[1]); }
  printf("ends %ld\n", (long)r);
  return 7;
}
`

// TestSanitizers: programs built with a sanitizer, and programs with a preloaded allocator, run under mtrace run as
// they run alone, and doctor reports that. With gcc's AddressSanitizer they ended with 1: "ASan runtime does not come
// first in initial library list".
func TestSanitizers(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "sanitized.c")
	if err := os.WriteFile(source, []byte(sanitized+"#ifdef OWN\nconst char *__asan_default_options(void) { return "+
		"\"detect_leaks=0\"; }\n#endif\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"address": {"-fsanitize=address"}, "address, with options of its own": {"-fsanitize=address", "-DOWN"},
		"address, static runtime": {"-fsanitize=address", "-static-libasan"},
		"thread":                  {"-fsanitize=thread"}, "undefined": {"-fsanitize=undefined"}, "leak": {"-fsanitize=leak"},
	} {
		program := filepath.Join(dir, strings.ReplaceAll(name, ", ", "-"))
		build := exec.Command("gcc", append(flags, "-g", "-w", "-o", program, source, "-lpthread")...)
		if out, err := saidBy(build, commandLimit); err != nil {
			t.Logf("%s is left out: %s", name, out)
			continue
		}
		alone := sh(t, dir, nil, program)
		if alone.exit != 7 {
			t.Logf("%s is left out: alone it ends with %+v", name, alone)
			continue
		}
		traced := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", os.DevNull, "--", program)
		child := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", os.DevNull, "--", "sh", "-c", `"$0"; exit $?`,
			program)
		if traced.exit != 7 || traced.stdout != alone.stdout || name != "address, with options of its own" &&
			(child.exit != 7 || child.stdout != alone.stdout) {
			t.Errorf("%s: traced %+v, as a child %+v", name, traced, child)
		}
		if strings.HasPrefix(name, "address") {
			if got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", os.DevNull, "--", program,
				"wrong"); got.exit != 1 || !strings.Contains(got.stderr, "heap-use-after-free") {
				t.Errorf("%s: a mistake is not found: %+v", name, got)
			}
		}
		if got := sh(t, dir, nil, tool.mtrace, "doctor", "--no-self-test", "--", program); got.exit != 0 ||
			!strings.Contains(got.stdout, "can be traced") {
			t.Errorf("%s: doctor says %+v", name, got)
		}
	}
	client := buildShapesClient(t)
	allocator := filepath.Join(dir, "liballocator.so")
	counting := filepath.Join(dir, "allocator.c")
	os.WriteFile(counting, []byte("#include <stddef.h>\nextern void *__libc_malloc(size_t);\nvoid *malloc(size_t n) { "+
		"return __libc_malloc(n + 8); }\n"), 0o600)
	if out, err := saidBy(exec.Command("gcc", "-shared", "-fPIC", "-o", allocator, counting), commandLimit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, preload := range []string{runtimeOf(t, "libasan.so"), runtimeOf(t, "libtsan.so"), allocator} {
		if preload == "" {
			continue
		}
		env := []string{"LD_PRELOAD=" + preload, "ASAN_OPTIONS=detect_leaks=0"}
		alone := sh(t, dir, env, client, "classes", "3")
		traced := sh(t, dir, env, tool.mtrace, "run", "--force", "-o", "t.mtrace", "--report", "report", "--", client,
			"classes", "3")
		if alone.exit != 0 {
			t.Logf("%s is left out: alone the program ends with %+v", preload, alone)
			continue
		}
		if traced.exit != alone.exit || !strings.Contains(traced.stderr, "mtrace: wrote t.mtrace") ||
			strings.Contains(traced.stderr, "does not come first") {
			t.Errorf("%s: alone %+v, traced %+v", preload, alone, traced)
		}
	}
}

// runtimeOf is the path of a sanitizer's runtime, or "" where gcc has none.
func runtimeOf(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("gcc", "-print-file-name="+name).Output()
	path := strings.TrimSpace(string(out))
	if err != nil || !filepath.IsAbs(path) {
		t.Logf("%s is left out: gcc has none", name)
		return ""
	}
	return path
}
