package convert

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// slices exports a long trace one slice (range of time) after the other, so that memory stays bounded, and returns
// the last slice.
func (x *ExportJob) slices(std cli.Stdio, path string, file *analyze.File, outlets []*outlet,
	visit func(*analyze.VisitedCall)) (last *analyze.Trace, err error) {
	show := loading.ShowSteps(std, path, file, x.Selection.Options())
	asked := x.Selection.Options()
	if asked.Visit = visit; len(outlets) == 1 {
		asked.Visit = outlets[0].Call // called millions of times: skip the loop over outlets
	}
	neighbours := slices.ContainsFunc(outlets, func(o *outlet) bool { return o.format.neighbours })
	length := loading.Sliced.Summed
	if asked.Apart = !neighbours; asked.Apart {
		length /= 4 // a slice's data should still be in a processor's cache when it is written
	}
	cut, err := file.EachSlice(asked, length, func(s *analyze.Slice, number, of int) error {
		for _, o := range outlets {
			if err := o.Slice(s); err != nil {
				return fmt.Errorf("%s: %w", o.path, err)
			}
		}
		show(number+1, of)
		last = s.Trace
		return nil
	})
	if err != nil {
		return nil, cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
	}
	if cut > 0 {
		fmt.Fprintf(std.Err, "mtrace: %d command buffers are written without their end: "+
			"too many were in flight at once to remember. Export a shorter time with --from and --to\n", cut)
	}
	for _, o := range outlets {
		if w, is := o.exporter.(interface{ Cut() int }); is && w.Cut() > 0 {
			fmt.Fprintf(std.Err, "mtrace: %d allocations are written without their release time: "+
				"too many were live at once to remember. Export a shorter time with --from and --to\n", w.Cut())
		}
	}
	return last, nil
}
