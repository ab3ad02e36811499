// Package compare has the commands that judge runs: diff, check, sweep and bench.
package compare

import (
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/analyze/diff"
	"mtrace/analyze/page"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

func DiffCommand() cli.Command {
	return cli.Command{
		Name:    "diff",
		Summary: "Compare two traces: which calls, kernels and threads changed by more than noise",
		Usage:   "[flags] A B",
		Example: "mtrace diff --fail-over 10 before.mtrace after.mtrace\n" +
			"  mtrace diff --fail-over 10 --markdown --github before/ after/ >>$GITHUB_STEP_SUMMARY\n" +
			"  mtrace diff before1.mtrace,before2.mtrace,before3.mtrace runs-after/   # repeated runs show their noise",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var output gateOutput
			output.flags(flags, diff.Schema)
			htmlPage := flags.String("html", "",
				"write the comparison, with intervals, as one self-contained HTML page to this `FILE`; "+
					"- prints the page instead of the text")
			failOver := flags.Float64("fail-over", 0,
				"exit 1 if a call, kernel or thread became slower by more than this `PERCENTAGE` and by more than noise; "+
					"waits for the GPU and for signals are not judged")
			return func(std cli.Stdio, args []string) error {
				if len(args) != 2 {
					return cli.UsageError("give two sides, not %d: mtrace diff A B. "+
						"A side is a trace, several traces separated by commas, or a folder of traces", len(args))
				}
				if !(*failOver >= 0) || math.IsInf(*failOver, 0) {
					return cli.UsageError("--fail-over %v: the percentage must be 0 or more", *failOver)
				}
				if (output.junit != "" || output.github) && !flags.Changed("fail-over") {
					return cli.UsageError("--junit and --github report failures, " +
						"and nothing can fail without a limit: give --fail-over PERCENTAGE")
				}
				if err := output.check(); err != nil {
					return err
				}
				if output.taken = *htmlPage == cli.StandardOutput; output.taken && (output.json || output.markdown ||
					output.junit == cli.StandardOutput) {
					return cli.UsageError(
						"--html - and --json, --markdown or --junit - would both write to standard output: " +
							"name a file for the page")
				}
				if err := cli.MayWrite("--html", *htmlPage, output.force); err != nil {
					return err
				}
				return compare(std, args[0], args[1], output, *htmlPage, flags.Changed("fail-over"), *failOver/100)
			}
		},
	}
}

func compare(std cli.Stdio, a, b string, output gateOutput, html string, fails bool, over float64) error {
	var sides [2][]*diff.Run
	for i, arg := range []string{a, b} {
		paths, err := sidePaths(arg)
		if err != nil {
			return err
		}
		for _, path := range paths {
			run, err := readSide(std, path)
			if err != nil {
				return err
			}
			sides[i] = append(sides[i], run)
		}
	}
	doc, err := diff.Compare(sides[0], sides[1])
	if err != nil {
		return cli.AsStatus(err)
	}
	var undecided error
	if fails {
		if err := doc.Fail(over); err != nil {
			undecided = cli.AsStatus(err)
		}
	}
	var inputs []string
	for _, run := range slices.Concat(sides[:]...) {
		inputs = append(inputs, run.Path)
		if undecided == nil {
			undecided = incompleteRun(run)
		}
	}
	if html != "" {
		for _, input := range inputs {
			if err := cli.NotTheInput(html, input); err != nil {
				return err
			}
		}
		if err := cli.WriteFile(std, html, "", output.force,
			func(f *os.File) error { return page.WriteDiff(f, doc, pagesOf(html, inputs)) }); err != nil {
			return err
		}
	}
	err = output.write(std, doc, undecided, inputs...)
	switch {
	case err != nil:
		return err
	case undecided != nil:
		return undecided
	case len(doc.Failed) > 0:
		return cli.Status{Code: cli.ExitNo}
	}
	return nil
}

// pagesOf returns the addresses of the runs' own pages: NAME.html beside NAME.mtrace, relative to the page at html.
func pagesOf(html string, inputs []string) map[string]string {
	pages := map[string]string{}
	for _, input := range inputs {
		own := strings.TrimSuffix(input, filepath.Ext(input)) + ".html"
		if info, err := os.Stat(own); html == cli.StandardOutput || err != nil || info.IsDir() {
			continue
		}
		from, err := filepath.Abs(filepath.Dir(html))
		to, err2 := filepath.Abs(own)
		if err != nil || err2 != nil {
			continue
		}
		if relative, err := filepath.Rel(from, to); err == nil && relative != filepath.Base(html) {
			pages[input] = (&url.URL{Path: filepath.ToSlash(relative)}).String()
		}
	}
	return pages
}

// incompleteRun returns an error if the run's trace is incomplete (cut or damaged), so that mtrace diff decides
// nothing from it.
func incompleteRun(run *diff.Run) error {
	if !run.Report.Source.Truncated {
		return nil
	}
	kind := analyze.Cut
	if i := run.Report.Source.Incomplete; i != nil {
		kind = i.Kind
	}
	return loading.IncompleteFile(run.Path, kind)
}

// readSide reads one run for the comparison: a trace, a JSON report of mtrace, or a recording of Instruments.
func readSide(std cli.Stdio, path string) (*diff.Run, error) {
	if loading.Instruments(path) {
		trace, err := (&loading.Selection{}).Load(std, path, nil)
		if err != nil {
			return nil, err
		}
		return diff.Of(path, trace), nil
	}
	loading.BoundHeap()
	run, err := diff.Read(path)
	if err != nil {
		return nil, cli.AsStatus(err)
	}
	return run, nil
}

// sidePaths returns the runs that an argument of mtrace diff names: a file, files separated by commas, or the .mtrace
// and .json files of a folder.
func sidePaths(arg string) ([]string, error) {
	if info, err := os.Stat(arg); err == nil && info.IsDir() && !loading.Instruments(arg) {
		var paths []string
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, cli.AsStatus(err)
		}
		for _, e := range entries {
			if slices.Contains([]string{".mtrace", ".json"}, filepath.Ext(e.Name())) {
				paths = append(paths, filepath.Join(arg, e.Name()))
			}
		}
		if len(paths) == 0 {
			return nil, cli.UsageError("the folder %s has no traces (.mtrace) and no reports (.json)", arg)
		}
		return paths, nil
	}
	if _, err := os.Stat(arg); err == nil {
		return []string{arg}, nil
	}
	return strings.Split(arg, ","), nil
}
