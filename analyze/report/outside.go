package report

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// Outside divides the time that a thread spent outside of Metal. Its values add up to outside_ns in the thread's
// time.
type Outside struct {
	RunningNS  *int64 `json:"running_ns"`  // on a processor; null when not known
	RunnableNS *int64 `json:"runnable_ns"` // waiting for a processor; null when not known
	// time in recorded waits, by what was waited for: signal, process, file, pipe, socket, terminal, sleep, join,
	// other
	BlockedNS map[string]int64 `json:"blocked_ns"`
	// time blocked in calls that are not recorded; if running_ns is null, it also contains the running time
	UnknownNS int64 `json:"unknown_ns"`
}

func outsideOf(t *evidence.ThreadTime) *Outside {
	o := t.Outside()
	out := &Outside{BlockedNS: map[string]int64{}, UnknownNS: int64(o.Unknown)}
	if o.Running != analyze.NotKnown {
		n := int64(o.Running)
		out.RunningNS = &n
	}
	if o.Runnable != analyze.NotKnown {
		n := int64(o.Runnable)
		out.RunnableNS = &n
	}
	for kind, n := range o.Blocked {
		if n > 0 {
			out.BlockedNS[analyze.Blocking(kind).String()] = int64(n)
		}
	}
	return out
}

// known reports whether the trace has samples of processor time, from which the running time comes.
func (o *Outside) known() bool { return o.RunningNS != nil }

// outsideParts are the parts of time outside of Metal, in the order of the table's columns.
var outsideParts = func() (list []outsidePart) {
	list = append(list, outsidePart{"running", func(o *Outside) int64 { return orZero(o.RunningNS) }},
		outsidePart{"runnable", func(o *Outside) int64 { return orZero(o.RunnableNS) }})
	for kind := range analyze.BlockedKinds {
		name := kind.String()
		list = append(list, outsidePart{name, func(o *Outside) int64 { return o.BlockedNS[name] }})
	}
	return append(list, outsidePart{"unknown", func(o *Outside) int64 { return o.UnknownNS }})
}()

type outsidePart struct {
	head string
	of   func(*Outside) int64
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// outsideWords returns one line on how the threads spent their time outside of Metal, in shares of all their time;
// empty if that was less than a tenth of it.
func outsideWords(threads []Thread) string {
	var window, outside int64
	sums := make([]int64, len(outsideParts))
	for i := range threads {
		o := threads[i].Outside
		if o == nil || !o.known() {
			continue
		}
		window += threads[i].WindowNS
		outside += threads[i].Time[analyze.PartOutside.Key()]
		for n, p := range outsideParts {
			sums[n] += p.of(o)
		}
	}
	if outside*10 < window || window == 0 {
		return ""
	}
	var words []string
	for n, p := range outsideParts {
		if sums[n]*200 >= window {
			word := p.head
			switch word {
			case "running", "runnable":
			case "unknown":
				word = "blocked in calls that are not recorded"
			default:
				word = "blocked: " + word
			}
			words = append(words, fmt.Sprintf("%s %s", word, wholePercent(sums[n], window)))
		}
	}
	return "outside Metal: " + strings.Join(words, ", ")
}

// writeOutside writes the table of how the listed threads spent their time outside of Metal.
func (r *Report) writeOutside(w *sheet, shown []Thread) {
	t := &table{heads: []string{"outside Metal"}, left: 1}
	var used []outsidePart
	for _, p := range outsideParts {
		for i := range shown {
			if o := shown[i].Outside; o != nil && o.known() && p.of(o)*200 >= shown[i].WindowNS &&
				shown[i].WindowNS > 0 {
				used, t.heads = append(used, p), append(t.heads, p.head)
				break
			}
		}
	}
	if len(used) == 0 {
		return
	}
	for i := range shown {
		th := &shown[i]
		if th.Outside == nil || !th.Outside.known() {
			continue
		}
		row := []string{threadName(th)}
		for _, p := range used {
			row = append(row, percentCell(p.of(th.Outside), th.WindowNS))
		}
		t.add(row...)
	}
	t.write(w)
	wrap(w, outsideLegend(t.heads[1:]), "  ", "  ")
}

// outsideLegend explains the columns that the table outside Metal has, and no others.
func outsideLegend(heads []string) string {
	explained := map[string]string{"running": "on a processor", "runnable": "ready to run, without a processor",
		"unknown": "in a call that is not recorded"}
	var waits, lines []string
	for _, head := range heads {
		if explained[head] != "" {
			lines = append(lines, head+": "+explained[head])
		} else {
			waits = append(waits, head)
		}
	}
	if len(waits) > 0 {
		lines = append(lines, strings.Join(waits, ", ")+": blocked in a recorded wait")
	}
	return "outside Metal, in % of the window; " + strings.Join(lines, " · ")
}
