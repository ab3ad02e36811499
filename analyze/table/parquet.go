package table

import (
	"io"
	"reflect"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/sparse"
)

// rowsPerGroup is the number of rows per row group. It limits the memory of the writer and of readers, which hold one
// row group at a time.
const rowsPerGroup = 1 << 16

// parquetRows writes a table as Parquet. It splits rows into columns itself: parquet-go's own writer passes on 64
// rows at a time and took three times as long. Schema, encodings, headers and compression come from parquet-go.
type parquetRows[T any] struct {
	file    *parquetFile
	columns []*parquetColumn
	rows    int // number of rows in the columns
}

func newParquetRows[T any](w io.WriteCloser) *parquetRows[T] {
	p := &parquetRows[T]{file: newParquetFile(w, parquet.SchemaOf(new(T)))}
	for _, c := range columnsOf(reflect.TypeFor[T]()) {
		p.columns = append(p.columns, &parquetColumn{column: c})
	}
	return p
}

func (p *parquetRows[T]) write(rows []T) error {
	for len(rows) > 0 {
		n := min(len(rows), rowsPerGroup-p.rows)
		batch := sparse.UnsafeArray(unsafe.Pointer(unsafe.SliceData(rows)), n, unsafe.Sizeof(rows[0]))
		for _, c := range p.columns {
			c.add(batch.Offset(c.offset))
		}
		rows, p.rows = rows[n:], p.rows+n
		if p.rows == rowsPerGroup {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the row group.
func (p *parquetRows[T]) flush() error {
	if p.rows == 0 {
		return nil
	}
	err := p.file.group(p.columns, p.rows)
	for _, c := range p.columns {
		c.reset()
	}
	p.rows = 0
	return err
}

func (p *parquetRows[T]) close() error {
	err := p.flush()
	p.columns = nil
	return p.file.close(err)
}
