package wire

// A Row declares one kind of record: its call, the call's effect, and what each value of the record means. Code that
// reads records must decide by effects, roles, kinds and units, never by the texts for people (Field.Words), which may
// be reworded at any time.
type Row struct {
	Call     Call
	Selector string // the Objective-C selector, or the C symbol
	Family   Family
	Group    Group
	Effect   Effect
	Object   Field   // Record.Object
	Arg      Field   // Record.Arg
	More     []Field // values of the More record; empty if the call has none
}

// A Field describes one value of a record. The zero Field is a value that is not used and always 0.
type Field struct {
	At   Place
	Role Role
	Kind Kind // kind of the object whose number the value is, or of the objects that the value counts
	Unit Unit
	name string // text for people; empty if role, kind and unit describe the value well enough
}

// A Place says where a value is: in the record itself, in its More record (the second record of a call, with
// further arguments), or in one half of a 64-bit word of the More record.
type Place uint8

// The places of values. InObject and InArg are fields of the call's own record. The other places are words, or halves
// of words, of its More record (the second record, with further arguments).
const (
	Nowhere Place = iota
	InObject
	InArg
	InX0
	InX1
	InX2
	InX3
	InX0Low // the lower 32 bits
	InX0High
	InX1Low
	InX1High
	InX2Low
	InX2High
)

// Of returns the value at this place of the record r and its More record m.
func (p Place) Of(r *Record, m *More) uint64 {
	switch p {
	case InObject:
		return uint64(r.Object)
	case InArg:
		return r.Arg
	case InX3:
		return uint64(m.X3)
	}
	word, shift, bits := p.Word()
	return [...]uint64{m.X0, m.X1, m.X2}[word] >> shift & (1<<bits - 1)
}

// Word returns where in a More record the place is: the index of the word (x0 to x3), the lowest bit, and the number
// of bits. The number of bits is 0 for a place that is not in a More record.
func (p Place) Word() (word int, shift, bits uint) {
	switch {
	case p >= InX0Low && p <= InX2High:
		return int(p-InX0Low) / 2, uint(p-InX0Low) % 2 * 32, 32
	case p >= InX0 && p <= InX2:
		return int(p - InX0), 0, 64
	case p == InX3:
		return 3, 0, 32
	}
	return 0, 0, 0
}

// Find returns the first field of the row that has the role; found is false if there is none.
func (r *Row) Find(role Role) (f Field, found bool) {
	for _, f := range [...]Field{r.Object, r.Arg} {
		if f.Role == role {
			return f, true
		}
	}
	for _, f := range r.More {
		if f.Role == role {
			return f, true
		}
	}
	return f, false
}

// Has reports whether some value of the row's records has this role (meaning), such as "size".
func (r *Row) Has(role Role) bool {
	_, found := r.Find(role)
	return found
}

// Polls reports whether one record of this row stands for many calls: a thread called a getter in a loop until the
// answer changed.
func (r *Row) Polls() bool { return r.Has(RolePolls) }

// TracksLife reports whether the call creates an object, other than memory, whose release is recorded too. Calls that
// may return an object that already exists do not count.
func (r *Row) TracksLife() bool {
	switch r.Selector {
	case "newDefaultLibrary", "newDefaultLibraryWithBundle:error:", "newSharedEventWithHandle:":
		return false
	}
	for _, kind := range [...]Kind{KindQueue, KindEvent, KindFence, KindLibrary, KindPipeline, KindResidencySet} {
		if r.Makes(kind) {
			return true
		}
	}
	return false
}

// Makes reports whether the call returns a new object of this kind.
func (r *Row) Makes(kind Kind) bool { return r.Arg.Role == RoleMade && r.Arg.Kind.Is(kind) }
