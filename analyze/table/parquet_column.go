package table

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
	"github.com/parquet-go/parquet-go/sparse"
)

// A parquetColumn collects one column of the current row group. Numbers are encoded as bit-packed differences, texts
// as indexes into a dictionary.
type parquetColumn struct {
	column
	levels  []byte  // for an optional column, a byte per row: 1, or 0 where it has no value
	numbers []int64 // the values, unsigned ones by their bits
	bools   []byte  // bits
	yes     int     // how many of the bools are true
	count   int
	indexes []int32 // dictionary indexes of the texts
	texts   dictionary
	raw     int // number of row groups for which compression is skipped
}

// add appends this column's values of some rows.
func (c *parquetColumn) add(rows sparse.Array) {
	switch c.kind {
	case kindInt, kindUint:
		c.addNumbers(rows.Int64Array())
	case kindText:
		c.addTexts(rows.StringArray())
	case kindBool:
		c.addBools(rows.BoolArray())
	}
}

func (c *parquetColumn) addNumbers(rows sparse.Int64Array) {
	begin := len(c.numbers)
	c.numbers = grown(c.numbers, rows.Len())
	sparse.GatherInt64(c.numbers[begin:], rows)
	if !c.optional {
		return
	}
	levels, kept := len(c.levels), begin
	c.levels = grown(c.levels, rows.Len())
	for i, v := range c.numbers[begin:] { // without a branch, because the positions of nulls are unpredictable
		c.numbers[kept] = v
		there := 0
		if v != 0 {
			there = 1
		}
		c.levels[levels+i] = byte(there)
		kept += there
	}
	c.numbers = c.numbers[:kept]
}

func (c *parquetColumn) addTexts(rows sparse.StringArray) {
	for i := range rows.Len() {
		text := rows.Index(i)
		if c.optional {
			if text == "" {
				c.levels = append(c.levels, 0)
				continue
			}
			c.levels = append(c.levels, 1)
		}
		c.indexes = append(c.indexes, c.texts.index(text))
	}
}

func (c *parquetColumn) addBools(rows sparse.BoolArray) {
	for i := range rows.Len() {
		is := rows.Index(i)
		if c.optional {
			if !is {
				c.levels = append(c.levels, 0)
				continue
			}
			c.levels = append(c.levels, 1)
		}
		c.bools = plain.AppendBoolean(c.bools, c.count, is)
		c.count++
		if is {
			c.yes++
		}
	}
}

// grown returns a slice that is n elements longer. The caller must set the new elements, whose content is undefined.
func grown[E any](s []E, n int) []E {
	if len(s)+n > cap(s) {
		s = append(make([]E, 0, max(len(s)+n, min(4*cap(s), rowsPerGroup))), s...)
	}
	return s[:len(s)+n]
}

func (c *parquetColumn) reset() {
	c.levels, c.numbers, c.bools, c.indexes = c.levels[:0], c.numbers[:0], c.bools[:0], c.indexes[:0]
	c.yes, c.count = 0, 0
	c.texts.reset()
}

// values returns the number of rows of the row group in which the column is not null.
func (c *parquetColumn) values() int { return len(c.numbers) + len(c.indexes) + c.count }

// The encodings of columns.
var (
	numbersEncoding delta.BinaryPackedEncoding
	textsEncoding   rle.DictionaryEncoding
	levelsEncoding  = rle.Encoding{BitWidth: 1}
)

// kindFormats has the Parquet type and encoding for each kind of column.
var kindFormats = [...]struct {
	physical format.Type
	encoding format.Encoding
}{
	kindInt:  {format.Int64, format.DeltaBinaryPacked},
	kindUint: {format.Int64, format.DeltaBinaryPacked},
	kindText: {format.ByteArray, format.RLEDictionary},
	kindBool: {format.Boolean, format.Plain},
}

// encode appends the encoded values.
func (c *parquetColumn) encode(dst []byte) ([]byte, error) {
	switch c.kind {
	case kindText:
		return textsEncoding.EncodeInt32(dst, c.indexes)
	case kindBool:
		return append(dst[:0], c.bools...), nil
	}
	return numbersEncoding.EncodeInt64(dst, c.numbers)
}

// statistics returns minimum, maximum and number of nulls in the row group. Readers skip row groups by them.
func (c *parquetColumn) statistics(rows int) format.Statistics {
	s := format.Statistics{NullCount: int64(rows - c.values())}
	if c.values() == 0 {
		return s
	}
	switch c.kind {
	case kindInt, kindUint:
		least, most := c.numbers[0], c.numbers[0]
		for _, v := range c.numbers {
			least, most = min(least, v), max(most, v)
		}
		s.MinValue, s.MaxValue = plain.Int64(least), plain.Int64(most)
	case kindBool:
		s.MinValue, s.MaxValue = plain.Boolean(c.yes == c.count), plain.Boolean(c.yes > 0)
	case kindText:
		s.MinValue, s.MaxValue = []byte(slices.Min(c.texts.list)), []byte(slices.Max(c.texts.list))
	}
	return s
}

// A dictionary assigns numbers to the different texts of a column, in the order in which they first occur.
type dictionary struct {
	numbers map[string]int32
	list    []string
	recent  [64]struct { // cache: most texts occurred a few rows ago
		text   string
		number int32
	}
}

// index returns the number of a text and adds the text if it is new. Bytes that are not UTF-8 are replaced: texts
// come from the traced program, and readers reject invalid ones.
func (d *dictionary) index(text string) int32 {
	slot := 0
	if n := len(text); n > 0 {
		slot = (n*5 + int(text[0]) + int(text[n-1])*3 + int(text[n/2])*7) % len(d.recent)
	}
	recent := &d.recent[slot]
	if recent.text == text && text != "" {
		return recent.number
	}
	number, known := d.numbers[text]
	if !known {
		if valid := strings.ToValidUTF8(text, "\uFFFD"); valid != text {
			number = d.index(valid)
		} else {
			number = int32(len(d.list))
			d.list = append(d.list, text)
		}
		if d.numbers == nil {
			d.numbers = map[string]int32{}
		}
		d.numbers[text] = number
	}
	recent.text, recent.number = text, number
	return number
}

// appendTo appends the encoded texts in the order of their numbers.
func (d *dictionary) appendTo(b []byte) []byte {
	for _, text := range d.list {
		b = plain.AppendByteArrayString(b, text)
	}
	return b
}

func (d *dictionary) reset() { *d = dictionary{list: d.list[:0]} }
