package table

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"mtrace/analyze"
)

// A PlainKind is the type of the values in a column of a Plain table.
type PlainKind uint8

// The kinds of columns.
const (
	PlainText   PlainKind = iota // string
	PlainNumber                  // uint64
	PlainFloat                   // float64
)

// A PlainColumn is a column of a Plain table.
type PlainColumn struct {
	Name string
	Kind PlainKind
}

// Plain writes a table whose columns are only known at run time, such as one of an Instruments recording. A value
// must be a uint64, a float64 or a string, as its column declares, or nil for null.
type Plain struct {
	format  Format
	columns []PlainColumn
	csv     *csv.Writer
	lines   *bufio.Writer
	parquet *parquet.GenericWriter[any]
	place   []int // index of each column in a Parquet row
	cells   []string
	line    []byte
	row     parquet.Row
}

// NewPlain begins a table. Columns with the same name get a number, because readers require unique names.
func NewPlain(w io.Writer, format Format, name string, columns []PlainColumn) (*Plain, error) {
	p := &Plain{format: format, columns: slices.Clone(columns), cells: make([]string, len(columns)),
		row: make(parquet.Row, len(columns))}
	seen := map[string]int{}
	for i := range p.columns {
		c := &p.columns[i]
		if seen[c.Name]++; seen[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s_%d", c.Name, seen[c.Name])
		}
	}
	switch format {
	case CSV:
		p.csv = csv.NewWriter(w)
		for i, c := range p.columns {
			p.cells[i] = asText(c.Name)
		}
		return p, p.csv.Write(p.cells)
	case JSONLines:
		p.lines = bufio.NewWriter(w)
		return p, nil
	}
	group := parquet.Group{}
	for _, c := range p.columns {
		leaf := parquet.String()
		switch c.Kind {
		case PlainNumber:
			leaf = parquet.Uint(64)
		case PlainFloat:
			leaf = parquet.Leaf(parquet.DoubleType)
		}
		group[c.Name] = parquet.Optional(leaf)
	}
	schema := parquet.NewSchema(name, group)
	p.parquet = parquet.NewGenericWriter[any](w, schema)
	for _, c := range p.columns {
		leaf, _ := schema.Lookup(c.Name)
		p.place = append(p.place, leaf.ColumnIndex)
	}
	return p, nil
}

// Row writes a row.
func (p *Plain) Row(values []any) error {
	switch p.format {
	case CSV:
		for i, v := range values {
			if p.cells[i] = ""; v != nil {
				p.cells[i] = asText(fmt.Sprint(v))
			}
		}
		return p.csv.Write(p.cells)
	case JSONLines:
		return p.json(values)
	}
	for i, v := range values {
		if at := p.place[i]; v == nil {
			p.row[at] = parquet.NullValue().Level(0, 0, at)
		} else {
			p.row[at] = parquet.ValueOf(v).Level(0, 1, at)
		}
	}
	_, err := p.parquet.WriteRows([]parquet.Row{p.row})
	return err
}

// json writes a row as one JSON object, without its null values.
func (p *Plain) json(values []any) error {
	b := append(p.line[:0], '{')
	for i, v := range values {
		if v == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(analyze.AppendJSON(b, p.columns[i].Name), ':')
		switch v := v.(type) {
		case uint64:
			b = strconv.AppendUint(b, v, 10)
		case float64:
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		case string:
			b = analyze.AppendJSON(b, v)
		}
	}
	p.line = append(b, "}\n"...)
	_, err := p.lines.Write(p.line)
	return err
}

// Close ends the table.
func (p *Plain) Close() error {
	switch p.format {
	case CSV:
		p.csv.Flush()
		return p.csv.Error()
	case JSONLines:
		return p.lines.Flush()
	}
	return p.parquet.Close()
}
