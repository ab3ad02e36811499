package xctrace

import (
	"encoding/binary"
	"math"
)

// A kind defines how the text and the children of a value are read. Each of Apple's engineering types, such as
// duration or thread, has a kind.
type kind uint8

const (
	kindOpaque    kind = iota // known by its id; its content is not kept
	kindSentinel              // <sentinel/>: no value
	kindNumber                // unsigned decimal
	kindDecimal               // decimal fraction
	kindText                  // text
	kindPhrase                // text that only joins the parts of a label
	kindAddresses             // return addresses separated by spaces, leaf first
	kindLabel                 // text and typed parts in sequence; this and all later kinds have children
	kindProcess               // pid
	kindThread                // tid, process
	kindFrame                 // one frame of a call stack, in attributes
	kindBinary                // the library or program of a frame
	kindSource                // the line of a frame, with the file's path
	kindBacktrace             // frames, leaf first
	kindSample                // a call stack by addresses only (kperf)
)

// engineeringTypes are the engineering types whose values mtrace reads. null is the number that means "no value", as
// <sentinel/> does; noNull if the type has no such number. The numbers of the first block are from Apple's reference
// of engineering types. Those of the identifiers are from real exports, in which cells with these numbers display
// "none" or an empty text.
var engineeringTypes = []struct {
	name string
	kind kind
	null uint64
}{
	{"sentinel", kindSentinel, noNull},

	{"start-time", kindNumber, noPoint},
	{"event-time", kindNumber, noPoint},
	{"sample-time", kindNumber, noPoint},
	{"duration", kindNumber, 0},
	{"weight", kindNumber, 0},
	{"cycle-weight", kindNumber, 0},
	{"boolean", kindNumber, 3},
	{"pid", kindNumber, 131071},
	{"tid", kindNumber, math.MaxUint64},
	{"core", kindNumber, 65535},
	{"uint32", kindNumber, math.MaxUint32},
	{"uint64", kindNumber, math.MaxUint64},
	{"size-in-bytes", kindNumber, math.MaxUint64},
	{"render-buffer-depth", kindNumber, math.MaxUint32},
	{"gpu-frame-number", kindNumber, math.MaxUint32},

	{"metal-command-buffer-id", kindNumber, math.MaxUint64},
	{"metal-encoder-id", kindNumber, math.MaxUint64},
	{"gpu-hardware-trace", kindNumber, math.MaxUint64},
	{"connection-uuid64", kindNumber, math.MaxUint64},
	{"metal-nesting-level", kindNumber, math.MaxUint32},
	{"metal-workload-priority", kindNumber, math.MaxUint32},
	{"text-address", kindNumber, noNull},
	{"register-content", kindNumber, noNull},
	{"os-signpost-identifier", kindText, noNull},
	{"mach-absolute-time", kindNumber, noNull},

	{"fixed-decimal", kindDecimal, noNull},
	{"percent", kindDecimal, noNull},
	{"system-cpu-percent", kindDecimal, noNull},

	{"string", kindText, noNull},
	{"short-string", kindText, noNull},
	{"metal-object-label", kindText, noNull},
	{"metal-device-name", kindText, noNull},
	{"metal-event-name", kindText, noNull},
	{"gpu-channel-name", kindText, noNull},
	{"gpu-driver-name", kindText, noNull},
	{"gpu-state", kindText, noNull},
	{"gpu-performance-state", kindText, noNull},
	{"gpu-event-name", kindText, noNull},
	{"gpu-counter-name", kindText, noNull},
	{"gpu-memory-event-name", kindText, noNull},
	{"pmc-event", kindText, noNull},
	{"signpost-name", kindText, noNull},
	{"subsystem", kindText, noNull},
	{"category", kindText, noNull},
	{"os-log-metadata", kindText, noNull},
	{"event-type", kindText, noNull},
	{"thread-state", kindText, noNull},
	{"time-sample-kind", kindNumber, noNull},
	{"narrative-text", kindPhrase, noNull},

	{"formatted-label", kindLabel, noNull},
	{"narrative", kindLabel, noNull},
	{"process", kindProcess, noNull},
	{"thread", kindThread, noNull},
	{"frame", kindFrame, noNull},
	{"binary", kindBinary, noNull},
	{"source", kindSource, noNull},
	{"path", kindText, noNull},
	{"backtrace", kindBacktrace, noNull},
	{"tagged-backtrace", kindBacktrace, noNull},
	{"text-backtrace", kindBacktrace, noNull},
	{"text-addresses", kindAddresses, noNull},
	{"kperf-bt", kindSample, noNull},
}

// noNull stands for a type without a number that means "no value". No type uses this number.
const noNull = math.MaxUint64 - 1

// tag is an element name that occurred since mtrace started. Tags are numbered, so that the type of an id takes only
// two bytes.
type tag struct {
	name  string
	kind  kind
	null  uint64
	index uint16
	time  bool           // a number of nanoseconds, which is never negative nor above maxTime
	start string         // how a tag of this name begins (startOf); "" if an element of this type cannot be a reference
	parts [maxParts]*tag // the tags of its children the last time, in order
}

// noPoint means "no value" for points in time.
const noPoint = 1<<50 - 1

// noTime is a further number that means "no value" in columns of times, in addition to the null number of the
// column's type.
const noTime = math.MaxUint64

// maxTime is longer than any recording, in nanoseconds. A larger number in an export is a negative number, or means
// no value.
const maxTime = 1 << 62

// times are the types whose values are nanoseconds.
var times = map[string]bool{"start-time": true, "event-time": true, "sample-time": true, "duration": true,
	"weight": true}

// tagTable finds tags by name. It is a hash table with open addressing. The hash covers the first eight bytes, the
// last eight bytes and the length of a name, which together differ between all engineering types.
type tagTable struct {
	slots [4096]*tag
	all   []*tag // by tag.index
}

// maxTags is the maximum number of different element names of an input. Apple has some 350 types.
const maxTags = len(tagTable{}.slots) / 2

func newTagTable() *tagTable {
	t := &tagTable{all: []*tag{nil}} // index 0 is "id not defined"
	for _, e := range engineeringTypes {
		added := t.find([]byte(e.name))
		added.kind, added.null, added.time = e.kind, e.null, times[e.name]
		if e.kind == kindSentinel {
			added.start = ""
		}
	}
	return t
}

// find returns the tag of that name. A new name gets a new tag of kind kindOpaque, or nil if there are more than
// maxTags.
func (t *tagTable) find(name []byte) *tag {
	slot := hashName(name) % uint64(len(t.slots))
	for {
		known := t.slots[slot]
		if known == nil {
			break
		}
		if known.name == string(name) {
			return known
		}
		slot = (slot + 1) % uint64(len(t.slots))
	}
	if len(t.all) > maxTags {
		return nil
	}
	added := &tag{name: string(name), kind: kindOpaque, null: noNull, index: uint16(len(t.all)),
		start: startOf(string(name))}
	t.slots[slot] = added
	t.all = append(t.all, added)
	return added
}

func hashName(name []byte) uint64 {
	var head, tail uint64
	if n := len(name); n >= 8 {
		head = binary.LittleEndian.Uint64(name)
		tail = binary.LittleEndian.Uint64(name[n-8:])
	} else {
		for _, c := range name {
			head = head<<8 | uint64(c)
		}
	}
	h := (head ^ uint64(len(name))) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ tail) * 0xd6e8feb86659fd93
	return h ^ h>>29
}
