package cause

import (
	"testing"

	"mtrace/analyze"
)

// The trace showed the holder of the GIL in 1 of 95 waits. The evidence was "held by prefetch 7 (<0.1%)", as if the
// thread that held it all the time hardly ever did.
func TestHeldBy(t *testing.T) {
	prefetch := &analyze.Thread{ID: 7, Name: "prefetch"}
	for _, c := range []struct {
		holder *analyze.Thread
		known  analyze.Nanos // of 1000
		want   string
	}{
		{nil, 0, "the holder is not known"},
		{prefetch, 40, "the holder is known for only a part of that time: prefetch 7 (4.0%)"},
		{prefetch, 900, "held by prefetch 7 (90%)"},
	} {
		u := lockUse{holders: map[*analyze.Thread]analyze.Nanos{}}
		u.add(&analyze.LockWait{}, 1000-c.known)
		if c.holder != nil {
			u.add(&analyze.LockWait{Holder: c.holder}, c.known)
		}
		if got := u.heldBy(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
