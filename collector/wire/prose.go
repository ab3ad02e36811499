package wire

// Words returns the text to print next to a value of the field, such as "label" or "source bytes". Code must not
// depend on this text, so that it can be reworded; a test enforces that.
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

// roleWords has the text for roles that describe a value completely, without the field's name.
var roleWords = map[Role]string{
	RoleLabel: "the label", RoleText: "the text", RoleName: "the name", RoleCount: "how many", RoleFirst: "from index",
	RoleValue: "value", RoleOptions: "MTLResourceOptions",
	RoleDispatchType: "MTLDispatchType", RoleSampling: "Sampling", RoleAddress: "address",
	RoleFile:     "file descriptor",
	RoleCapacity: "maximum of command buffers", RoleStatus: "status | error code<<8",
}

// Meaning describes the field completely, for docs/wire.md. Code must not depend on this text.
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
