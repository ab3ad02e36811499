package kernels

import (
	"testing"
	"time"
)

// TestFitOfManyKernels: with many kernels, in many sizes or always dispatched together, the fit takes seconds, and its
// memory does not grow with the run.
func TestFitOfManyKernels(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(d *drawn)
	}{
		{"random", func(d *drawn) {
			for range 2000 {
				var all []batch
				for range 30 {
					all = append(all, batch{d.random.IntN(100), 1, uint64(64 << d.random.IntN(10))})
				}
				d.commit(all...)
			}
		}},
		{"always together", func(d *drawn) {
			for range 500 {
				var all []batch
				for i := range 100 {
					all = append(all, batch{i, 1, 1000})
				}
				d.commit(all...)
			}
		}},
		{"halves", func(d *drawn) { // each kernel with another one only
			for range 2000 {
				at := d.random.IntN(50)
				also := (at + 7) % 50
				d.commit(batch{2 * at, 1, 1000}, batch{2*at + 1, 1, 1000}, batch{2 * also, 1, 1000}, batch{2*also + 1, 1, 1000})
			}
		}},
	} {
		d := newDrawn(1, 100, disturbance{noise: 0.05})
		c.draw(d)
		began := time.Now()
		list := Summarize(d.trace)
		took := time.Since(began)
		var j judgement
		j.judge(t, c.name, list, d.truth)
		t.Logf("%s: %d of %d right, %d ranked, %s", c.name, j.right, j.kernels, j.ranked, took)
		if float64(j.right) < 0.9*float64(j.kernels) {
			t.Errorf("%s: %d of %d are right", c.name, j.right, j.kernels)
		}
		if took > 20*time.Second {
			t.Errorf("%s: the fit took %s", c.name, took)
		}
	}

}
