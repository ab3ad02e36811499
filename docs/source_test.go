package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// eachSource calls look with each source file that people write, by its path from the root. It leaves out generated
// files and the page's scripts.
func eachSource(t *testing.T, look func(path string, lines []string)) {
	t.Helper()
	kinds := []string{".go", ".c", ".h", ".m", ".S", ".py", ".sh"}
	seen := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if strings.HasPrefix(name, ".") && path != ".." || path == "../bin" || path == "../demo" {
				return filepath.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if generated := regexp.MustCompile(`(?m)^// .*(?i:generated|made) by .*(?i:do not edit|-update)`); generated.Match(
			text[:min(len(text), 400)]) || bytes.IndexByte(text, 0) >= 0 {
			return nil
		}
		seen++
		look(strings.TrimPrefix(filepath.ToSlash(path), "../"), strings.Split(string(text), "\n"))
		return nil
	})
	if err != nil || seen < 500 {
		t.Fatalf("%d sources were read: %v", seen, err)
	}
}

// longest is the maximum number of columns of a line of code. Text between quotes does not count, and a row of a table
// may be longer.
const longest = 200

// The story: a line of a table's test had 456 columns, a constructor of the shim 245.
func TestLinesAreReadable(t *testing.T) {
	quoted := regexp.MustCompile("\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`?")
	row := regexp.MustCompile(`^\s*(?:\{|"|[A-Z_0-9]+\()`)
	tables := regexp.MustCompile(`^(?:interpose/(?:wire|top/hooks_table)\.h|collector/wire/calls_\w+\.go)$`)
	eachSource(t, func(path string, lines []string) {
		for n, line := range lines {
			if columns := len([]rune(quoted.ReplaceAllString(line, `""`))); columns > longest && !row.MatchString(line) &&
				!tables.MatchString(path) {
				t.Errorf("%s:%d has %d columns, more than %d without what is quoted", path, n+1, columns, longest)
			}
		}
	})
}

// The story: conditions were written as look-ups in a map of two rows, which is made anew each time and read backwards.
func TestConditionsAreNoMaps(t *testing.T) {
	lookup := regexp.MustCompile(`map\[bool\]\w+\{[^}]*\}\[`)
	eachSource(t, func(path string, lines []string) {
		for n, line := range lines {
			if lookup.MatchString(line) {
				t.Errorf("%s:%d is an if", path, n+1)
			}
		}
	})
}

// aside is the maximum number of words in parentheses inside a comment's sentence, enough to define a term. A sentence
// with more must be read twice, once without them.
const aside = 14

// The story: comments had whole sentences in parentheses inside of others.
func TestCommentsAreReadOnce(t *testing.T) {
	parentheses := regexp.MustCompile(`(?:^|\s)\(([^()]*(?:\([^()]*\)[^()]*)*)\)`)
	word := regexp.MustCompile(`(?:^|\s)[A-Za-z][a-z'’-]+[,;:.]?(?:$|\s)`)
	check := func(path string, line int, comment string) {
		for _, m := range parentheses.FindAllStringSubmatch(comment, -1) {
			if words := len(word.FindAllString(strings.ReplaceAll(m[1], " ", "  "), -1)); words > aside {
				t.Errorf("%s:%d: %d words in parentheses are a sentence of their own: %s", path, line, words, m[1])
			}
		}
	}
	eachSource(t, func(path string, lines []string) {
		mark := "//"
		if ext := filepath.Ext(path); ext == ".py" || ext == ".sh" {
			mark = "#"
		}
		comment, begun := "", 0
		for n, line := range append(slices.Clone(lines), "") {
			said, isComment := strings.CutPrefix(strings.TrimSpace(line), mark)
			switch {
			case isComment && comment == "":
				comment, begun = said, n+1
			case isComment:
				comment += " " + said
			case comment != "":
				check(path, begun, comment)
				comment = ""
			}
			if _, behind, found := strings.Cut(line, " "+mark+" "); found && !isComment {
				check(path, n+1, behind)
			}
		}
	})
}
