package xctrace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// reader reads the documents of one input.
type reader struct {
	value   valueReader
	doc     *Document
	sink    *Sink
	schema  *Table // the last table with columns in this root
	cells   []cell
	types   []*tag // nil for a column of any type
	forward forward
	raw     *rawTable // the table whose rows are read without interpretation; nil to read all tables that mtrace knows
}

// Read reads an input with one or more export documents and delivers the rows of the tables that mtrace knows to the
// sink. The Document is never nil; after an error it describes everything before the error.
func Read(src io.Reader, name string, sink *Sink) (*Document, error) {
	return readInput(src, name, sink, nil)
}

func (r *reader) read(name string) (*Document, error) {
	defer r.value.ids.close()
	err := r.roots()
	r.doc.Bytes = r.value.scan.offset()
	r.doc.IllegalNames = r.value.scan.illegalNames
	var syntax *syntaxError
	switch {
	case errors.Is(err, errTruncated):
		if r.doc.Roots == 0 {
			return r.doc, fmt.Errorf("%s: "+
				"it contains no element: it is not an export of xctrace, or was cut before anything was written", name)
		}
		r.doc.Truncated = true
		return r.doc, nil
	case errors.As(err, &syntax):
		return r.doc, fmt.Errorf("%s: not an export of xctrace, or damaged: %w", name, err)
	case err != nil:
		return r.doc, fmt.Errorf("read %s: %w", name, err)
	case r.doc.Roots == 0:
		return r.doc, fmt.Errorf("%s: the file is empty: xctrace wrote nothing (look at its exit status)", name)
	}
	return r.doc, nil
}

// roots reads the documents of the input; each document has one root element. The ids of a document start again at 1,
// so roots forgets the ids between documents.
func (r *reader) roots() error {
	for {
		tok, err := r.value.scan.next()
		if err != nil || tok == tokenEOF {
			return err
		}
		name := string(r.value.scan.name)
		if r.doc.Roots > 0 {
			r.value.ids.reset()
		}
		r.schema = nil
		r.doc.Roots++
		switch name {
		case "trace-query-result":
			err = r.queryResult(tok)
			if unresolved := r.resolve(); err == nil {
				err = unresolved
			}
		case "trace-toc":
			var toc *TOC
			if toc, err = readTOC(r.value.scan, tok); err == nil {
				r.doc.TOCs = append(r.doc.TOCs, toc)
			}
		default:
			err = r.value.scan.syntax("the document is a <%s>, not a <trace-query-result> or <trace-toc>", name)
		}
		if err != nil {
			return err
		}
	}
}

func (r *reader) queryResult(tok token) error {
	nodes := len(r.doc.Tables)
	for tok == tokenStart {
		inner, err := r.value.scan.next()
		if err != nil {
			return err
		}
		switch inner {
		case tokenEOF:
			return errTruncated
		case tokenEnd:
			tok = tokenEnd
		case tokenText:
		default:
			if name := string(r.value.scan.name); name != "node" {
				return r.value.scan.syntax("found <%s> in the query result where a <node> should be", name)
			}
			if err := r.node(inner); err != nil {
				return err
			}
		}
	}
	if len(r.doc.Tables) == nodes {
		r.doc.EmptyRoot++
	}
	return nil
}

// maxTables is the maximum number of tables in an input; a recording has some hundred.
const maxTables = 100_000

func (r *reader) node(tok token) error {
	s := r.value.scan
	xpath, _ := s.attr("xpath")
	path, _ := unescape(nil, xpath)
	t := &Table{XPath: string(path)}
	if strings.Contains(t.XPath, "/tracks") {
		t.Shape = ShapeDetail
	}
	if len(r.doc.Tables) == maxTables {
		return s.syntax("more than %d tables", maxTables)
	}
	r.doc.Tables = append(r.doc.Tables, t)
	var rows rowHandler
	var bound bool
	for tok == tokenStart {
		inner, err := s.next()
		if err != nil {
			r.value.countDangling(t)
			return err
		}
		switch inner {
		case tokenEOF:
			return errTruncated
		case tokenEnd:
			tok = tokenEnd
			continue
		case tokenText:
			continue
		}
		if string(s.name) != "row" {
			if string(s.name) != "schema" {
				return s.syntax("found <%s> in a node where a <schema> or <row> should be", s.name)
			}
			if err := r.readSchema(inner, t); err != nil {
				return err
			}
			r.schema, bound = t, false
			t.Shape = ShapeTable
			continue
		}
		if t.Refused == "" && t.Schema == "" && (t.Shape == ShapeDetail || len(s.attrs) > 0) {
			t.Shape = ShapeDetail
			if err := r.detail(inner, t); err != nil {
				return err
			}
			continue
		}
		if !bound && t.Refused == "" && len(t.Columns) == 0 {
			if r.schema == nil {
				return s.syntax("rows without a schema")
			}
			t.Schema, t.Columns, t.Inherited = r.schema.Schema, r.schema.Columns, true
			if len(t.Columns) == 0 || t.Schema == "" {
				t.Refused = r.schema.Refused
			}
		}
		if !bound && unusable(t) {
			if err := r.passOver(inner, t); err != nil {
				return err
			}
			continue
		}
		if !bound {
			if rows, err = r.bind(t); err != nil {
				return err
			}
			bound = true
		}
		if err := r.row(inner, t, rows); err != nil {
			r.value.countDangling(t)
			return err
		}
	}
	r.value.countDangling(t)
	return nil
}

// unusable reports whether the schema of a table has no name or no columns, so that its rows cannot be read.
func unusable(t *Table) bool { return t.Refused != "" && (t.Schema == "" || len(t.Columns) == 0) }

// passOver reads a row of a table without a usable schema only for the ids in it, because rows of other tables may
// refer to them.
func (r *reader) passOver(tok token, t *Table) error {
	if err := r.values(tok); err != nil {
		return err
	}
	t.Rows++
	return nil
}

// values reads the elements of a row without knowing their types, so that their ids are defined.
func (r *reader) values(tok token) error {
	for tok == tokenStart {
		inner, err := r.value.scan.next()
		if err != nil {
			return err
		}
		switch inner {
		case tokenEnd:
			return nil
		case tokenEOF:
			return errTruncated
		case tokenText:
			continue
		}
		if _, _, err := r.value.element(inner, nil); err != nil {
			return err
		}
	}
	return nil
}

func (v *valueReader) countDangling(t *Table) {
	t.Dangling += v.dangled
	v.dangled = 0
}

// readSchema reads <schema name=…><col>…</col>…</schema>.
func (r *reader) readSchema(tok token, t *Table) error {
	tree, err := readTree(r.value.scan, tok)
	if err != nil {
		return err
	}
	t.Schema = tree.attr("name")
	t.Documentation = tree.attr("documentation")
	t.Columns = nil
	for _, c := range tree.children {
		if c.name == "col" {
			t.Columns = append(t.Columns, Column{
				Mnemonic: c.child("mnemonic").text,
				Name:     c.child("name").text,
				Type:     c.child("engineering-type").text,
			})
		}
	}
	switch {
	case t.Schema == "":
		t.Refused = "its schema has no name, so the meaning of its rows is unknown"
	case len(t.Columns) == 0:
		t.Refused = "its schema has no columns, so the meaning of its values is unknown"
	}
	return nil
}

// anyType is the type in a schema of a column whose cells have different types.
const anyType = "any"

// bind prepares the reader for the rows of table t: it looks up the columns' types and the handler of the rows.
func (r *reader) bind(t *Table) (rowHandler, error) {
	r.cells = make([]cell, len(t.Columns))
	r.types = make([]*tag, len(t.Columns))
	r.value.keepOpaque = false
	for i, c := range t.Columns {
		if r.types[i] = r.value.tags.find([]byte(c.Type)); r.types[i] == nil {
			return rowHandler{}, errTooManyTags
		}
	}
	handler := r.handler(t)
	for i, c := range t.Columns {
		if c.Type == anyType {
			r.types[i] = nil
		}
	}
	return handler, nil
}

// handler returns the handler for the rows of table t. For a table that mtrace does not know, or that is rejected,
// the handler delivers nothing.
func (r *reader) handler(t *Table) rowHandler {
	if r.raw != nil {
		return r.raw.bind(r, t)
	}
	for _, spec := range tables {
		if spec.name() != t.Schema {
			continue
		}
		handler, wanted, err := spec.bind(t.Columns, r.types, r.sink)
		if err == nil && wanted && r.sink.Accept != nil {
			err = r.sink.Accept(r.doc, t)
		}
		if err != nil {
			t.Refused, handler.deliver = err.Error(), nil
		}
		t.Decoded = err == nil && wanted
		t.Notes = handler.notes
		for _, note := range handler.notes {
			t.problem(r.value.scan.offset(), note, "%s", note)
		}
		return handler
	}
	if r.sink.Other == nil {
		return rowHandler{}
	}
	if r.sink.Accept != nil {
		if err := r.sink.Accept(r.doc, t); err != nil {
			t.Refused = err.Error()
			return rowHandler{}
		}
	}
	r.value.keepOpaque = true
	return otherRows(t, r.types, r.sink, r.value.dict)
}

// row reads one row and delivers it if it is valid. A valid row has as many cells as the table has columns; each cell
// has its column's type or is empty; and no column that mtrace reads has an invalid value. Invalid rows are counted
// in Table.Rejected.
func (r *reader) row(tok token, t *Table, rows rowHandler) error {
	v := &r.value
	from := v.scan.offset()
	v.scan.hold = v.scan.pos
	v.dangling, v.mistyped, v.malformed = 0, 0, 0
	n, misfit, err := r.readCells(tok)
	if err != nil {
		return err
	}
	if r.forward.again == nil {
		t.Rows++
	}
	broken := r.anyBroken(rows)
	if v.dangling > 0 && r.postpone(from, t, rows, n == len(r.cells) && misfit.tag == nil && !broken) {
		return nil
	}
	bad := broken
	if n != len(r.cells) {
		bad = true
		t.problem(from, "cells", "%d cells for %d columns", n, len(r.cells))
	} else if misfit.tag != nil {
		bad = true
		t.problem(from, "type", "column %s holds a <%s>, not a <%s>", t.Columns[misfit.column].Mnemonic,
			misfit.tag.name, t.Columns[misfit.column].Type)
	}
	r.reportValues(from, t)
	if !bad {
		if column := r.undated(rows); column >= 0 {
			bad = true
			t.problem(from, "undated", "column %s, the time of the row, has no value", t.Columns[column].Mnemonic)
		}
	}
	if bad {
		t.Rejected++
		return nil
	}
	if rows.deliver != nil && (r.forward.again == nil || !r.forward.again.delivered) {
		rows.deliver(r.cells)
	}
	return nil
}

// A misfit is the first cell of a row whose type is not its column's. Its tag is nil if there is none.
type misfit struct {
	column int
	tag    *tag
}

// readCells reads the cells of a row, which begins with tok, into r.cells. It returns how many cells the row has,
// which may be more or fewer than the table has columns.
func (r *reader) readCells(tok token) (n int, wrong misfit, err error) {
	v := &r.value
	for tok == tokenStart {
		var expected *tag
		if n < len(r.types) {
			expected = r.types[n]
		}
		if expected != nil {
			c, ok, err := v.shortcut(expected)
			if err != nil {
				return n, wrong, err
			}
			if ok {
				r.cells[n] = c
				n++
				continue
			}
		}
		inner, err := v.scan.next()
		if err != nil {
			return n, wrong, err
		}
		if inner == tokenEnd {
			break
		}
		if inner == tokenText {
			continue
		}
		if inner == tokenEOF {
			return n, wrong, errTruncated
		}
		got, c, err := v.element(inner, expected)
		if err != nil {
			return n, wrong, err
		}
		if n < len(r.types) {
			if v.raw && expected == nil && c.state == cellValue { // of any type: as a text
				c.word = uint64(v.dict.text([]byte(v.rawText(got, c))))
			}
			r.cells[n] = c
			if expected != nil && got != expected && got.kind != kindSentinel && wrong.tag == nil {
				wrong = misfit{n, got}
			}
		}
		n++
	}
	return n, wrong, nil
}

// reportValues adds a problem to the table if the row that was read has a value that cannot be used.
func (r *reader) reportValues(from int64, t *Table) {
	switch v := &r.value; {
	case v.dangling > 0:
		t.problem(from, "dangling", "the row refers to a value that is not in the document")
	case v.mistyped > 0:
		t.problem(from, "mistyped", "the row refers to a value whose type differs from the column's type")
	case v.malformed > 0:
		t.problem(from, "malformed",
			"the row has a value that does not fit its type, or a time that is negative or longer than any recording")
	}
}

// undated returns the first column that should have the row's point in time but has no value; -1 if there is none.
// Such a row cannot be placed on the timeline.
func (r *reader) undated(rows rowHandler) int {
	i := slices.IndexFunc(rows.points, func(column int) bool { return r.cells[column].state == cellNull })
	if i < 0 {
		return -1
	}
	return rows.points[i]
}

// anyBroken reports whether the row has an invalid value in a column that is read and not optional.
func (r *reader) anyBroken(rows rowHandler) bool {
	v := &r.value
	return v.dangling+v.mistyped+v.malformed > 0 && slices.ContainsFunc(rows.columns,
		func(column int) bool {
			c := r.cells[column]
			return c.state == cellBroken && !(c.word == noTime && slices.Contains(rows.optional, column))
		})
}

// detail reads one row of a detail view, whose values are attributes. The first row defines the columns.
func (r *reader) detail(tok token, t *Table) error {
	s := r.value.scan
	if t.Rows == 0 {
		for _, a := range s.attrs {
			name := string(a.name)
			t.Columns = append(t.Columns, Column{Mnemonic: name, Name: name})
		}
	}
	v := &r.value
	v.dangling, v.mistyped, v.malformed = 0, 0, 0
	from := s.offset()
	if len(t.First) < firstRows {
		t.First = append(t.First, attributes(s, t.Columns))
	}
	if r.raw != nil && t.Name() == r.raw.name {
		r.raw.detail(t, attributes(s, t.Columns))
	}
	if err := r.values(tok); err != nil {
		return err
	}
	t.Rows++
	if v.dangling+v.mistyped > 0 {
		t.problem(from, "dangling", "the row refers to a value that is not in the document")
	}
	return nil
}

// firstRows is how many rows of a detail view are stored for display.
const firstRows = 5

// attributes returns the values of the current element's attributes in the order of the columns; "" for missing ones.
func attributes(s *scanner, columns []Column) []string {
	values := make([]string, len(columns))
	for i, c := range columns {
		raw, _ := s.attr(c.Mnemonic)
		text, _ := unescape(nil, raw)
		values[i] = string(text)
	}
	return values
}
