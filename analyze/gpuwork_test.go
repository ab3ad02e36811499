package analyze

import (
	"fmt"
	"testing"
)

// TestRowsOfOurOwnTraces: a command buffer is one row, or one row per encoder if all its encoders were measured. Its
// GPU time is the union of these rows.
func TestRowsOfOurOwnTraces(t *testing.T) {
	encoder := func(begin, end Nanos) Encoder { return Encoder{Label: "e", GPU: Interval{begin, end}} }
	all := Interval{0, 1000}
	for _, c := range []struct {
		name      string
		buffer    CommandBuffer
		rows      string
		took, sum Nanos
		window    Interval
	}{
		{"without GPU times", CommandBuffer{Encoders: []Encoder{{}}}, "", 0, 0, all},
		{"without times of encoders", CommandBuffer{GPU: Interval{100, 200}, Encoders: []Encoder{{}, {}}}, "100-200 of -1 ",
			100, 100, all},
		{"one encoder measured", CommandBuffer{GPU: Interval{100, 200}, Encoders: []Encoder{encoder(100, 120), {}}},
			"100-200 of -1 ", 100, 100, all},
		{"all measured, with a gap", CommandBuffer{GPU: Interval{100, 200}, Encoders: []Encoder{encoder(100, 120),
			encoder(150, 200)}}, "100-120 of 0 150-200 of 1 ", 70, 70, all},
		{"beside each other", CommandBuffer{GPU: Interval{100, 200}, Encoders: []Encoder{encoder(100, 180),
			encoder(150, 200)}}, "100-180 of 0 150-200 of 1 ", 100, 130, all},
		{"a range of time", CommandBuffer{GPU: Interval{100, 200}, Encoders: []Encoder{encoder(100, 180),
			encoder(150, 200)}}, "100-180 of 0 150-200 of 1 ", 40, 50, Interval{120, 160}},
		{"a clock that is off", CommandBuffer{GPU: Interval{100, 200}, Encoders: []Encoder{encoder(90, 120)}},
			"100-120 of 0 ", 20, 20, all},
		{"rows of Instruments", CommandBuffer{GPU: Interval{100, 200}, Rows: []GPUWork{{Interval: Interval{100, 110}},
			{Interval: Interval{190, 200}}}}, "100-110 of 0 190-200 of 0 ", 20, 20, all},
	} {
		rows := ""
		for w := range c.buffer.GPUWork() {
			rows += fmt.Sprintf("%d-%d of %d ", w.Begin, w.End, w.Encoder)
		}
		if took, sum := c.buffer.Took(c.window), c.buffer.RowTime(c.window); rows != c.rows || took != c.took ||
			sum != c.sum {
			t.Errorf("%s: %s, took %d, sum %d; want %s, %d, %d", c.name, rows, took, sum, c.rows, c.took, c.sum)
		}
	}
}
