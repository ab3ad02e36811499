package table

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
)

// rowsPerGroup bounds what is held in memory of a table, and is what a reader takes in at a time.
const rowsPerGroup = 1 << 16

type parquetRows[T any] struct {
	file   io.WriteCloser
	writer *parquet.GenericWriter[T]
}

func newParquetRows[T any](w io.WriteCloser) *parquetRows[T] {
	return &parquetRows[T]{w, parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.CreatedBy("mtrace", "", ""))}
}

func (p *parquetRows[T]) write(rows []T) error {
	_, err := p.writer.Write(rows)
	return err
}

func (p *parquetRows[T]) close() error { return errors.Join(p.writer.Close(), p.file.Close()) }
