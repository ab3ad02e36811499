package main

import (
	"cmp"
	"context"
	"os"
	"sync"
	"sync/atomic"

	"mtrace/analyze"
	"mtrace/analyze/page"
	"mtrace/analyze/profile"
	"mtrace/analyze/report"
)

// buildPage makes a report and the pictures of its page, of a trace of any size. A trace of our own is read for both at
// once, each time part by part; of an export the pictures are drawn from what the report is of.
func (v *reportView) buildPage(std stdio, path string, opts report.Options) (r *report.Report, trace *analyze.Trace,
	pictures *page.Document, err error) {
	if instruments(path) {
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
	file, err := openTrace(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	steps, reported, wrong := showSteps(std, path, file, v.part.options()), atomic.Bool{}, error(nil)
	all.Go(func() {
		pictures, wrong = drawFile(ctx, &v.part, file, path, nil, func(done, of int) {
			if reported.Load() {
				steps(done, of)
			}
		})
	})
	if r, trace, err = v.build(std, path, opts); err != nil {
		return nil, nil, nil, err
	}
	reported.Store(true)
	all.Wait()
	if wrong != nil {
		return nil, nil, nil, wrong
	}
	if !report.UsualLimits.Long(file, v.part.options()) {
		return r, trace, pictures, addFlames(pictures, trace)
	}
	list, _, err := (&profileJob{types: page.FlameKinds, of: v.part}).addedUp(std, path, file)
	for _, b := range list {
		pictures.AddFlame(b.kind, b.profile)
	}
	return r, trace, pictures, err
}

// addFlames adds the flame graphs of a run that was loaded as one.
func addFlames(pictures *page.Document, trace *analyze.Trace) error {
	made, err := profile.BuildAll(page.FlameKinds, trace)
	if err != nil {
		return status{exitUsage, err}
	}
	for i, p := range made {
		pictures.AddFlame(page.FlameKinds[i], p)
	}
	return nil
}

// drawFile makes the pictures of a part of a trace file, in the colours of others if there are any, until nobody wants
// them.
func drawFile(ctx context.Context, p *part, file *analyze.File, path string, like *page.Document,
	show func(done, of int)) (*page.Document, error) {
	b := page.NewBuilder()
	b.Like(like)
	asked := p.options()
	asked.Visit = b.Call
	_, err := file.EachSlice(asked, sliced.Part, func(s *analyze.Slice, number, of int) error {
		show(number+1, of)
		return cmp.Or(ctx.Err(), b.Slice(s))
	})
	if err != nil {
		return nil, status{exitUsage, orUnfinished(path, err)}
	}
	return b.Document(), nil
}

// writePage writes a report with its pictures as a page.
func (v *reportView) writePage(std stdio, path string, r *report.Report, pictures *page.Document) error {
	return writeFile(std, v.html, path, v.force, func(f *os.File) error { return page.Write(f, r, pictures) })
}
