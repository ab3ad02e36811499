package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The text form of a record is one JSON object. The four values of a call's More record are in its field "more". A
// More record whose call was lost is an object of its own. Fields that are zero are left out, except for the times of
// a call:
//
//	{"call":"commit","family":"commandBuffer","begin":100,"end":230,"object":7,"class":2}
//
// A call that is not in the table also has its "number".

// AppendText appends a record to b as one line of JSON, without the newline. more is the call's More record (a second
// record with further arguments), or nil if there is none.
func AppendText(b []byte, r Record, more *More) []byte {
	b = append(b, `{"call":`...)
	row := r.Call.Row()
	b = appendQuoted(b, row.Selector)
	b = append(b, `,"family":"`...)
	b = append(b, row.Family.String()...)
	b = append(b, '"')
	number := func(key string, v uint64) {
		b = append(append(append(b, `,"`...), key...), `":`...)
		b = strconv.AppendUint(b, v, 10)
	}
	number64 := func(key string, v uint64) {
		if v != 0 {
			number(key, v)
		}
	}
	if c, known := Lookup(row.Family, row.Selector); !known || c != r.Call {
		number("number", uint64(r.Call))
	}
	flags := r.Flags
	if r.Call == CallMore {
		m := r.More()
		more, flags = &m, m.Flags
	} else {
		number("begin", uint64(r.Begin))
		number("end", uint64(r.End))
		number64("object", uint64(r.Object))
		number64("arg", r.Arg)
	}
	number64("class", uint64(flags.Class()))
	if flags&Failed != 0 {
		b = append(b, `,"failed":true`...)
	}
	if flags&HasMore != 0 && (more == nil || r.Call == CallMore) {
		b = append(b, `,"has_more":true`...) // the More record is not available here
	}
	number64("flags", uint64(flags&(1<<ClassShift-1)&^(HasMore|Failed)))
	if more != nil {
		b = append(b, `,"more":[`...)
		for i, v := range [4]uint64{more.X0, more.X1, more.X2, uint64(more.X3)} {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendUint(b, v, 10)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendQuoted appends a selector in quotes. Selectors of the table contain no character that JSON must escape, so
// the fast path applies.
func appendQuoted(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= 0x7f {
			quoted, _ := json.Marshal(s)
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// textRecord has the fields of a record's text form, for decoding by encoding/json.
type textRecord struct {
	Call    string
	Family  string
	Number  *Call
	Begin   Ticks
	End     Ticks
	Object  ObjectID
	Arg     uint64
	Class   uint8
	Failed  bool
	HasMore bool `json:"has_more"`
	Flags   Flags
	More    *[4]uint64
}

// ParseText reads the text form of a record and appends the record to dst, followed by its More record if it has one.
func ParseText(dst []Record, line []byte) ([]Record, error) {
	var t textRecord
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return dst, fmt.Errorf("record: %w", err)
	}
	call, known := CallNone, false
	for f := range familyNames {
		if familyNames[f] == t.Family {
			call, known = Lookup(Family(f), t.Call)
		}
	}
	if t.Number != nil {
		call = *t.Number
	} else if !known {
		return dst, fmt.Errorf("record: no call %q of family %q", t.Call, t.Family)
	}
	r := Record{Begin: t.Begin, End: t.End, Object: t.Object, Arg: t.Arg, Call: call,
		Flags: Flags(t.Class)<<ClassShift | t.Flags&(1<<ClassShift-1)}
	if t.Failed {
		r.Flags |= Failed
	}
	if t.HasMore {
		r.Flags |= HasMore
	}
	if t.More == nil {
		return append(dst, r), nil
	}
	if t.More[3] > 1<<32-1 {
		return dst, fmt.Errorf("record: the last value of more, %d, has more than 32 bits", t.More[3])
	}
	more := More{X0: t.More[0], X1: t.More[1], X2: t.More[2], X3: uint32(t.More[3])}
	if call == CallMore {
		more.Flags = r.Flags
		return append(dst, more.Record()), nil
	}
	r.Flags |= HasMore
	return append(dst, r, more.Record()), nil
}

// longestSelector is the length in bytes above which a selector is shortened in the call's C name, so that lines of the
// C sources stay under 120 columns.
const longestSelector = 99

// CName returns the name of the call in the generated C header: MT_CALL_family_selector, with an underscore for each
// colon and blank. A very long selector keeps only its first and last part, with the number of omitted parts between
// them: MT_CALL_indirectCommand_drawPatches_8more_tessellationFactorBufferInstanceStride_.
func (c Call) CName() string {
	r := c.Row()
	selector := r.Selector
	if parts := strings.SplitAfter(selector, ":"); len(selector) > longestSelector && len(parts) > 4 {
		last := len(parts) - 2 // SplitAfter ends with an empty string, after the last colon
		selector = fmt.Sprintf("%s%dmore:%s", parts[0], last-1, parts[last])
	}
	name := strings.NewReplacer(":", "_", " ", "_").Replace(selector)
	if c == CallNone {
		name = "none"
	}
	return "MT_CALL_" + r.Family.String() + "_" + name
}
