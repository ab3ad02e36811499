package table

import (
	"bufio"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// csvRows writes a table as CSV (RFC 4180): a header line, and texts in quotes where necessary. Lines end with a line
// feed only, as most tools write them.
type csvRows[T any] struct {
	file    io.WriteCloser
	w       *bufio.Writer
	columns []column
	line    []byte
	headed  bool
}

func newCSVRows[T any](w io.WriteCloser) *csvRows[T] {
	return &csvRows[T]{file: w, w: bufio.NewWriterSize(w, 1<<16), columns: columnsOf(reflect.TypeFor[T]())}
}

func (c *csvRows[T]) header() error {
	if c.headed {
		return nil
	}
	c.headed = true
	for i, col := range c.columns {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		c.line = append(c.line, col.name...)
	}
	return c.endLine()
}

func (c *csvRows[T]) endLine() error {
	c.line = append(c.line, '\n')
	_, err := c.w.Write(c.line)
	c.line = c.line[:0]
	return err
}

func (c *csvRows[T]) write(rows []T) error {
	if err := c.header(); err != nil {
		return err
	}
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		for j, col := range c.columns {
			if j > 0 {
				c.line = append(c.line, ',')
			}
			f := v.FieldByIndex(col.index)
			if col.optional && f.IsZero() {
				continue
			}
			switch col.kind {
			case kindInt:
				c.line = strconv.AppendInt(c.line, f.Int(), 10)
			case kindUint:
				c.line = strconv.AppendUint(c.line, f.Uint(), 10)
			case kindBool:
				c.line = strconv.AppendBool(c.line, f.Bool())
			case kindText:
				c.line = appendQuoted(c.line, f.String())
			}
		}
		if err := c.endLine(); err != nil {
			return err
		}
	}
	return nil
}

// aNumber matches texts that a spreadsheet reads as numbers and not as formulas.
var aNumber = regexp.MustCompile(`^[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$`)

// asText puts an apostrophe before a text that a spreadsheet would execute as a formula. Labels and names come from
// the traced program, so they could otherwise run code for whoever opens the file.
func asText(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 && !aNumber.MatchString(s) {
		return "'" + s
	}
	return s
}

func appendQuoted(b []byte, s string) []byte {
	s = asText(strings.ToValidUTF8(s, "\uFFFD"))
	if !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

func (c *csvRows[T]) close() error {
	err := c.header()
	return errors.Join(err, c.w.Flush(), c.file.Close())
}
