package wire

import (
	"fmt"
	"strings"
)

// Words are what a value of the field is called beside the value, for people: "label", "source bytes". They are made
// for reading: nothing may be concluded from them, and a test sees to it.
func (f Field) Words() string {
	switch {
	case f.name != "" && f.Unit != UnitNone && f.Role != RoleCount:
		return f.name + " " + f.Unit.String()
	case f.name != "":
		return f.name
	case f.Unit != UnitNone:
		return f.Unit.String()
	case f.Role.IsObject() || f.Role == RoleMade:
		return f.Kind.String()
	}
	return roleWords[f.Role]
}

// roleWords are for roles that say all.
var roleWords = map[Role]string{
	RoleLabel: "the label", RoleText: "the text", RoleName: "the name", RoleCount: "how many", RoleFirst: "from index",
	RoleValue: "value", RoleOptions: "MTLResourceOptions",
	RoleDispatchType: "MTLDispatchType", RoleSampling: "Sampling", RoleAddress: "address",
	RoleFile:     "file descriptor",
	RoleCapacity: "maximum of command buffers", RoleStatus: "status | error code<<8",
}

// Meaning is the whole of what the field is, as docs/wire.md has it. Nothing may be concluded from it either.
func (f Field) Meaning() string {
	switch {
	case f.Role == RoleNone:
		return ""
	case f.Role == RoleMade && f.name != "":
		return "new " + f.Kind.String() + ", " + f.name
	case f.Role == RoleMade:
		return "new " + f.Kind.String()
	case f.Role.IsText():
		return "StringID of " + f.Words()
	}
	return f.Words()
}

var placeNames = [...]string{InX0: "x0", InX1: "x1", InX2: "x2", InX3: "x3", InX0Low: "x0", InX0High: "x0>>32",
	InX1Low: "x1", InX1High: "x1>>32", InX2Low: "x2",
	InX2High: "x2>>32"}

// moreMeaning is what the More record holds.
func (r *Row) moreMeaning() string {
	var parts []string
	for _, f := range r.More {
		parts = append(parts, fmt.Sprintf("%s %s", placeNames[f.At], f.Meaning()))
	}
	return strings.Join(parts, ", ")
}
