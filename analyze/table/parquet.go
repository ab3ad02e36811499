package table

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// rowsPerGroup bounds what is held in memory of a table, and is what a reader takes in at a time.
const rowsPerGroup = 1 << 16

type parquetRows[T any] struct {
	file   io.WriteCloser
	writer *parquet.GenericWriter[T]
	texts  []int // fields that are texts
}

func newParquetRows[T any](w io.WriteCloser) *parquetRows[T] {
	p := &parquetRows[T]{file: w, writer: parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.CreatedBy("mtrace", "", ""))}
	for _, c := range columnsOf(reflect.TypeFor[T]()) {
		if c.kind == kindText {
			p.texts = append(p.texts, c.index)
		}
	}
	return p
}

func (p *parquetRows[T]) write(rows []T) error {
	for i := range rows { // readers refuse texts that are not UTF-8, and labels are the program's
		row := reflect.ValueOf(&rows[i]).Elem()
		for _, at := range p.texts {
			if f := row.Field(at); !utf8.ValidString(f.String()) {
				f.SetString(strings.ToValidUTF8(f.String(), "\uFFFD"))
			}
		}
	}
	_, err := p.writer.Write(rows)
	return err
}

func (p *parquetRows[T]) close() error { return errors.Join(p.writer.Close(), p.file.Close()) }
