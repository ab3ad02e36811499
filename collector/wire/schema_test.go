package wire

import "testing"

// Every row describes its values in a form that its readers can rely on.
func TestRowsAreWhole(t *testing.T) {
	for _, row := range Table[1:] {
		if row.Effect != EffectNone && row.Effect.String() == "" {
			t.Errorf("%s of %v: effect %d has no name", row.Selector, row.Family, row.Effect)
		}
		if made := row.Arg.Role == RoleMade; row.Effect == EffectMakes && !made && row.Arg.Role != RoleCount {
			t.Errorf("%s of %v makes something, and does not say what", row.Selector, row.Family)
		}
		if row.Effect == EffectLabels && row.Arg.Role != RoleLabel {
			t.Errorf("%s of %v labels with what is no label", row.Selector, row.Family)
		}
		used := [4]uint64{}
		for _, f := range append([]Field{row.Object, row.Arg}, row.More...) {
			if f.Role != RoleNone && f.Words() == "" {
				t.Errorf("%s of %v: the field of role %d has no words", row.Selector, row.Family, f.Role)
			}
			if (f.Role == RoleMade || f.Role == RoleFrom || f.Role == RoleTo || f.Role == RoleMember) && f.Kind == KindNone {
				t.Errorf("%s of %v: %s has no kind", row.Selector, row.Family, f.Words())
			}
		}
		for _, f := range row.More {
			word, shift, bits := f.At.Word()
			mask := ^uint64(0) >> (64 - bits) << shift
			if bits == 0 || used[word]&mask != 0 {
				t.Errorf("%s of %v: %s lies nowhere, or where another value is", row.Selector, row.Family, f.Words())
			}
			used[word] |= mask
		}
	}
}

// A value is read from where it lies.
func TestPlaces(t *testing.T) {
	r := Record{Object: 1, Arg: 2}
	m := More{X0: 3<<32 | 4, X1: 5<<32 | 6, X2: 7<<32 | 8, X3: 9}
	want := map[Place]uint64{Nowhere: 0, InObject: 1, InArg: 2, InX0: m.X0, InX1: m.X1, InX2: m.X2, InX3: 9, InX0Low: 4,
		InX0High: 3, InX1Low: 6, InX1High: 5, InX2Low: 8, InX2High: 7}
	for place, value := range want {
		if got := place.Of(&r, &m); got != value {
			t.Errorf("place %d has %d, want %d", place, got, value)
		}
	}
}
