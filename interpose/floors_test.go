package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// floors are the folders of the C half, from the lowest up: docs/architecture.md says what each is.
var floors = []string{"system", "core", "stacks", "waits", "hook", "features", "top"}

// shimSources are the files of the C half that this system has.
func shimSources(t testing.TB) (sources []string) {
	t.Helper()
	for _, floor := range floors {
		found, err := filepath.Glob(floor + "/*.c")
		if err != nil || len(found) == 0 {
			t.Fatalf("no sources in %s: %v", floor, err)
		}
		for _, source := range found {
			if !strings.HasSuffix(source, "_darwin.c") {
				sources = append(sources, source)
			}
		}
	}
	return sources
}

// made are the tables that a lower floor reads and the top makes, because what is in them is known only there.
var made = []string{"mt_hooks", "mt_hook_count", "mt_features", "mt_feature_count"}

// A shimFile is what one file of the C half says of itself, compiled alone.
type shimFile struct {
	name    string
	floor   int
	defines []string
	uses    []string // what other files, or libraries, define
}

// compileAlone compiles a file by itself, which also shows that it includes what it needs, and reads its symbols.
func compileAlone(t *testing.T, name, folder string) shimFile {
	t.Helper()
	object := filepath.Join(folder, strings.ReplaceAll(name, "/", "-")+".o")
	out, err := exec.Command("gcc", "-std=gnu11", "-O0", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE", "-DMTRACE_SMALL", "-Wall", "-Wextra", "-Werror",
		"-Wno-unused-parameter", "-I.", "-c", name, "-o", object).CombinedOutput()
	if err != nil {
		t.Fatalf("%s alone: %v\n%s", name, err, out)
	}
	symbols, err := exec.Command("nm", "-P", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	f := shimFile{name: name, floor: slices.Index(floors, filepath.Dir(name))}
	for line := range strings.Lines(string(symbols)) {
		word := strings.Fields(line)
		switch symbol, kind := word[0], word[1]; {
		case kind == "U":
			f.uses = append(f.uses, symbol)
		case strings.Contains("TDBRC", kind):
			f.defines = append(f.defines, symbol)
		}
	}
	return f
}

// What is below names nothing that is above, and no two files need each other. The story: completion called other features by name and a
// thread's state had all features' in it, so 41 of 60 files were one circle, and none could be read, tested or left out without the
// others.
func TestFloors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip(onlyLinux)
	}
	folder := t.TempDir()
	files, definedBy := map[string]shimFile{}, map[string]string{}
	for _, name := range shimSources(t) {
		f := compileAlone(t, name, folder)
		files[name] = f
		for _, symbol := range f.defines {
			definedBy[symbol] = name
		}
	}
	needs := map[string][]string{}
	for name, f := range files {
		for _, symbol := range f.uses {
			other, ours := definedBy[symbol]
			if !ours || slices.Contains(made, symbol) {
				continue
			}
			needs[name] = append(needs[name], other)
			if files[other].floor > f.floor {
				t.Errorf("%s names %s, which is in %s, above it", name, symbol, other)
			}
		}
	}
	for name := range files {
		if path := circle(needs, name); path != nil {
			t.Errorf("a circle: %s", strings.Join(path, " needs "))
			break
		}
	}
}

// circle is a way from a file to itself, nil when there is none.
func circle(needs map[string][]string, name string) []string {
	done := map[string]bool{}
	var walk func(at string, path []string) []string
	walk = func(at string, path []string) []string {
		if len(path) > 0 && at == name {
			return append(path, at)
		}
		if done[at] {
			return nil
		}
		done[at] = len(path) > 0
		for _, next := range needs[at] {
			if found := walk(next, append(slices.Clone(path), at)); found != nil {
				return found
			}
		}
		return nil
	}
	return walk(name, nil)
}

// A header includes what is on its own floor or below, on macOS, too.
func TestFloorsOfHeaders(t *testing.T) {
	include := regexp.MustCompile(`(?m)^#include "([a-z]+)/([a-z_]+\.[ch])"`)
	seen := 0
	for i, floor := range floors {
		paths, err := filepath.Glob(floor + "/*.[ch]")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range include.FindAllStringSubmatch(string(text), -1) {
				seen++
				if at := slices.Index(floors, m[1]); at < 0 || at > i {
					t.Errorf("%s includes %s/%s, which is above it", path, m[1], m[2])
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d includes were looked at", seen)
	}
}

// The files of a floor are one piece of C: those of one system in FLOOR_SYSTEM.c, all others in FLOOR.c. A file that is in none of them is not in
// the library. Two variables of one name and type that are not given a value would be one variable there, without a word of the compiler's.
func TestFloorsAreWhole(t *testing.T) {
	system := regexp.MustCompile(`_(linux|darwin)\.c$`)
	own := regexp.MustCompile(`(?m)^static (?:_Atomic )?(?:[\w]+ |\*|\([^()]*\) ?)+\**(\w+)(?:\[[^\]]*\])?(?: =|;)|^\} (\w+)(?:\[[^\]]*\])?(?: =|;)`)
	for _, floor := range floors {
		paths, err := filepath.Glob(floor + "/*.c")
		if err != nil {
			t.Fatal(err)
		}
		wholes, names := map[string][]string{}, map[string]string{}
		for _, path := range paths {
			whole := floor + system.FindString(path)
			if !strings.HasSuffix(whole, ".c") {
				whole += ".c"
			}
			wholes[whole] = append(wholes[whole], path)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range own.FindAllStringSubmatch(string(text), -1) {
				name := whole + " " + m[1] + m[2]
				if other, taken := names[name]; taken && other != path {
					t.Errorf("%s and %s both have a variable %s%s, and are one piece of C", other, path, m[1], m[2])
				}
				names[name] = path
			}
		}
		for whole, parts := range wholes {
			text, err := os.ReadFile(whole)
			if err != nil {
				t.Errorf("%v: it is to include %v", err, parts)
			}
			for _, part := range parts {
				if !strings.Contains(string(text), "#include \""+part+"\"\n") {
					t.Errorf("%s does not include %s", whole, part)
				}
			}
		}
	}
}
