package extract

import "testing"

// TestMostJobs: a program with many steps for each command buffer contains fewer command buffers, but not fewer than
// 1,000. The case of 8,000 command buffers is a Python program of four threads that wait for the GIL: its report took
// 3.6 s on 16 processors, because each replay had 100,000 steps.
func TestMostJobs(t *testing.T) {
	for _, c := range []struct{ jobs, steps, want int }{
		{100, 600, 2666}, // more than there are: all are contained
		{8000, 8000 * 4, 4000},
		{8000, 8000 * 8, 2000},
		{8000, 8000 * 16, 1000},
		{8000, 8000 * 300, 1000},
		{1000, 1000 * 300, 1000},
		{0, 0, 1000},
	} {
		if got := mostJobs(c.jobs, c.steps); got != c.want {
			t.Errorf("%d command buffers with %d steps: %d are replayed, want %d", c.jobs, c.steps, got, c.want)
		}
	}
}
