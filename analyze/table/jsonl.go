package table

import (
	"bufio"
	"encoding/json"
	"io"
	"reflect"
	"strconv"

	"mtrace/analyze"
)

// Schema names the format of the JSON lines; docs/schema/events.1.json describes it.
const Schema = "mtrace.events/1"

// jsonFile is the single file that contains the rows of all tables, one JSON object per line.
type jsonFile struct {
	w   *bufio.Writer
	err error
}

func newJSONFile(w io.Writer) *jsonFile { return &jsonFile{w: bufio.NewWriterSize(w, 1<<18)} }

// A summary is the last line of the file: where the trace comes from and what it lacks. If this line is missing, the
// file is incomplete.
type summary struct {
	Table    string   `json:"table"`
	Schema   string   `json:"schema"`
	Kind     string   `json:"kind"`
	Path     string   `json:"path"`
	Program  string   `json:"program"`
	Args     []string `json:"args"`
	Host     string   `json:"host"`
	OS       string   `json:"os"`
	Device   string   `json:"device"`
	Software bool     `json:"software_metal"`
	Started  int64    `json:"started_unix_ns"`
	Begin    int64    `json:"begin_ns"`
	End      int64    `json:"end_ns"`
	Events   int64    `json:"events"`
	Lost     int64    `json:"lost"`
	AtLeast  bool     `json:"lost_at_least"` // lost is the known number, and there may be more

	// one line on the missing parts of the trace; absent if nothing that was recorded is missing
	Incomplete string    `json:"incomplete,omitempty"`
	Warnings   []string  `json:"warnings"`
	Missing    []missing `json:"missing"`
}

type missing struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// summaryOf returns the summary of a trace; `events` is its number of calls.
func summaryOf(t *analyze.Trace, events int64) summary {
	s := summary{
		Table: "trace", Schema: Schema, Kind: t.Source.Kind, Path: t.Source.Path, Program: t.Source.Program,
		Args: t.Source.Args, Host: t.Source.Host,
		OS: t.Source.OS, Device: t.Source.Device, Software: t.Source.SoftwareMetal, Begin: int64(t.TimeRange.Begin),
		End: int64(t.TimeRange.End), Events: events,
		Lost: t.Recording.Lost.Records, AtLeast: t.Recording.Lost.AtLeast, Incomplete: analyze.Headline(t),
		Warnings: append([]string{}, t.Warnings...),
		Missing:  []missing{},
	}
	for _, m := range t.Source.Missing {
		s.Missing = append(s.Missing, missing(m))
	}
	if !t.Source.Started.IsZero() {
		s.Started = t.Source.Started.UnixNano()
	}
	if s.Args == nil {
		s.Args = []string{}
	}
	return s
}

// finish writes the summary line and flushes the file; `events` is the trace's number of calls.
func (f *jsonFile) finish(t *analyze.Trace, events int64) error {
	line, err := json.Marshal(summaryOf(t, events))
	if err != nil {
		return err
	}
	f.write(append(line, '\n'))
	if f.err == nil {
		f.err = f.w.Flush()
	}
	return f.err
}

func (f *jsonFile) write(line []byte) {
	if f.err == nil {
		_, f.err = f.w.Write(line)
	}
}

// jsonRows writes rows of one table as JSON objects: first the table's name, then the columns that have a value.
type jsonRows[T any] struct {
	file    *jsonFile
	prefix  string
	columns []column
	line    []byte
}

func newJSONRows[T any](f *jsonFile, t table[T]) *jsonRows[T] {
	return &jsonRows[T]{file: f, prefix: `{"table":"` + t.name + `"`, columns: columnsOf(reflect.TypeFor[T]())}
}

func (j *jsonRows[T]) write(rows []T) error {
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		j.line = append(j.line[:0], j.prefix...)
		for _, col := range j.columns {
			f := v.FieldByIndex(col.index)
			if col.optional && f.IsZero() {
				continue
			}
			j.line = append(j.line, ',', '"')
			j.line = append(j.line, col.name...)
			j.line = append(j.line, '"', ':')
			switch col.kind {
			case kindInt:
				j.line = strconv.AppendInt(j.line, f.Int(), 10)
			case kindUint:
				j.line = strconv.AppendUint(j.line, f.Uint(), 10)
			case kindBool:
				j.line = strconv.AppendBool(j.line, f.Bool())
			case kindText:
				j.line = analyze.AppendJSON(j.line, f.String())
			}
		}
		j.file.write(append(j.line, '}', '\n'))
	}
	return j.file.err
}

func (j *jsonRows[T]) close() error { return j.file.err }
