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

// An exporter writes one run: it gets every call, every slice of the run after that slice's calls, and then Finish.
type exporter interface {
	Call(*analyze.VisitedCall)
	Slice(*analyze.Slice) error
	Finish() error
	Abandon()
}

// A format is an output format of `mtrace export`. Flags, help, completion and the possible destinations follow from
// its row in ExportFormats.
type format struct {
	Name   string // of --format
	Suffix string // file name extension in a folder of several formats

	// Exactly one of these is set; it creates the exporter. It also determines the destination: a stream, such as
	// standard output; a file with random access; or a folder with a file per table.
	stream func(io.Writer) exporter
	file   func(*os.File) exporter
	folder func(table.Files) exporter

	tables bool // it holds tables; others are timelines
	binary bool // it is not written to a terminal
	single bool // --table writes the rows of one table of a recording of Instruments in it
	// its tables are written even without rows, and a message names the tables that Instruments cannot fill
	keepsEmpty bool
	// the format contains the threads' use of time and the threads whose work they waited for. Each slice of a long
	// trace is then read together with some time around it; other formats get smaller slices without that
	neighbours bool
}

// ExportFormats are the formats in the order of the help: timelines, then tables.
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

// FormatNames returns the names of the formats for which wanted is true.
func FormatNames(wanted func(*format) bool) (names []string) {
	for i := range ExportFormats {
		if wanted(&ExportFormats[i]) {
			names = append(names, ExportFormats[i].Name)
		}
	}
	return names
}

// FormatNamed returns the format of a name, or nil.
func FormatNamed(name string) *format {
	i := slices.IndexFunc(ExportFormats, func(f format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &ExportFormats[i]
}

// listed formats a list as people write it: "a, b or c".
func listed(names []string, word string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// singleFormats are the formats of --table.
func singleFormats() string {
	names := FormatNames(isSingle)
	slices.Sort(names)
	return strings.Join(names, ", ")
}
