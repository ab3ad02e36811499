package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"mtrace/analyze"
)

// WriteRuns writes a table with one line for each of several traces: the program, the verdict with its share of
// thread time, how busy the GPU was, and what the recording lacks.
func WriteRuns(w io.Writer, runs []*Report, opts Options) error {
	b := bufio.NewWriter(w)
	page := newSheet(b, opts)
	t := &table{heads: []string{"trace", "program", "verdict", "share", "gpu busy", "traced", "calls", ""}, left: 3,
		spare: []int{6, 1}}
	software := false
	names := runNames(runs)
	for i, r := range runs {
		s := &r.Source
		busy, share := "", ""
		if r.GPU.SumNS > 0 {
			_, used := r.GPU.InUse()
			busy = analyze.FormatShare(used)
		}
		if r.Serialization.Share > 0 {
			share = analyze.FormatShare(r.Serialization.Share)
		}
		program := s.what()
		if page.width != AnyWidth {
			program = cut(program, longestProgram)
		}
		t.add(names[i], program, r.Serialization.Verdict, share, busy, analyze.Nanos(s.WindowNS).String(),
			formatCount(r.Events),
			lacks(r))
		software = software || s.SoftwareMetal
	}
	t.write(page)
	if software {
		page.writeSentence("SOFTWARE METAL: these are the times of a software Metal, not of a GPU.", page.yellow)
	}
	return b.Flush()
}

// runNames returns a unique name for each trace: its file name, with as many parent folders as needed to tell them
// apart.
func runNames(runs []*Report) []string {
	paths, names, folders := make([][]string, len(runs)), make([]string, len(runs)), 1
	for i, r := range runs {
		paths[i] = strings.Split(filepath.ToSlash(filepath.Clean(r.Source.Path)), "/")
		folders = max(folders, len(paths[i]))
	}
	for show := 1; show <= folders; show++ {
		known := map[string]bool{}
		for i, parts := range paths {
			names[i] = strings.Join(parts[max(0, len(parts)-show):], "/")
			known[names[i]] = true
		}
		if len(known) == len(runs) {
			break
		}
	}
	return names
}

// longestProgram is the maximum length of a command line in the table of several runs.
const longestProgram = 28

// what returns the traced command: the program with its arguments, in one line.
func (s *Source) what() string {
	what := s.Program
	if len(s.Args) > 0 {
		what = strings.Join(s.Args, " ")
	}
	return analyze.Printable(strings.Join(strings.Fields(what), " "))
}

// lacks returns a short remark on what the recording lacks, such as "12 RECORDS LOST"; "" if nothing is missing.
func lacks(r *Report) string {
	var words []string
	if r.Source.Incomplete != nil {
		words = append(words, strings.ToUpper(r.Source.Incomplete.Kind))
	}
	if len(r.Source.Selected) > 0 {
		words = append(words, "RECORDED IN PART")
	}
	if r.Lost.Some() && len(words) == 0 {
		words = append(words, r.Lost.Short())
	}
	if s := r.Coverage.Share; s != nil && *s < 1 {
		words = append(words, fmt.Sprintf("%s of commits seen", analyze.FormatShare(*s)))
	}
	return strings.Join(words, ", ")
}
