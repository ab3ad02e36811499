package record

import (
	"runtime"
	"testing"
)

// While a program runs its collector is on one processor; from its end on, or when that is not enough, on all, and it
// stays so.
func TestOnOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	all := onOneProcessor()
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Errorf("%d processors while the program runs", n)
	}
	all()
	if n := runtime.GOMAXPROCS(3); n != 4 {
		t.Errorf("%d processors when one is not enough", n)
	}
	all()
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("%d processors when the request is repeated", n)
	}
}
