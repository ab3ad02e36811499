package convert

import (
	"io"
	"os"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/table"
	"mtrace/analyze/timeline"
)

// An exporter writes one run in some format. Call receives every call. Slice receives each slice (range of time)
// after its calls. Finish completes the output; Abandon discards it.
type exporter interface {
	Call(*analyze.VisitedCall)
	Slice(*analyze.Slice) error
	Finish() error
	Abandon()
}

// A format is an output format of `mtrace export`. Help, shell completion and the checks of flags follow from its row
// in ExportFormats.
type format struct {
	Name   string // of --format
	Suffix string // file name extension in a folder of several formats

	// Exactly one of these three functions is set; it creates the exporter. It also decides what -o names: a stream
	// (a file or standard output), a file with random access, or a folder with one file per table.
	stream func(io.Writer) exporter
	file   func(*os.File) exporter
	folder func(table.Files) exporter

	tables bool // the format holds tables; all others are timelines
	binary bool // the output is binary and is not written to a terminal
	single bool // --table can write one table of an Instruments recording in this format
	// a table without rows is written, too. A recording of Instruments lacks some tables; a message then lists the
	// empty ones
	keepsEmpty bool
	// the format has rows about waiting threads and the threads that they waited for, which may have run in a
	// neighbouring slice. A slice of a long trace is therefore read with some time before and after it. Other formats
	// read smaller slices without that
	neighbours bool
}

// ExportFormats lists the formats in the order in which help prints them: timelines, then tables.
var ExportFormats = []format{
	{Name: "perfetto", Suffix: ".pftrace", binary: true,
		stream: func(w io.Writer) exporter { return timeline.NewPerfetto(w) }},
	{Name: "chrome", Suffix: ".chrome.json",
		stream: func(w io.Writer) exporter { return timeline.NewChrome(w) }},
	{Name: "speedscope", Suffix: ".speedscope.json",
		stream: func(w io.Writer) exporter { return timeline.NewSpeedscope(w) }},
	{Name: "firefox", Suffix: ".firefox.json",
		stream: func(w io.Writer) exporter { return timeline.NewFirefox(w) }},
	{Name: "jsonl", Suffix: ".jsonl", tables: true, neighbours: true, single: true,
		stream: func(w io.Writer) exporter { return table.NewJSONLines(w) }},
	{Name: "csv", Suffix: ".csv", tables: true, neighbours: true, single: true, keepsEmpty: true,
		folder: func(d table.Files) exporter { return table.NewFiles(d, table.CSV) }},
	{Name: "parquet", Suffix: ".parquet", tables: true, neighbours: true, single: true, keepsEmpty: true,
		folder: func(d table.Files) exporter { return table.NewFiles(d, table.Parquet) }},
	{Name: "sqlite", Suffix: ".sqlite", tables: true, neighbours: true, keepsEmpty: true,
		file: func(f *os.File) exporter { return table.NewSQLite(f) }},
}

func isTimeline(f *format) bool { return !f.tables }
func isTables(f *format) bool   { return f.tables }
func isFolder(f *format) bool   { return f.folder != nil }
func isSingle(f *format) bool   { return f.single }
func AnyFormat(*format) bool    { return true }

// FormatNames returns the names of all formats for which wanted returns true.
func FormatNames(wanted func(*format) bool) (names []string) {
	for i := range ExportFormats {
		if wanted(&ExportFormats[i]) {
			names = append(names, ExportFormats[i].Name)
		}
	}
	return names
}

// FormatNamed returns the format with this name, or nil.
func FormatNamed(name string) *format {
	i := slices.IndexFunc(ExportFormats, func(f format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &ExportFormats[i]
}

// listed joins names for a sentence, with word ("and" or "or") before the last: "a, b or c".
func listed(names []string, word string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// singleFormats returns the formats that --table can write, separated by commas.
func singleFormats() string {
	names := FormatNames(isSingle)
	slices.Sort(names)
	return strings.Join(names, ", ")
}
