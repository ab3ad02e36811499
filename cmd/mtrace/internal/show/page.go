package show

import (
	"cmp"
	"context"
	"os"
	"slices"
	"sync"

	"mtrace/analyze"
	"mtrace/analyze/page"
	"mtrace/analyze/profile"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/convert"
	"mtrace/cmd/mtrace/internal/loading"
)

// buildPage builds a report and the timeline and charts (pictures) of its HTML page. A trace file is read by two
// goroutines: one builds the report and the flame graphs, the other the timeline and the other charts. A recording of
// Instruments is loaded once, and both are made from it.
func (v *ReportView) buildPage(std cli.Stdio, path string, opts report.Options) (r *report.Report, trace *analyze.Trace,
	pictures *page.Document, err error) {
	if loading.Instruments(path) {
		if r, trace, err = v.build(std, path, opts); err != nil {
			return nil, nil, nil, err
		}
		b := page.NewBuilder()
		b.Model(trace)
		if err = b.Slice(analyze.Whole(trace)); err != nil {
			return nil, nil, nil, err
		}
		pictures = b.Document()
		return r, trace, pictures, addFlames(pictures, trace)
	}
	file, err := loading.OpenTrace(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	steps, wrong := loading.ShowTasks(std, path, file, v.part.Options(), 2), error(nil)
	flames := profile.NewSum(page.FlameKinds, nil)
	opts.Part, opts.Progress = flames.AddDivided, steps[0]
	all.Go(func() { pictures, wrong = drawFile(ctx, &v.part, file, path, nil, steps[1]) })
	if r, trace, err = v.build(std, path, opts); err != nil {
		return nil, nil, nil, err
	}
	all.Wait()
	if wrong != nil {
		return nil, nil, nil, wrong
	}
	if !report.UsualLimits.Long(file, v.part.Options()) {
		return r, trace, pictures, addFlames(pictures, trace)
	}
	return r, trace, pictures, v.addSummed(std, path, file, r, flames, pictures)
}

// addSummed adds the flame graphs of a long trace. Most were summed while the report was built. If one needs the costs
// of kernels, which only the finished report knows, the trace is read once more.
func (v *ReportView) addSummed(std cli.Stdio, path string, file *analyze.File, r *report.Report, flames *profile.Sum,
	pictures *page.Document) error {
	summed, err := flames.Profiles()
	if err != nil {
		return cli.AsStatus(err)
	}
	if missing := flames.Missing(); len(missing) > 0 {
		list, _, err := (&convert.ProfileJob{Types: missing, Of: v.part}).AddedUp(std, path, file, r.KernelCosts())
		if err != nil {
			return err
		}
		for _, b := range list {
			summed[slices.Index(page.FlameKinds, b.Kind)] = b.Profile
		}
	}
	for i, p := range summed {
		pictures.AddFlame(page.FlameKinds[i], p)
	}
	return nil
}

// addFlames adds the flame graphs of a trace that is loaded as a whole.
func addFlames(pictures *page.Document, trace *analyze.Trace) error {
	made, err := profile.BuildAll(page.FlameKinds, trace)
	if err != nil {
		return cli.AsStatus(err)
	}
	for i, p := range made {
		pictures.AddFlame(page.FlameKinds[i], p)
	}
	return nil
}

// drawFile draws the timeline and charts of the selected part of a trace; it stops when ctx is done. Threads and
// kernels get the colours that they have on the page `like`, unless that is nil.
func drawFile(ctx context.Context, p *loading.Selection, file *analyze.File, path string, like *page.Document,
	show func(done, of int)) (*page.Document, error) {
	b := page.NewBuilder()
	b.Like(like)
	asked := p.Options()
	asked.Visit, asked.Apart, asked.ShortestWait = b.Call, true, b.ShortestWait
	_, err := file.EachSlice(asked, loading.Sliced.Summed, func(s *analyze.Slice, number, of int) error {
		show(number+1, of)
		return cmp.Or(ctx.Err(), b.Slice(s))
	})
	if err != nil {
		return nil, cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
	}
	return b.Document(), nil
}

// writePage writes the report with its timeline and charts as one HTML page.
func (v *ReportView) writePage(std cli.Stdio, path string, r *report.Report, pictures *page.Document) error {
	return cli.WriteFile(std, v.html, path, v.Force, func(f *os.File) error { return page.Write(f, r, pictures) })
}
