package report

import "testing"

// A table once showed five of eight equal workers, with 60 command buffers each, and "... and 4 threads with fewer
// command buffers" below them, although three of these four had 60 as well.
func TestMoreThreads(t *testing.T) {
	with := func(counts ...int) (list []Thread) {
		for _, n := range counts {
			list = append(list, Thread{CommandBuffers: n})
		}
		return list
	}
	for _, c := range []struct {
		shown []Thread
		more  int
		want  string
	}{
		{with(60, 60), 4, "4 more threads with at most 60 command buffers"},
		{with(1, 60), 1, "1 more thread with at most 1 command buffer"},
		{with(60, 0), 2, "2 more threads without command buffers"},
		{nil, 3, "3 more threads without command buffers"},
	} {
		if got := moreThreads(c.shown, c.more); got != c.want {
			t.Errorf("%d of %d: got %q, want %q", c.more, len(c.shown)+c.more, got, c.want)
		}
	}
}
