package analyze

import "testing"

func TestCPUIn(t *testing.T) {
	known := []CPUSample{{100, 50, 10}, {200, 60, 30}, {300, 160, 30}, {400, 5, 0}, {500, 15, 40}}
	for name, c := range map[string]struct {
		samples []CPUSample
		of      Interval
		want    CPUTime
	}{
		"no samples":                   {nil, Interval{0, 1000}, CPUTime{}},
		"one sample":                   {known[:1], Interval{0, 1000}, CPUTime{}},
		"exactly two":                  {known, Interval{100, 200}, CPUTime{100, 10, 20}},
		"half of a stretch":            {known, Interval{150, 200}, CPUTime{50, 5, 10}},
		"parts of two":                 {known, Interval{150, 220}, CPUTime{70, 25, 10}},
		"before the first":             {known, Interval{0, 90}, CPUTime{}},
		"across the first":             {known, Interval{0, 150}, CPUTime{50, 5, 10}},
		"behind the last":              {known, Interval{500, 900}, CPUTime{}},
		"a thread under an earlier id": {known, Interval{300, 500}, CPUTime{100, 10, 40}},
		"all":                          {known, Interval{0, 1000}, CPUTime{300, 120, 60}},
		"no waits": {[]CPUSample{{100, 0, NotKnown}, {200, 100, NotKnown}}, Interval{100, 200},
			CPUTime{100, 100, NotKnown}},
		"a slice counted at its end":    {[]CPUSample{{100, 0, 0}, {200, 104, 5}}, Interval{100, 200}, CPUTime{100, 100, 0}},
		"a wait counted at its end":     {[]CPUSample{{100, 0, 0}, {200, 20, 150}}, Interval{100, 200}, CPUTime{100, 20, 80}},
		"times that stand":              {[]CPUSample{{100, 0, 0}, {100, 20, 10}}, Interval{0, 200}, CPUTime{}},
		"an interval that is no time":   {known, Interval{200, 200}, CPUTime{}},
		"an interval that is backwards": {known, Interval{300, 200}, CPUTime{}},
	} {
		got := (&Thread{CPU: c.samples}).CPUIn(c.of)
		if got != c.want {
			t.Errorf("%s: %+v instead of %+v", name, got, c.want)
		}
		if slept := got.Slept(); got.Waited != NotKnown && slept != got.Covered-got.Ran-got.Waited ||
			got.Waited == NotKnown && slept != NotKnown {
			t.Errorf("%s: slept %d", name, slept)
		}
	}
}

// Processor time that is not used by the trace's processes belongs to other programs. The machine's time counts once,
// whichever processes sampled it, and unknown time stays unknown. For programs that ran one after the other, each one's
// time was once subtracted from the machine's time during the longest process: on a busy machine no other program
// seemed to run.
func TestOthersIn(t *testing.T) {
	machine := []CPUSample{{0, 1000, 500}, {100, 1150, 800}, {200, 1350, 800}}
	one := &Process{OfMachine: machine, CPUSamples: []CPUSample{{0, 0, 0}, {100, 50, 100}}}
	two := &Process{OfMachine: machine[:2], CPUSamples: []CPUSample{{50, 0, 0}, {100, 20, 30}}}
	more := &Process{CPUSamples: []CPUSample{{0, 0, 0}, {100, 900, 900}}} // than there is: by a tick
	first := &Process{OfMachine: machine[:2], CPUSamples: []CPUSample{{0, 0, 0}, {100, 90, 200}}}
	then := &Process{OfMachine: machine[1:], CPUSamples: []CPUSample{{100, 0, 0}, {200, 90, 0}}}
	silent := &Process{CPUSamples: []CPUSample{{0, 0, NotKnown}, {100, 10, NotKnown}}}
	for name, c := range map[string]struct {
		processes []*Process
		of        Interval
		want      CPUTime
	}{
		"none":            {nil, Interval{0, 100}, CPUTime{}},
		"an older trace":  {[]*Process{more}, Interval{0, 100}, CPUTime{}},
		"one":             {[]*Process{one}, Interval{0, 100}, CPUTime{100, 100, 200}},
		"two":             {[]*Process{two, one}, Interval{0, 100}, CPUTime{100, 80, 170}},
		"in turns":        {[]*Process{first, then}, Interval{0, 200}, CPUTime{200, 170, 100}},
		"half":            {[]*Process{one}, Interval{0, 50}, CPUTime{50, 50, 100}},
		"after it":        {[]*Process{one}, Interval{100, 200}, CPUTime{100, 200, 0}},
		"no less than 0":  {[]*Process{one, more}, Interval{0, 100}, CPUTime{100, 0, 0}},
		"no waits known":  {[]*Process{one, silent}, Interval{0, 100}, CPUTime{100, 90, NotKnown}},
		"nothing in time": {[]*Process{one}, Interval{300, 400}, CPUTime{}},
	} {
		trace := &Trace{Processes: c.processes, Source: Source{Processors: 2}}
		if got := trace.OthersIn(c.of); got != c.want {
			t.Errorf("%s: %+v instead of %+v", name, got, c.want)
		}
		share, known := trace.OthersHad(c.of)
		if want := float64(c.want.Ran) / 2 / float64(max(1, c.want.Covered)); known != (c.want.Covered > 0) || known &&
			share != want {
			t.Errorf("%s: a share of %.3f (%v) instead of %.3f", name, share, known, want)
		}
	}
}
