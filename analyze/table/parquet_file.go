package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetMagic is the marker at the begin and at the end of each Parquet file.
const parquetMagic = "PAR1"

// compression is zstd's fastest level. The encodings already pack numbers, so slower levels gain little.
var compression = zstd.Codec{Level: zstd.SpeedFastest}

// rawGroups is for how many row groups a column stays uncompressed after compression failed to shorten it. Trying
// each time would be slow: of 104 MB for 10⁷ calls, 71 MB are packed times, which zstd cannot shorten.
const rawGroups = 15

// A parquetFile writes row groups to a file. Each column of a row group has one page of values and, if it has texts,
// a dictionary.
type parquetFile struct {
	to      io.WriteCloser
	written int64
	about   format.FileMetaData
	chunk   bytes.Buffer // the current column's data
	page    []byte
	packed  []byte
	levels  []byte
	began   bool
}

// newParquetFile begins a file. It takes the file's description from a file without rows that parquet-go makes.
func newParquetFile(w io.WriteCloser, schema *parquet.Schema) *parquetFile {
	empty := parquet.NewGenericWriter[any](io.Discard, schema, parquet.CreatedBy("mtrace", "", ""))
	if err := empty.Close(); err != nil {
		panic(err) // a file without rows cannot fail
	}
	about := *empty.File().Metadata()
	about.Schema = signed(about.Schema)
	return &parquetFile{to: w, about: about}
}

// signed returns a schema in which unsigned columns are signed, with the same bits. Spark has no unsigned numbers and
// would read them as decimals.
func signed(schema []format.SchemaElement) []format.SchemaElement {
	schema = slices.Clone(schema)
	for i := range schema {
		if number, is := schema[i].LogicalType.Value.(*format.IntType); is && !number.IsSigned {
			schema[i].LogicalType.Value = &format.IntType{BitWidth: number.BitWidth, IsSigned: true}
			schema[i].ConvertedType = thrift.New(deprecated.Int64)
		}
	}
	return schema
}

func (f *parquetFile) write(b []byte) error {
	n, err := f.to.Write(b)
	f.written += int64(n)
	return err
}

// begin writes the marker at the file's begin, unless that was done before.
func (f *parquetFile) begin() error {
	if f.began {
		return nil
	}
	f.began = true
	return f.write([]byte(parquetMagic))
}

// group writes a row group.
func (f *parquetFile) group(columns []*parquetColumn, rows int) error {
	if err := f.begin(); err != nil {
		return err
	}
	if len(f.about.RowGroups) == parquet.MaxRowGroups {
		return parquet.ErrTooManyRowGroups
	}
	g := format.RowGroup{NumRows: int64(rows), FileOffset: f.written, Ordinal: int16(len(f.about.RowGroups))}
	for _, c := range columns {
		chunk, err := f.column(c, rows)
		if err != nil {
			return err
		}
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: chunk})
		g.TotalByteSize += chunk.TotalUncompressedSize
		g.TotalCompressedSize += chunk.TotalCompressedSize
	}
	f.about.RowGroups = append(f.about.RowGroups, g)
	f.about.NumRows += g.NumRows
	return nil
}

// column writes one column of a row group and returns its description.
func (f *parquetFile) column(c *parquetColumn, rows int) (format.ColumnMetaData, error) {
	kind := kindFormats[c.kind]
	about := format.ColumnMetaData{
		Type: kind.physical, PathInSchema: []string{c.name}, Codec: format.Zstd, NumValues: int64(rows),
		Statistics: c.statistics(rows),
	}
	f.chunk.Reset()
	if c.kind == kindText {
		about.DictionaryPageOffset = f.written
		about.Encoding = append(about.Encoding, format.Plain)
		f.page = c.texts.appendTo(f.page[:0])
		header := format.PageHeader{Type: format.DictionaryPage}
		header.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: int32(len(c.texts.list)),
			Encoding: format.Plain})
		var err error
		if f.packed, err = compression.Encode(f.packed[:0], f.page); err != nil {
			return about, err
		}
		if err := f.addPage(&about, header, format.Plain, f.packed); err != nil {
			return about, err
		}
	}
	about.DataPageOffset = f.written + int64(f.chunk.Len())
	f.levels = f.levels[:0]
	if c.optional {
		about.Encoding = append(about.Encoding, format.RLE)
		var err error
		if f.levels, err = levelsEncoding.EncodeLevels(f.levels, c.levels); err != nil {
			return about, err
		}
	}
	about.Encoding = append(about.Encoding, kind.encoding)
	var err error
	if f.page, err = c.encode(f.page[:0]); err != nil {
		return about, err
	}
	body, compressed, err := f.pack(c)
	if err != nil {
		return about, err
	}
	header := format.PageHeader{Type: format.DataPageV2}
	header.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: int32(rows),
		NumNulls: int32(about.Statistics.NullCount), NumRows: int32(rows),
		Encoding: kind.encoding, DefinitionLevelsByteLength: int32(len(f.levels)),
		IsCompressed: thrift.New(compressed)})
	if err := f.addPage(&about, header, kind.encoding, body); err != nil {
		return about, err
	}
	return about, f.write(f.chunk.Bytes())
}

// pack returns the page with a column's values, compressed if that makes it shorter.
func (f *parquetFile) pack(c *parquetColumn) (body []byte, compressed bool, err error) {
	if c.raw > 0 {
		c.raw--
		return f.page, false, nil
	}
	if f.packed, err = compression.Encode(f.packed[:0], f.page); err != nil {
		return nil, false, err
	}
	if len(f.packed) >= len(f.page) {
		c.raw = rawGroups
		return f.page, false, nil
	}
	return f.packed, true, nil
}

// addPage adds a page to the current column: a header and a body. A page of values also has levels, which say which
// values are null; levels are never compressed.
func (f *parquetFile) addPage(about *format.ColumnMetaData, header format.PageHeader, encoding format.Encoding,
	body []byte) error {
	var levels []byte
	if header.Type != format.DictionaryPage {
		levels = f.levels
	}
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(levels)+len(f.page)),
		int32(len(levels)+len(body))
	header.CRC = int32(crc32.Update(crc32.ChecksumIEEE(levels), crc32.IEEETable, body))
	begin := f.chunk.Len()
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&f.chunk)).Encode(&header); err != nil {
		return err
	}
	size := int64(f.chunk.Len() - begin)
	f.chunk.Write(levels)
	f.chunk.Write(body)
	about.TotalUncompressedSize += size + int64(header.UncompressedPageSize)
	about.TotalCompressedSize += size + int64(header.CompressedPageSize)
	about.EncodingStats = append(about.EncodingStats, format.PageEncodingStats{PageType: header.Type,
		Encoding: encoding, Count: 1})
	return nil
}

// close closes the file. It first writes the file's footer, unless an error (failed) occurred before.
func (f *parquetFile) close(failed error) error {
	if failed == nil {
		failed = f.end()
	}
	return errors.Join(failed, f.to.Close())
}

func (f *parquetFile) end() error {
	if err := f.begin(); err != nil {
		return err
	}
	f.chunk.Reset()
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&f.chunk)).Encode(&f.about); err != nil {
		return err
	}
	length := binary.LittleEndian.AppendUint32(nil, uint32(f.chunk.Len()))
	f.chunk.Write(length)
	f.chunk.WriteString(parquetMagic)
	return f.write(f.chunk.Bytes())
}
