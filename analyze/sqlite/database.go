// Package sqlite writes SQLite 3 databases of tables and views, row by row. It only appends, so memory grows by only a
// few bytes per page. The format is described at https://www.sqlite.org/fileformat2.html.
package sqlite

import (
	"encoding/binary"
	"errors"
	"io"
)

// Sizes and numbers of the format.
const (
	pageSize      = 16384
	headerSize    = 100                // of the file's header, on page 1
	lockedPage    = 1<<30/pageSize + 1 // the page that systems lock, which must stay empty
	schemaFormat  = 4
	encodingUTF8  = 1
	versionNumber = 3040000 // the SQLite version named as the writer

	leafTable     = 13
	interiorTable = 5
)

// A Database is an SQLite file that is being written. Only Close makes it a valid database.
type Database struct {
	to     io.WriterAt
	pages  uint32 // number of pages assigned so far; page 1 has the schema
	schema []object
	err    error
}

// An object is one row of the database's schema: a table or a view.
type object struct {
	kind, name, create string
	of                 *Table // nil for a view
}

// New begins a database in a file, which must be empty.
func New(to io.WriterAt) *Database { return &Database{to: to, pages: 1} }

// Table adds a table to the database; `create` is its CREATE TABLE statement.
func (d *Database) Table(name, create string) *Table {
	t := &Table{of: d}
	d.schema = append(d.schema, object{"table", name, create, t})
	return t
}

// View adds a view to the database; `create` is its CREATE VIEW statement.
func (d *Database) View(name, create string) {
	d.schema = append(d.schema, object{"view", name, create, nil})
}

// Err returns the first write error.
func (d *Database) Err() error { return d.err }

// next assigns a new page and returns its number. It leaves out the page with SQLite's lock bytes, which must not be
// used.
func (d *Database) next() uint32 {
	d.pages++
	if d.pages == lockedPage {
		d.pages++
	}
	return d.pages
}

// put writes a page.
func (d *Database) put(number uint32, page []byte) {
	if d.err == nil {
		_, d.err = d.to.WriteAt(page, int64(number-1)*pageSize)
	}
}

// Close writes the remaining rows of all tables and then the schema on page 1, which completes the file.
func (d *Database) Close() error {
	master := &Table{of: d, page: page{start: headerSize}}
	for i := range d.schema {
		o := &d.schema[i]
		root := int64(0)
		if o.of != nil {
			root = int64(o.of.finish())
		}
		master.Text(o.kind)
		master.Text(o.name)
		master.Text(o.name)
		master.Int(root)
		master.Text(o.create)
		master.End()
	}
	if len(master.full) > 0 {
		return errors.New("the statements that create the tables and views do not fit on the database's first page")
	}
	text := master.page.encode(leafTable, 0)
	copy(text, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(text[16:], pageSize)
	text[18], text[19], text[21], text[22], text[23] = 1, 1, 64, 32, 32
	for at, n := range map[int]uint32{24: 1, 28: d.pages, 40: 1, 44: schemaFormat, 56: encodingUTF8, 92: 1,
		96: versionNumber} {
		binary.BigEndian.PutUint32(text[at:], n)
	}
	d.put(1, text)
	return d.err
}
