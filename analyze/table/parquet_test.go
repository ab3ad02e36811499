package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// everyKind is a row with columns of every kind.
type everyKind struct {
	Int       int64  `parquet:"int"`
	MaybeInt  int64  `parquet:"maybe_int,optional"`
	Uint      uint64 `parquet:"uint"`
	MaybeUint uint64 `parquet:"maybe_uint,optional"`
	Text      string `parquet:"text"`
	MaybeText string `parquet:"maybe_text,optional"`
	Bool      bool   `parquet:"bool"`
	MaybeBool bool   `parquet:"maybe_bool,optional"`
	Never     int64  `parquet:"never,optional"`
	NoText    string `parquet:"no_text,optional"`
	NoBool    bool   `parquet:"no_bool,optional"`
}

func drawRows(n int) []everyKind {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := []int64{0, 0, 1, -1, math.MinInt64, math.MaxInt64, 1 << 40}
	texts := []string{"", "", "a", "commit", "café", "a\xffb", "a\xc3b", "a\uFFFDb", strings.Repeat("long", 300)}
	rows := make([]everyKind, n)
	for i := range rows {
		number := func() int64 { return numbers[random.IntN(len(numbers))] + int64(random.IntN(2))*int64(i) }
		text := func() string {
			if random.IntN(4) == 0 {
				return fmt.Sprintf("text %d", random.IntN(n))
			}
			return texts[random.IntN(len(texts))]
		}
		yes := func() bool { return random.IntN(3) == 0 }
		rows[i] = everyKind{Int: number(), MaybeInt: number(), Uint: uint64(number()), MaybeUint: uint64(number()),
			Text: text(), MaybeText: text(),
			Bool: yes(), MaybeBool: yes()}
	}
	return rows
}

type inMemory struct{ bytes.Buffer }

func (*inMemory) Close() error { return nil }

// allSigned is everyKind as a file stores it: unsigned values have the same bits as signed ones.
type allSigned struct {
	Int       int64  `parquet:"int"`
	MaybeInt  int64  `parquet:"maybe_int,optional"`
	Uint      int64  `parquet:"uint"`
	MaybeUint int64  `parquet:"maybe_uint,optional"`
	Text      string `parquet:"text"`
	MaybeText string `parquet:"maybe_text,optional"`
	Bool      bool   `parquet:"bool"`
	MaybeBool bool   `parquet:"maybe_bool,optional"`
	Never     int64  `parquet:"never,optional"`
	NoText    string `parquet:"no_text,optional"`
	NoBool    bool   `parquet:"no_bool,optional"`
}

func (r everyKind) signed() allSigned {
	return allSigned{r.Int, r.MaybeInt, int64(r.Uint), int64(r.MaybeUint), r.Text, r.MaybeText, r.Bool, r.MaybeBool,
		r.Never, r.NoText, r.NoBool}
}

// TestParquetIsThatOfTheLibrary: a file has the schema, the rows and the statistics of one that parquet-go's own writer
// makes, with any number of row groups.
func TestParquetIsThatOfTheLibrary(t *testing.T) {
	for _, n := range []int{0, 1, batch + 1, rowsPerGroup, rowsPerGroup + 1000} {
		rows := drawRows(n)
		var ours, theirs inMemory
		w := newParquetRows[everyKind](&ours)
		for at := 0; at < n; at += batch {
			if err := w.write(rows[at:min(n, at+batch)]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			for _, text := range []*string{&rows[i].Text, &rows[i].MaybeText} {
				*text = strings.ToValidUTF8(*text, "\uFFFD")
			}
		}
		want := make([]allSigned, n)
		for i, r := range rows {
			want[i] = r.signed()
		}
		library := parquet.NewGenericWriter[allSigned](&theirs,
			parquet.NewSchema("everyKind", parquet.SchemaOf(allSigned{})), parquet.MaxRowsPerRowGroup(rowsPerGroup),
			parquet.CreatedBy("mtrace", "", ""))
		if _, err := library.Write(want); err != nil {
			t.Fatal(err)
		}
		if err := library.Close(); err != nil {
			t.Fatal(err)
		}
		file, other := openParquet(t, &ours), openParquet(t, &theirs)
		if g, w := file.Metadata(), other.Metadata(); !reflect.DeepEqual(g.Schema, w.Schema) || g.CreatedBy != w.CreatedBy ||
			g.NumRows != w.NumRows ||
			!reflect.DeepEqual(g.ColumnOrders, w.ColumnOrders) || len(g.RowGroups) != len(w.RowGroups) {
			t.Fatalf("%d rows: %+v, the library's is %+v", n, g, w)
		}
		for i, group := range other.Metadata().RowGroups {
			for k, column := range group.Columns {
				g, w := file.Metadata().RowGroups[i].Columns[k].MetaData, column.MetaData
				if g.Type != w.Type || g.Codec != parquet.Zstd.CompressionCodec() || g.NumValues != w.NumValues ||
					!reflect.DeepEqual(g.PathInSchema, w.PathInSchema) ||
					!reflect.DeepEqual(g.Statistics, w.Statistics) {
					t.Errorf("%d rows, group %d: %+v, the library's is %+v", n, i, g, w)
				}
			}
		}
		read, err := parquet.Read[allSigned](bytes.NewReader(ours.Bytes()), int64(ours.Len()))
		if err != nil || len(read) != n {
			t.Fatalf("%d rows: read %d, %v", n, len(read), err)
		}
		for i := range rows {
			if read[i] != want[i] {
				t.Fatalf("%d rows: row %d is %+v, not %+v", n, i, read[i], want[i])
			}
		}
	}
}

func openParquet(t *testing.T, b *inMemory) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPagesThatDoNotShrink: if zstd does not make a column smaller, the column stays uncompressed for some row groups
// and is then tried again. A column that shrinks is compressed everywhere. Readers find the same numbers in both.
func TestPagesThatDoNotShrink(t *testing.T) {
	type row struct {
		Noise int64 `parquet:"noise"` // but for the last row groups
		Flat  int64 `parquet:"flat"`
	}
	const groups = rawGroups + 3
	random := rand.New(rand.NewPCG(3, 4))
	rows := make([]row, groups*rowsPerGroup)
	for i := range rows {
		rows[i].Flat = int64(i / 1000)
		if i < rowsPerGroup {
			rows[i].Noise = random.Int64()
		}
	}
	var b inMemory
	w := newParquetRows[row](&b)
	if err := w.write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	for i, group := range openParquet(t, &b).Metadata().RowGroups {
		for k, column := range group.Columns {
			header := new(format.PageHeader)
			in := bytes.NewReader(b.Bytes()[column.MetaData.DataPageOffset:])
			if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(in)).Decode(header); err != nil {
				t.Fatal(err)
			}
			raw := k == 0 && i <= rawGroups
			if got := !header.DataPageHeaderV2.V.IsCompressed.V; got != raw {
				t.Errorf("row group %d, column %d: left as it is: %v", i, k, got)
			}
		}
	}
	read, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || !slices.Equal(read, rows) {
		t.Fatal("other rows than were written: ", len(read), err)
	}
}
