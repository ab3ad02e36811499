package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// documents are the pages for people, by their path from the root of the project.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "fixtures/*/*.md", "interpose/*.md"} {
		paths, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(path, "../../")] = string(text)
		}
	}
	return pages
}

// code returns the code on a page: the lines of its blocks, and the texts between backquotes elsewhere.
func code(page string) (lines []string) {
	inline := regexp.MustCompile("`([^`\n]+)`")
	block := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			block = !block
		case block, strings.HasPrefix(line, "    mtrace "):
			lines = append(lines, strings.TrimSpace(line))
		default:
			for _, span := range inline.FindAllStringSubmatch(line, -1) {
				lines = append(lines, span[1])
			}
		}
	}
	return lines
}

// Every command and flag of the tool that a page shows is there.
func TestDocumentsNameCommandsThatAre(t *testing.T) {
	call := regexp.MustCompile(`(?:^|[\s/(])mtrace ([a-z]+)((?: [^\s;|&)]+)*)`)
	shown := 0
	for path, page := range documents(t) {
		for _, line := range code(page) {
			line, _, _ = strings.Cut(line, " #")
			for _, found := range call.FindAllStringSubmatch(line, -1) {
				flags := pflag.NewFlagSet(found[1], pflag.ContinueOnError)
				known := false
				for _, c := range commands() {
					if c.Name == found[1] {
						c.Setup(flags)
						known = true
					}
				}
				if !known {
					t.Errorf("%s shows %q: there is no such command", path, found[0])
					continue
				}
				shown++
				for _, word := range strings.Fields(found[2]) {
					name, _, _ := strings.Cut(word, "=")
					switch {
					case word == "--":
					case strings.HasPrefix(name, "--") && flags.Lookup(name[2:]) == nil && name != "--help",
						len(name) == 2 && name[0] == '-' && name[1] != '-' && flags.ShorthandLookup(name[1:]) == nil:
						t.Errorf("%s shows %q: mtrace %s has no %s", path, line, found[1], name)
					}
					if word == "--" {
						break
					}
				}
			}
		}
	}
	if shown < 50 {
		t.Errorf("only %d commands were looked at", shown)
	}
}

// The commands for a gate in docs/ci.md work as written, in a fresh checkout: they wrote into folders that did not
// exist, and mtrace could not start any of their runs.
func TestGateByHand(t *testing.T) {
	_, script, found := strings.Cut(documents(t)["docs/ci.md"], "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	if !found || !strings.Contains(script, "mtrace run") {
		t.Fatalf("docs/ci.md has no script: %q", script)
	}
	dir := t.TempDir()
	for _, folder := range []string{"base", "change"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	script = strings.ReplaceAll(script, "python3 train.py --steps 50", "true")
	got := sh(t, filepath.Join(dir, "change"), []string{"PATH=" + tool.dir + ":" + os.Getenv("PATH")}, "sh", "-c", script)
	for _, side := range []string{"before", "after"} {
		if traces, _ := filepath.Glob(filepath.Join(dir, "change", side, "*.mtrace")); len(traces) != 3 {
			t.Errorf("%s: %q, %+v", side, traces, got)
		}
	}
}

// So is every target of build.sh, every program of the project and every benchmark.
func TestDocumentsNameProgramsThatAre(t *testing.T) {
	script, err := os.ReadFile("../../build.sh")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`\./build\.sh ([a-z]+)`)
	program := regexp.MustCompile(`go run (\./[a-z/0-9]+)`)
	benchmark := regexp.MustCompile(`go test (?:-[a-z]+ [^-. ]+ )*-bench (\S+) (?:-cpu \d+ )?\./(\S+)`)
	for path, page := range documents(t) {
		for _, line := range code(page) {
			for _, m := range target.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(string(script), "\n  "+m[1]+") ") {
					t.Errorf("%s shows %q: build.sh has no such target", path, line)
				}
			}
			for _, m := range program.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
					t.Errorf("%s shows %q: %v", path, line, err)
				}
			}
			for _, m := range benchmark.FindAllStringSubmatch(line, -1) {
				if !hasBenchmark(t, m[2], m[1]) {
					t.Errorf("%s shows %q: there is no such benchmark", path, line)
				}
			}
		}
	}
}

// hasBenchmark reports whether a folder's tests have a benchmark that go test -bench would choose.
func hasBenchmark(t *testing.T, folder, pattern string) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			if ok, err := regexp.MatchString(pattern, "Benchmark"+m[1]); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// So is every file and folder of the project that a page names: docs/architecture.md is a way through them, and its
// recipes are lists of them.
func TestDocumentsNameFilesThatAre(t *testing.T) {
	path := regexp.MustCompile(`(?:^|[\s(])((?:analyze|cmd|collector|docs|fixtures|interpose|shaders)/[\w./-]*[\w/])`)
	named := 0
	for page, text := range documents(t) {
		for _, line := range code(text) {
			for _, m := range path.FindAllStringSubmatch(line, -1) {
				named++
				if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
					t.Errorf("%s names %s, which is not there", page, m[1])
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d files were looked for", named)
	}
}
