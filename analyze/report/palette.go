package report

import "mtrace/analyze"

// SignalColor is the color for time in which a thread waits for another thread's signal, outside of Metal.
const SignalColor = "#aaaaa9"

// A PartColor is how one part of a thread's time is named, explained and colored.
type PartColor struct{ Name, Meaning, Color string }

// PartColors returns the color of each part of a thread's time, so that the timeline uses the same colors as the
// table of threads.
func PartColors() (all [analyze.PartCount]PartColor) {
	for _, c := range columns {
		for _, p := range c.parts {
			all[p] = PartColor{c.name, c.legend, c.color}
		}
	}
	return all
}
