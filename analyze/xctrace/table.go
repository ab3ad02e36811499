package xctrace

import (
	"fmt"
	"slices"
	"strings"
)

// column describes a column that mtrace reads: its mnemonic (its name in the schema), the kind of its type, and a
// function that stores a value in the row. The function is not called for a null.
type column[R any] struct {
	mnemonic string
	kind     kind
	required bool
	set      func(*R, cell)
	renamed  bool   // it contains labels, and may have another name; see orRenamed
	lost     string // one sentence about the data that a table without the column lacks, for a warning; "" for no warning
}

// need describes a column without which a table cannot be read.
func need[R any](mnemonic string, k kind, set func(*R, cell)) column[R] {
	return column[R]{mnemonic: mnemonic, kind: k, required: true, set: set}
}

// may describes an optional column, which some versions of Instruments do not write.
func may[R any](mnemonic string, k kind, set func(*R, cell)) column[R] {
	return column[R]{mnemonic: mnemonic, kind: k, set: set}
}

// without sets the warning that appears if a table lacks this optional column.
func (c column[R]) without(lost string) column[R] {
	c.lost = lost
	return c
}

// orRenamed is for a column of labels that another version of Instruments may have renamed. If the table lacks the
// column, the first column that contains labels and has "label" in its name is read instead, with a warning.
func (c column[R]) orRenamed() column[R] {
	c.renamed = true
	return c
}

// table describes how the rows of one schema are read into a Go struct R.
type table[R any] struct {
	schema  string
	columns []column[R]
	to      func(*Sink) func(*R)
	blank   R
	// sets fields that are the same in all rows, from the schema's columns; may be nil
	adjust func(blank *R, columns []Column)
}

type tableSpec interface {
	name() string
	// bind finds the table's columns in a schema. wanted is false if the sink does not receive these rows.
	bind(columns []Column, types []*tag, sink *Sink) (handler rowHandler, wanted bool, err error)
}

// A rowHandler delivers the rows of a table. columns are the columns that it reads, and notes name the columns that
// it cannot read.
type rowHandler struct {
	columns  []int
	optional []int // the elements of columns in which noTime only means that the value is missing
	points   []int // the elements of columns with a required point in time: a row without it has no place in the trace
	notes    []string
	deliver  func([]cell)
}

func (t *table[R]) name() string { return t.schema }

func (t *table[R]) bind(columns []Column, types []*tag, sink *Sink) (rowHandler, bool, error) {
	type setter struct {
		at  int
		set func(*R, cell)
	}
	var setters []setter
	var h rowHandler
	for _, c := range t.columns {
		at := slices.IndexFunc(columns, func(has Column) bool { return has.Mnemonic == c.mnemonic })
		if at < 0 && c.renamed {
			if at = renamedLabel(columns, types); at >= 0 {
				h.notes = append(h.notes, fmt.Sprintf(
					"it has no column %s, so column %s of the same type is read instead",
					c.mnemonic, columns[at].Mnemonic))
			}
		}
		switch {
		case at < 0 && !c.required:
			if c.lost != "" {
				h.notes = append(h.notes, fmt.Sprintf("it has no column %s: %s", c.mnemonic, c.lost))
			}
			continue
		case at < 0:
			return rowHandler{}, false, fmt.Errorf("column %s is missing: "+
				"this version of Instruments writes %s in a way mtrace does not know", c.mnemonic, t.schema)
		case types[at].kind != c.kind && !c.required:
			h.notes = append(h.notes, fmt.Sprintf(
				"column %s is not read, because mtrace does not know its type %s there",
				c.mnemonic, columns[at].Type))
			continue
		case types[at].kind != c.kind:
			return rowHandler{}, false, fmt.Errorf("column %s has type %s, unlike in other versions: "+
				"this version of Instruments writes %s in a way mtrace does not know",
				c.mnemonic, columns[at].Type, t.schema)
		}
		setters = append(setters, setter{at, c.set})
		h.columns = append(h.columns, at)
		switch {
		case !c.required:
			h.optional = append(h.optional, at)
		case types[at].time && types[at].null == noPoint:
			h.points = append(h.points, at)
		}
	}
	deliver := t.to(sink)
	if deliver == nil {
		return h, false, nil
	}
	row, blank := new(R), t.blank
	if t.adjust != nil {
		t.adjust(&blank, columns)
	}
	h.deliver = func(cells []cell) {
		*row = blank
		for i := range setters {
			s := &setters[i]
			if c := cells[s.at]; c.state == cellValue {
				s.set(row, c)
			}
		}
		deliver(row)
	}
	return h, true, nil
}

// renamedLabel returns the first column that contains labels and is called a label, or -1.
func renamedLabel(columns []Column, types []*tag) int {
	for i, c := range columns {
		if types[i].kind == kindLabel && strings.Contains(c.Mnemonic, "label") {
			return i
		}
	}
	return -1
}
