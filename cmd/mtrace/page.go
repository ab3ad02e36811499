package main

import (
	"cmp"
	"context"
	"os"

	"mtrace/analyze"
	"mtrace/analyze/page"
	"mtrace/analyze/report"
)

// drawPage makes the pictures of a report's page, of a trace of any size: it is read slice by slice. Trace is what the report is of.
func (p *part) drawPage(std stdio, path string, trace *analyze.Trace) (*page.Document, error) {
	b := page.NewBuilder()
	if instruments(path) {
		b.Model(trace)
		if err := b.Slice(analyze.Whole(trace)); err != nil {
			return nil, err
		}
		return b.Document(), nil
	}
	file, err := openTrace(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return p.drawFile(context.Background(), file, path, nil, showSteps(std, path))
}

// drawFile makes the pictures of a part of a trace file, in the colours of others if there are any, until nobody wants them.
func (p *part) drawFile(ctx context.Context, file *analyze.File, path string, like *page.Document, show func(done, of int)) (*page.Document, error) {
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
func (v *reportView) writePage(std stdio, path string, r *report.Report, trace *analyze.Trace) error {
	if err := notTheInput(v.html, path); err != nil {
		return err
	}
	pictures, err := v.part.drawPage(std, path, trace)
	if err != nil {
		return err
	}
	return writeFile(std, v.html, path, func(f *os.File) error { return page.Write(f, r, pictures) })
}
