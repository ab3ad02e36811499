package record

import (
	"runtime"
	"testing"
)

// While a program runs its collector uses one processor. From the program's end on, or if one is not enough, it uses
// all, and does not go back.
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
