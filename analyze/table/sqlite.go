package table

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/sqlite"
	"mtrace/docs"
)

// SQLite is the format of a database with all tables, and with the queries of docs/sql as views.
const SQLite Format = "sqlite"

// NewSQLite returns a Writer that writes all tables into one database. The file must be empty.
func NewSQLite(to io.WriterAt) *Writer {
	return newWriter(output{format: SQLite, database: sqlite.New(to)})
}

// viewNames has the names of views for queries in docs/sql. A view is named after its query's file, except if a table
// has that name already.
var viewNames = map[string]string{"calls": "time_by_call", "failed": "failed_command_buffers",
	"kernels": "dispatches_by_kernel",
	"queues":  "delay_by_queue", "threads": "time_by_thread", "waits": "who_waits_for_whom"}

// sqliteRows writes the rows of one table.
type sqliteRows[T any] struct {
	of      *sqlite.Database
	to      *sqlite.Table
	columns []column
}

func newSQLiteRows[T any](d *sqlite.Database, t table[T]) *sqliteRows[T] {
	s := &sqliteRows[T]{of: d, columns: columnsOf(reflect.TypeFor[T]())}
	var lines []string
	for _, c := range s.columns {
		kind := "INTEGER"
		if c.kind == kindText {
			kind = "TEXT"
		}
		if !c.optional {
			kind += " NOT NULL"
		}
		lines = append(lines, fmt.Sprintf("%q %s", c.name, kind))
	}
	s.to = d.Table(t.name, fmt.Sprintf("CREATE TABLE %q(%s)", t.name, strings.Join(lines, ", ")))
	return s
}

func (s *sqliteRows[T]) write(rows []T) error {
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		for _, c := range s.columns {
			f := v.FieldByIndex(c.index)
			switch {
			case c.optional && f.IsZero():
				s.to.Null()
			case c.kind == kindInt:
				s.to.Int(f.Int())
			case c.kind == kindUint:
				s.to.Int(int64(f.Uint())) // SQLite has no unsigned numbers
			case c.kind == kindBool && f.Bool():
				s.to.Int(1)
			case c.kind == kindBool:
				s.to.Int(0)
			default:
				s.to.Text(strings.ToValidUTF8(f.String(), "\uFFFD"))
			}
		}
		s.to.End()
	}
	return s.of.Err()
}

func (s *sqliteRows[T]) close() error { return s.of.Err() }

// finishDatabase writes the table "trace" (where the trace comes from and what it lacks) and the views, and completes
// the database.
func finishDatabase(d *sqlite.Database, t *analyze.Trace, events int64) error {
	text, err := json.Marshal(summaryOf(t, events))
	if err != nil {
		return err
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	about := d.Table("trace", "CREATE TABLE trace(name TEXT NOT NULL, value TEXT)")
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == "table" {
			continue
		}
		value, is := values[name].(string)
		if !is {
			line, err := json.Marshal(values[name])
			if err != nil {
				return err
			}
			value = string(line)
		}
		about.Text(name)
		about.Text(strings.ToValidUTF8(value, "\uFFFD"))
		about.End()
	}
	for _, q := range docs.Queries() {
		name := viewNames[q.Name]
		if name == "" {
			return fmt.Errorf("the query %s of docs/sql has no name as a view", q.Name)
		}
		d.View(name, fmt.Sprintf("CREATE VIEW %q AS\n%s", name, q.Text))
	}
	return d.Close()
}
