package wire

import "testing"

// The rows are in several files, and two that are added at the same time may take the same number. There are as many
// rows as numbers, so then another number has none.
func TestEveryNumberHasItsRow(t *testing.T) {
	for i, row := range Table[1:] {
		if want := Call(i + 1); row.Call != want || row.Selector == "" {
			t.Errorf("no row has the number %d: another is given twice", want)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, row := range Table[1:] {
		if found, ok := Lookup(row.Family, row.Selector); !ok || found != row.Call {
			t.Errorf("%v of family %v, number %d, is found as %d, %v", row.Selector, row.Family, row.Call, found, ok)
		}
	}
	if found, ok := Lookup(FamilyQueue, "waitUntilCompleted"); ok {
		t.Errorf("a queue's waitUntilCompleted is found as %d", found)
	}
}
