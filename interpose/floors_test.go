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

// floors are the folders of the C half, from the lowest up; docs/architecture.md describes each.
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

// made are the tables that a lower floor reads and the top defines, because only the top knows their content.
var made = []string{"mt_hooks", "mt_hook_count", "mt_features", "mt_feature_count"}

// passed are C library functions that the shim replaces and also calls itself: its own calls return at once, so there
// is no wait to record.
var passed = []string{"connect", "read", "recv", "syscall"}

// A shimFile describes one file of the C half, from compiling it alone.
type shimFile struct {
	name    string
	floor   int
	defines []string
	uses    []string // what other files, or libraries, define
}

// compileAlone compiles a file by itself, which also shows that its includes are complete, and reads its symbols.
func compileAlone(t *testing.T, name, folder string) shimFile {
	t.Helper()
	object := filepath.Join(folder, strings.ReplaceAll(name, "/", "-")+".o")
	out, err := exec.Command("gcc", "-std=gnu11", "-O0", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE",
		"-DMTRACE_SMALL", "-Wall", "-Wextra", "-Werror",
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

// A name that files of the C half use of each other begins with mt_, on every system.
var (
	spoken   = regexp.MustCompile(`//[^\n]*|"(?:\\.|[^"\\\n])*"`)
	namesMT  = regexp.MustCompile(`\bmt_\w+`)
	function = regexp.MustCompile(`(?m)^[A-Za-z_][\w ()*]*?[ *](mt_\w+)\([^;{]*\)\s*\{`)
	variable = regexp.MustCompile(`(?m)^[A-Za-z_][\w ()*]*[ *](mt_\w+)(?:\[[^\]]*\])*(?: ` +
		`__attribute__\(\([^;]*\)\))?(?: =|;)`)
)

// readAlone gets the same from a file's text, whatever system the file is for.
func readAlone(t *testing.T, name string) shimFile {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	code := spoken.ReplaceAllString(string(text), "")
	f := shimFile{name: name, floor: slices.Index(floors, filepath.Dir(name))}
	for _, form := range []*regexp.Regexp{function, variable} {
		for _, m := range form.FindAllStringSubmatch(code, -1) {
			if first, _, _ := strings.Cut(m[0], " "); !slices.Contains([]string{"static", "extern", "typedef", "return"},
				first) {
				f.defines = append(f.defines, m[1])
			}
		}
	}
	for _, symbol := range namesMT.FindAllString(code, -1) {
		if !slices.Contains(f.defines, symbol) && !slices.Contains(f.uses, symbol) {
			f.uses = append(f.uses, symbol)
		}
	}
	return f
}

// checkFloors checks that no floor names symbols of a higher one, and that no two files need each other.
func checkFloors(t *testing.T, files []shimFile) {
	t.Helper()
	definedBy := map[string]shimFile{}
	for _, f := range files {
		for _, symbol := range f.defines {
			definedBy[symbol] = f
		}
	}
	needs := map[string][]string{}
	for _, f := range files {
		for _, symbol := range f.uses {
			other, ours := definedBy[symbol]
			if !ours || slices.Contains(made, symbol) || slices.Contains(passed, symbol) {
				continue
			}
			needs[f.name] = append(needs[f.name], other.name)
			if other.floor > f.floor {
				t.Errorf("%s names %s, which is in %s, above it", f.name, symbol, other.name)
			}
		}
	}
	for _, f := range files {
		if path := circle(needs, f.name); path != nil {
			t.Errorf("a circle: %s", strings.Join(path, " needs "))
			break
		}
	}
}

// A lower floor calls nothing on a higher one, and no two files need each other. The story: completion called other
// features by name and a thread's state contained the state of all features, so 41 of 60 files were one cycle, and none
// could be read, tested or left out without the others.
func TestFloors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip(onlyLinux)
	}
	folder := t.TempDir()
	var files []shimFile
	for _, name := range shimSources(t) {
		f := compileAlone(t, name, folder)
		files = append(files, f)
		checkReading(t, f, readAlone(t, name))
	}
	checkFloors(t, files)
}

// checkReading checks that the reader finds all symbols that the compiler has of a file. The file may have more: code
// for another system.
func checkReading(t *testing.T, compiled, read shimFile) {
	t.Helper()
	for _, symbol := range compiled.defines {
		if strings.HasPrefix(symbol, "mt_") && !slices.Contains(read.defines, symbol) {
			t.Errorf("%s: its definition of %s was not read", compiled.name, symbol)
		}
	}
}

// The same for macOS, whose files only a Mac's compiler takes: by their text. The story: TestFloors left them out, so a
// file of macOS could have named anything.
func TestFloorsOfMacOS(t *testing.T) {
	var files []shimFile
	mac := 0
	for _, floor := range floors {
		paths, err := filepath.Glob(floor + "/*.c")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			switch {
			case strings.HasSuffix(path, "_linux.c"):
				continue
			case strings.HasSuffix(path, "_darwin.c"):
				mac++
			}
			files = append(files, readAlone(t, path))
		}
	}
	if mac < 10 {
		t.Errorf("only %d files of macOS were read", mac)
	}
	checkFloors(t, files)
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

// The files of a floor are one translation unit: FLOOR_SYSTEM.c includes the files for one system, FLOOR.c all other
// files. A file included in neither is not in the library. Two uninitialised variables with the same name and type
// would silently become one variable there.
func TestFloorsAreWhole(t *testing.T) {
	system := regexp.MustCompile(`_(linux|darwin)\.c$`)
	own := regexp.MustCompile(`(?m)^static (?:_Atomic )?(?:[\w]+ |\*|\([^()]*\) ?)+\**(\w+)(?:\[[^\]]*\])?(?: ` +
		`=|;)|^\} (\w+)(?:\[[^\]]*\])?(?: =|;)`)
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
