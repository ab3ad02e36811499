package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/table"
	"mtrace/analyze/timeline"
)

// An exporter writes one run: it gets every call, every slice of the run after that slice's calls, and then Finish.
type exporter interface {
	Call(*analyze.VisitedCall)
	Slice(*analyze.Slice) error
	Finish() error
	Abandon()
}

// A format is one format of `mtrace export`. Flags, help, completion and the rules on where it can be written follow
// from its row in exportFormats.
type format struct {
	name   string // of --format
	suffix string // of its file, behind the trace's name, in a folder of several formats

	// One of these makes the exporter. It says what the format writes to: a stream, which standard output is too; a file
	// that is written at any position; or a folder with a file for each table.
	stream func(io.Writer) exporter
	file   func(*os.File) exporter
	folder func(table.Files) exporter

	tables bool // it holds tables; others are timelines
	binary bool // it is not written to a terminal
	single bool // --table writes the rows of one table of a recording of Instruments in it
	// Its tables are there even without rows, so the user is told which of them Instruments cannot fill.
	keepsEmpty bool
	// It writes how threads spent their time and whose work they waited for. Of a long trace, each slice is then read with
	// what happened around it; other formats get smaller slices without that.
	neighbours bool
}

// exportFormats are the formats, in the order in which help lists them: timelines, then tables.
var exportFormats = []format{
	{name: "perfetto", suffix: ".pftrace", binary: true,
		stream: func(w io.Writer) exporter { return timeline.NewPerfetto(w) }},
	{name: "chrome", suffix: ".chrome.json",
		stream: func(w io.Writer) exporter { return timeline.NewChrome(w) }},
	{name: "speedscope", suffix: ".speedscope.json",
		stream: func(w io.Writer) exporter { return timeline.NewSpeedscope(w) }},
	{name: "firefox", suffix: ".firefox.json",
		stream: func(w io.Writer) exporter { return timeline.NewFirefox(w) }},
	{name: "jsonl", suffix: ".jsonl", tables: true, neighbours: true, single: true,
		stream: func(w io.Writer) exporter { return table.NewJSONLines(w) }},
	{name: "csv", suffix: ".csv", tables: true, neighbours: true, single: true, keepsEmpty: true,
		folder: func(d table.Files) exporter { return table.NewFiles(d, table.CSV) }},
	{name: "parquet", suffix: ".parquet", tables: true, neighbours: true, single: true, keepsEmpty: true,
		folder: func(d table.Files) exporter { return table.NewFiles(d, table.Parquet) }},
	{name: "sqlite", suffix: ".sqlite", tables: true, neighbours: true, keepsEmpty: true,
		file: func(f *os.File) exporter { return table.NewSQLite(f) }},
}

func isTimeline(f *format) bool { return !f.tables }
func isTables(f *format) bool   { return f.tables }
func isFolder(f *format) bool   { return f.folder != nil }
func isSingle(f *format) bool   { return f.single }
func anyFormat(*format) bool    { return true }

// formatNames are the names of the formats that are wanted.
func formatNames(wanted func(*format) bool) (names []string) {
	for i := range exportFormats {
		if wanted(&exportFormats[i]) {
			names = append(names, exportFormats[i].name)
		}
	}
	return names
}

// formatNamed is the format of a name, or nil.
func formatNamed(name string) *format {
	i := slices.IndexFunc(exportFormats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &exportFormats[i]
}

// listed is a list as people write it: "a, b or c".
func listed(names []string, word string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// singleFormats are the formats of --table.
func singleFormats() string {
	names := formatNames(isSingle)
	slices.Sort(names)
	return strings.Join(names, ", ")
}
