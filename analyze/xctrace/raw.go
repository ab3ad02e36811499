package xctrace

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// RawKind is the Go type of the values of a column.
type RawKind uint8

// The kinds of columns.
const (
	RawText   RawKind = iota // string
	RawNumber                // uint64
	RawFloat                 // float64
)

// RawColumn is a column of a table that is read without interpretation.
type RawColumn struct {
	Column
	Kind RawKind
}

// rawTable is the table that ReadTable reads, with the caller's functions.
type rawTable struct {
	name    string
	accept  func(*Table) error // as Sink.Accept
	begin   func([]RawColumn) error
	row     func([]any) error
	columns []RawColumn
	err     error
	rows    int64
}

// ReadTable reads the tables with the given name from an input, whether mtrace knows them or not. It passes the
// columns to begin and the values of each row to `row`: uint64, float64, string, or nil for none. The values are
// valid only during the call. Invalid rows are only counted in the Document. Tables that were read before, or that
// belong to another run, are not delivered; Table.Refused has the reason. `found` is false if there is no such table.
func (r *Recording) ReadTable(in *Input, name string, progress Progress, begin func([]RawColumn) error,
	row func([]any) error) (doc *Document, found bool, err error) {
	src, err := in.Open(progress)
	if err != nil {
		return nil, false, err
	}
	defer src.Close()
	raw := &rawTable{name: name, begin: begin, row: row, accept: func(t *Table) error { return r.accept(in.Name, t) }}
	doc, err = readInput(src, in.Name, &Sink{}, raw)
	if err == nil {
		err = raw.err
	}
	return doc, raw.columns != nil, err
}

// bind returns the handler for the rows of table t if t is the requested table; otherwise an empty one.
func (w *rawTable) bind(r *reader, t *Table) rowHandler {
	if t.Schema != w.name || w.err != nil {
		return rowHandler{}
	}
	columns := make([]RawColumn, len(t.Columns))
	kinds := make([]kind, len(t.Columns))
	h := rowHandler{}
	for i, c := range t.Columns {
		columns[i] = RawColumn{Column: c}
		kinds[i] = r.types[i].kind
		switch kinds[i] {
		case kindNumber:
			columns[i].Kind = RawNumber
		case kindDecimal:
			columns[i].Kind = RawFloat
		}
		if c.Type != anyType {
			h.columns = append(h.columns, i)
		}
	}
	if !w.start(t, columns) {
		return rowHandler{}
	}
	t.Decoded = true
	values := make([]any, len(columns))
	h.deliver = func(cells []cell) {
		for i, c := range cells {
			values[i] = nil
			switch {
			case c.state != cellValue:
			case columns[i].Kind == RawNumber:
				values[i] = c.number()
			case columns[i].Kind == RawFloat:
				values[i] = c.decimal()
			default:
				values[i] = r.value.dict.Text(c.text())
			}
		}
		w.deliver(values)
	}
	return h
}

// start passes the columns to the caller, once. It returns false if the table must not be delivered.
func (w *rawTable) start(t *Table, columns []RawColumn) bool {
	if err := w.accept(t); err != nil {
		t.Refused = err.Error()
		return false
	}
	if w.columns == nil {
		w.columns = columns
		w.err = w.begin(columns)
		return w.err == nil
	}
	if !slices.Equal(columns, w.columns) {
		t.Refused = "its columns differ from those of an earlier table with the same name"
		return false
	}
	return true
}

func (w *rawTable) deliver(values []any) {
	if w.err == nil {
		w.rows++
		w.err = w.row(values)
	}
}

// detail delivers a row of a detail view, which consists of attributes.
func (w *rawTable) detail(t *Table, attributes []string) {
	if t.Rows == 0 {
		columns := make([]RawColumn, len(t.Columns))
		for i, c := range t.Columns {
			columns[i] = RawColumn{Column: c}
		}
		if !w.start(t, columns) {
			return
		}
		t.Decoded = true
	}
	if t.Refused != "" || len(attributes) != len(w.columns) {
		return
	}
	values := make([]any, len(attributes))
	for i, a := range attributes {
		values[i] = a
	}
	w.deliver(values)
}

// rawElement reads an element without interpretation: a number as a number, any other value as its text or displayed
// text. If an element has parts but no displayed text, such as a call stack, its parts are joined by semicolons.
func (v *valueReader) rawElement(tok token, t *tag) (cell, error) {
	if t.kind == kindNumber || t.kind == kindDecimal {
		if tok == tokenStart {
			v.malformed++
			return cell{state: cellBroken}, v.skip()
		}
		text := v.scan.text
		if tok == tokenEmpty {
			text = nil
		}
		return v.leaf(t, text), nil
	}
	text, shown := v.scan.attr("fmt")
	if !shown {
		text, shown = v.scan.attr("name")
	}
	// use the element's own text: the displayed text depends on the machine's language
	if tok == tokenLeaf && len(v.scan.text) > 0 {
		text = v.scan.text
	}
	plain, _ := unescape(nil, text)
	var parts []string
	for n := 0; tok == tokenStart; n++ {
		child, c, more, err := v.child(t, n)
		if err != nil {
			return cell{}, err
		}
		if !more {
			break
		}
		if !shown && c.state == cellValue {
			parts = append(parts, v.rawText(child, c))
		}
	}
	if !shown && len(parts) > 0 {
		plain = []byte(strings.Join(parts, ";"))
	}
	return cell{uint64(v.dict.text(plain)), cellValue}, nil
}

// rawText returns a value as text.
func (v *valueReader) rawText(t *tag, c cell) string {
	switch t.kind {
	case kindNumber:
		return fmt.Sprint(c.number())
	case kindDecimal:
		return fmt.Sprint(c.decimal())
	}
	return v.dict.Text(c.text())
}

// readInput reads an input for Read or, if raw is not nil, for ReadTable.
func readInput(src io.Reader, name string, sink *Sink, raw *rawTable) (*Document, error) {
	r := &reader{doc: &Document{Name: name}, sink: sink, raw: raw}
	r.value = valueReader{scan: newScanner(src), dict: sink.dictionary(), tags: newTagTable(), raw: raw != nil}
	return r.read(name)
}
