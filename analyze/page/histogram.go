package page

import (
	"math"

	"mtrace/analyze"
)

// counts holds the number of durations per class. A class is a quarter of an octave wide, so it spans about 20%.
type counts struct {
	classes [256]int64
	total   int64
	longest analyze.Nanos
}

// classesOfOctave is the number of classes between a duration and twice that duration.
const classesOfOctave = 4

func (c *counts) add(n analyze.Nanos) {
	class := 0
	if n > 1 {
		class = int(math.Log2(float64(n)) * classesOfOctave)
	}
	c.classes[min(class, len(c.classes)-1)]++
	c.total++
	c.longest = max(c.longest, n)
}

// histogram returns the classes from the first to the last that contains a duration.
func (c *counts) histogram(name string) Histogram {
	h := Histogram{Name: name, Total: c.total, Bins: []Bin{}}
	first, last := 0, len(c.classes)-1
	for first < last && c.classes[first] == 0 {
		first++
	}
	for last > first && c.classes[last] == 0 {
		last--
	}
	edge := func(class int) float64 { return math.Round(math.Exp2(float64(class)/classesOfOctave)*100) / 100 }
	for i := first; i <= last && c.total > 0; i++ {
		h.Bins = append(h.Bins, Bin{edge(i), edge(i + 1), c.classes[i]})
	}
	return h
}
