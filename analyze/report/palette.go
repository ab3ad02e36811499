package report

import "mtrace/analyze"

// SignalColor is the color of time outside of Metal in which a thread waits for another thread's signal.
const SignalColor = "#aaaaa9"

// A PartColor has the name and colour of a part of a thread's time.
type PartColor struct{ Name, Meaning, Color string }

// PartColors returns the colors of all parts, in the order of the table of threads.
func PartColors() (all [analyze.PartCount]PartColor) {
	for _, c := range columns {
		for _, p := range c.parts {
			all[p] = PartColor{c.name, c.legend, c.color}
		}
	}
	return all
}
