package table

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// kind is the type of a column.
type kind uint8

const (
	kindInt kind = iota
	kindUint
	kindText
	kindBool
)

var kindNames = [...]string{kindInt: "integer", kindUint: "integer", kindText: "string", kindBool: "boolean"}

// A column is one field of a row struct. Its name comes from the field's parquet tag. An optional column is null if
// the field is zero: the event did not happen, or the value is not known.
type column struct {
	name     string
	doc      string
	kind     kind
	optional bool
	index    []int   // for reflect.Value.FieldByIndex
	offset   uintptr // in the row struct
}

// columnsOf returns the columns of a row struct. Fields of embedded structs are columns too.
func columnsOf(row reflect.Type) []column { return appendColumns(nil, row, nil, 0) }

func appendColumns(columns []column, row reflect.Type, path []int, offset uintptr) []column {
	for i := range row.NumField() {
		f := row.Field(i)
		index := append(slices.Clip(path), i)
		if f.Anonymous {
			columns = appendColumns(columns, f.Type, index, offset+f.Offset)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		c := column{name: name, doc: cmp.Or(f.Tag.Get("doc"), longDocs[row.Name()+"."+f.Name]), index: index,
			offset: offset + f.Offset, optional: strings.Contains(options, "optional")}
		switch f.Type.Kind() {
		case reflect.Int64:
			c.kind = kindInt
		case reflect.Uint64:
			c.kind = kindUint
		case reflect.String:
			c.kind = kindText
		case reflect.Bool:
			c.kind = kindBool
		default:
			panic(fmt.Sprintf("table: column %s has type %v", name, f.Type))
		}
		columns = append(columns, c)
	}
	return columns
}
