package otlp

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// A dictionary stores each string, function, location and stack once, so that profiles refer to it by index, as
// OpenTelemetry's format requires. Index 0 of each table means none.
type dictionary struct {
	tables     *profiles.ProfilesDictionary
	strings    map[string]int32
	mappings   map[*profile.Mapping]int32
	functions  map[*profile.Function]int32
	locations  map[*profile.Location]int32
	stacks     map[string]int32
	attributes map[string]int32
}

func newDictionary() *dictionary {
	return &dictionary{
		tables: &profiles.ProfilesDictionary{
			MappingTable: []*profiles.Mapping{{}}, LocationTable: []*profiles.Location{{}},
			FunctionTable: []*profiles.Function{{}}, LinkTable: []*profiles.Link{{}},
			StringTable: []string{""}, AttributeTable: []*profiles.KeyValueAndUnit{{}},
			StackTable: []*profiles.Stack{{}},
		},
		strings: map[string]int32{"": 0}, mappings: map[*profile.Mapping]int32{nil: 0},
		functions: map[*profile.Function]int32{nil: 0},
		locations: map[*profile.Location]int32{}, stacks: map[string]int32{"": 0}, attributes: map[string]int32{},
	}
}

// add appends an element to a table and returns the element's index.
func add[T any](table *[]T, one T) int32 {
	*table = append(*table, one)
	return int32(len(*table) - 1)
}

// valid replaces bytes that are not valid UTF-8: protobuf refuses to encode a message that contains them.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func (d *dictionary) text(s string) int32 {
	s = valid(s)
	at, known := d.strings[s]
	if !known {
		at = add(&d.tables.StringTable, s)
		d.strings[s] = at
	}
	return at
}

func (d *dictionary) mapping(m *profile.Mapping) int32 {
	at, known := d.mappings[m]
	if !known {
		at = add(&d.tables.MappingTable, &profiles.Mapping{MemoryStart: m.Start, MemoryLimit: m.Limit,
			FileOffset: m.Offset, FilenameStrindex: d.text(m.File)})
		d.mappings[m] = at
	}
	return at
}

func (d *dictionary) function(f *profile.Function) int32 {
	at, known := d.functions[f]
	if !known {
		at = add(&d.tables.FunctionTable, &profiles.Function{NameStrindex: d.text(f.Name),
			SystemNameStrindex: d.text(f.SystemName), FilenameStrindex: d.text(f.Filename), StartLine: f.StartLine})
		d.functions[f] = at
	}
	return at
}

func (d *dictionary) location(l *profile.Location) int32 {
	at, known := d.locations[l]
	if !known {
		one := &profiles.Location{MappingIndex: d.mapping(l.Mapping), Address: l.Address}
		for _, line := range l.Line {
			one.Lines = append(one.Lines, &profiles.Line{FunctionIndex: d.function(line.Function), Line: line.Line,
				Column: line.Column})
		}
		at = add(&d.tables.LocationTable, one)
		d.locations[l] = at
	}
	return at
}

// stack returns the index of a stack. Locations are innermost first, as in both pprof and OpenTelemetry.
func (d *dictionary) stack(list []*profile.Location) int32 {
	one := &profiles.Stack{}
	var key []byte
	for _, l := range list {
		at := d.location(l)
		one.LocationIndices = append(one.LocationIndices, at)
		key = binary.AppendVarint(key, int64(at))
	}
	at, known := d.stacks[string(key)]
	if !known {
		at = add(&d.tables.StackTable, one)
		d.stacks[string(key)] = at
	}
	return at
}

func (d *dictionary) attribute(name string, value *common.AnyValue, unit string) int32 {
	one := &profiles.KeyValueAndUnit{KeyStrindex: d.text(name), Value: value, UnitStrindex: d.text(unit)}
	key, err := proto.MarshalOptions{Deterministic: true}.Marshal(one)
	at, known := d.attributes[string(key)]
	if !known || err != nil {
		at = add(&d.tables.AttributeTable, one)
		d.attributes[string(key)] = at
	}
	return at
}

// labels returns the indices of a sample's labels as attributes. An attribute name must occur once, so a label with
// several values becomes a list.
func (d *dictionary) labels(s *profile.Sample) (list []int32) {
	names := slices.Collect(maps.Keys(s.Label))
	names = slices.AppendSeq(names, maps.Keys(s.NumLabel))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		var values []*common.AnyValue
		for _, v := range s.Label[name] {
			values = append(values, text(v))
		}
		for _, v := range s.NumLabel[name] {
			values = append(values, &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: v}})
		}
		unit := ""
		if units := s.NumUnit[name]; len(units) > 0 {
			unit = units[0]
		}
		if len(values) > 0 {
			list = append(list, d.attribute(name, oneOrList(values), unit))
		}
	}
	return list
}

func oneOrList(values []*common.AnyValue) *common.AnyValue {
	if len(values) == 1 {
		return values[0]
	}
	return &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: values}}}
}
