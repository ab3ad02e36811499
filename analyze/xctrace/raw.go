package xctrace

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// RawKind is the type of the values of a column.
type RawKind uint8

// The kinds of columns.
const (
	RawText   RawKind = iota // string
	RawNumber                // uint64
	RawFloat                 // float64
)

// RawColumn is a column of a table whose rows are read without interpretation.
type RawColumn struct {
	Column
	Kind RawKind
}

// rawTable is the single table whose rows are requested.
type rawTable struct {
	name    string
	accept  func(*Table) error // as Sink.Accept
	begin   func([]RawColumn) error
	row     func([]any) error
	columns []RawColumn
	err     error
	rows    int64
}

// ReadTable reads the rows of any table of the given name from an input. begin receives the columns, and row the values
// of each row (uint64, float64, string, or nil for none), which are valid during the call. Invalid rows are counted in
// the Document and not delivered. Tables that were read before or belong to a second run are not delivered either;
// Table.Refused says so. found is false if there is no such table.
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

// bind receives a table.
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

// start passes on the columns, once. Tables of one schema have the same columns.
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
		t.Refused = "it has other columns than the table of that name before it"
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

// detail delivers a row of attributes.
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

// rawElement reads an element without interpretation: numbers as numbers, everything else as its text, or its displayed
// text if it has parts. An element with parts and no displayed text, such as a call stack, is its parts joined by
// semicolons.
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
	if tok == tokenLeaf && len(v.scan.text) > 0 { // the displayed text depends on the machine's language
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

// rawText is a value as a text.
func (v *valueReader) rawText(t *tag, c cell) string {
	switch t.kind {
	case kindNumber:
		return fmt.Sprint(c.number())
	case kindDecimal:
		return fmt.Sprint(c.decimal())
	}
	return v.dict.Text(c.text())
}

// readInput implements Read and, if raw is not nil, the reading of one table.
func readInput(src io.Reader, name string, sink *Sink, raw *rawTable) (*Document, error) {
	r := &reader{doc: &Document{Name: name}, sink: sink, raw: raw}
	r.value = valueReader{scan: newScanner(src), dict: sink.dictionary(), tags: newTagTable(), raw: raw != nil}
	return r.read(name)
}
