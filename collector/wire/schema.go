package wire

// A Row declares one kind of record: its call, what the call does, and what each value of the record is. It is all that
// anyone may know of a record: code that reads records switches on effects, roles, kinds and units. The words for
// people are built from the same fields, so that nothing can depend on how a sentence is put.
type Row struct {
	Call     Call
	Selector string // as it is written in Objective-C, or the C symbol
	Family   Family
	Group    Group
	Effect   Effect
	Object   Field   // Record.Object
	Arg      Field   // Record.Arg
	More     []Field // of the More record; without any there is none
}

// A Field is one value of a record. The zero Field is a value that is not used: it is 0.
type Field struct {
	At   Place
	Role Role
	Kind Kind // of the object that the value is the number of, or of the objects that are counted
	Unit Unit
	name string // in words for people, where role, kind and unit do not say it
}

// A Place is where in a record a field lies: a value of it or of its More record, or half of one.
type Place uint8

// The places. Those of Object and Arg of a Row are implied.
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

// Of is the value at the place.
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

// Word is where in a More record the place lies: in x0 to x3, from a bit on, so many bits. Nowhere, and places that are
// in no More record, have no bits.
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

// Find is the row's first field of a role.
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

// Has says whether a value of the record has the role.
func (r *Row) Has(role Role) bool {
	_, found := r.Find(role)
	return found
}

// Makes says whether the call returns a new object of the kind.
func (r *Row) Makes(kind Kind) bool { return r.Arg.Role == RoleMade && r.Arg.Kind.Is(kind) }
