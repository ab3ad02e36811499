package xctrace

import (
	"fmt"
	"regexp"
)

// Document describes the content of one input: its roots, tables, defects and counts. It also counts the data that
// could not be delivered as rows, so that no data is lost silently.
type Document struct {
	Name      string
	Bytes     int64 // of XML, after decompression
	Roots     int   // documents one after another in the input
	TOCs      []*TOC
	Tables    []*Table
	EmptyRoot int // query results without a node: the xpath matched no table

	// Truncated is set when the input ends inside an element. The complete rows before the end were delivered.
	Truncated bool
	// IllegalNames counts attribute names that XML does not allow but Apple writes (resident-%).
	IllegalNames int64
}

// Shape is the form in which a <node> element of an export contains its rows.
type Shape uint8

// The forms of the rows in a <node> element.
const (
	ShapeTable  Shape = iota // rows with a schema
	ShapeDetail              // rows with attributes, from an instrument's detail view
)

// Table is one <node> element of an export: the rows of a table with a schema, or the rows of an instrument's detail
// view (a table of totals without a schema).
type Table struct {
	XPath         string
	Schema        string // "" for a detail
	Documentation string // from Xcode 26.4 on
	Shape         Shape
	Columns       []Column
	Inherited     bool // the node had no schema, so the schema of the previous node is used

	Rows     int64 // complete rows, delivered or not
	Rejected int64 // of these, rows not delivered because they break a rule
	Dangling int64 // references to a value that is not in the document
	Decoded  bool  // mtrace reads this table, and it was delivered
	Refused  string
	// one sentence for each kind of data that is missing because the schema lacks a column; for warnings
	Notes    []string
	Problems []Problem // the first of each kind

	First [][]string // the first rows of a detail

	problems map[string]bool
}

// Name returns the table's name: its schema or, for a detail view, the last name in its path.
func (t *Table) Name() string {
	if t.Schema != "" {
		return t.Schema
	}
	names := pathName.FindAllStringSubmatch(t.XPath, -1)
	if len(names) == 0 {
		return t.XPath
	}
	return names[len(names)-1][1]
}

var pathName = regexp.MustCompile(`@name=["']([^"']+)["']`)

// Column is one column of a table.
type Column struct{ Mnemonic, Name, Type string }

// Problem is the first occurrence of a defect in a table.
type Problem struct {
	Row    int64 // from 1
	Offset int64 // in the document, bytes
	What   string
}

func (p Problem) String() string { return fmt.Sprintf("row %d (byte %d): %s", p.Row, p.Offset, p.What) }

// problem records a defect with its position, unless a defect of the same kind was recorded for the table.
func (t *Table) problem(offset int64, kind, format string, args ...any) {
	if t.problems[kind] {
		return
	}
	if t.problems == nil {
		t.problems = map[string]bool{}
	}
	t.problems[kind] = true
	t.Problems = append(t.Problems, Problem{t.Rows, offset, fmt.Sprintf(format, args...)})
}
