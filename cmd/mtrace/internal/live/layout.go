package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"
)

// An Order is the column by which the table's rows are sorted.
type Order int

// The orders, in the sequence in which the key s goes through them.
const (
	ByCommits Order = iota
	ByCalls
	ByWaited
	ByState
	ByName
	orders
)

var orderNames = [orders]string{"commits/s", "calls/s", "waited", "state", "name"}

// A line is one line of the screen.
type line struct {
	text  string
	style style
}

type style int

const (
	plain style = iota
	bold
	reverse
	dim
	waits
	alarm
)

// A column is a column of the table of threads. If the terminal is narrow, the last columns are left out.
type column struct {
	title string
	width int
	right bool
	order Order // the sort order by this column; orders if there is none
	of    func(Thread) string
}

// columns are in the order of the screen, the most important first, because the last ones are left out on narrow
// terminals.
var columns = []column{
	{"THREAD", 21, false, ByName, func(t Thread) string { return t.Name }},
	{"STATE", 13, false, ByState, func(t Thread) string { return string(t.State) }},
	{"WAITS ON", 13, false, orders, func(t Thread) string { return t.On }},
	{"COMMITS/S", 10, true, ByCommits, func(t Thread) string { return wholeNumber(t.Commits) }},
	{"CALLS/S", 8, true, ByCalls, func(t Thread) string { return wholeNumber(t.Calls) }},
	{"WAITED", 6, true, ByWaited, func(t Thread) string { return percent(t.Waited) }},
	{"IN CALL", 8, true, orders, func(t Thread) string { return since(t) }},
	{"CALL", 42, false, orders, func(t Thread) string { return t.Call }},
}

// since returns how long the thread has been in its current call, as text. It is empty below 10 ms, where the value
// changes too fast to be read.
func since(t Thread) string {
	if t.Call == "" || t.For < 10*time.Millisecond {
		return ""
	}
	return fmt.Sprintf("%.2f s", t.For.Seconds())
}

func wholeNumber(x float64) string { return fmt.Sprintf("%.0f", x) }

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

// A view is how the user chose to see the table, and the program output below it.
type view struct {
	order  Order
	paused bool
	output []string // the last lines of the program's output
}

// layout returns the lines of the screen: totals and warnings, the threads, the program's last output, and what keys
// do.
func layout(p Picture, v view, width, height int) []line {
	lines := []line{{heading(p), bold}, {figures(p), plain}}
	if width < len(lines[1].text) { // the rates do not fit on the first line
		lines = append(lines[:1], line{figuresNow(p), plain}, line{figuresRates(p), plain})
	}
	if p.Lost > 0 {
		lines = append(lines, line{fmt.Sprintf(
			"%d RECORDS LOST, because buffers were full: --on-full block makes threads wait instead",
			p.Lost), alarm})
	}
	if p.Failed != nil {
		lines = append(lines, line{fmt.Sprintf("THE TRACE IS CUT: further calls are counted but not written: "+
			"%v", p.Failed), alarm})
	}
	if text := p.NoProgress(); text != "" {
		lines = append(lines, line{text, alarm})
	}
	fits := fitting(width)
	lines = append(lines, line{titles(fits, v.order), reverse})
	keys := line{keysLine(v, width), reverse}
	room := max(1, height-len(lines)-1)
	below := v.output[max(0, len(v.output)-min(room/3, 10)):]
	if len(below) > 0 {
		room -= len(below) + 1
	}
	lines = append(lines, rows(p.Threads, v.order, fits, room)...)
	for len(lines) < height-1-len(below)-min(1, len(below)) {
		lines = append(lines, line{})
	}
	if len(below) > 0 {
		lines = append(lines, line{"the program's output, which is printed in full when the table closes:", dim})
		for _, text := range below {
			lines = append(lines, line{text, plain})
		}
	}
	return append(lines[:min(len(lines), max(0, height-1))], keys)
}

func heading(p Picture) string {
	programs := strings.Join(p.Programs, ", ")
	if programs == "" {
		programs = "no Metal yet"
	}
	return fmt.Sprintf("mtrace %s  %s", p.Elapsed.Truncate(time.Second), programs)
}

func figuresNow(p Picture) string {
	return fmt.Sprintf("GPU busy %s  in flight %d  lost %d  threads %d", percent(p.Busy), p.InFlight, p.Lost,
		len(p.Threads))
}

func figuresRates(p Picture) string {
	return fmt.Sprintf("%s command buffers/s  %s calls/s", wholeNumber(p.Buffers), wholeNumber(p.Calls))
}

func figures(p Picture) string { return figuresNow(p) + "  " + figuresRates(p) }

// fitting returns the first columns, as many as fit into the width.
func fitting(width int) []column {
	n, used := 0, -1
	for n < len(columns) && used+1+columns[n].width <= width {
		used += 1 + columns[n].width
		n++
	}
	return columns[:max(1, n)]
}

func titles(fits []column, order Order) string {
	return cells(fits, func(c column) string {
		if c.order == order && len(c.title) < c.width {
			return c.title + "↓"
		}
		return c.title
	})
}

func cells(fits []column, of func(column) string) string {
	var all []string
	for _, c := range fits {
		all = append(all, cell(of(c), c.width, c.right))
	}
	return strings.Join(all, " ")
}

// cell returns text in exactly width columns: padded, or cut with an ellipsis.
func cell(text string, width int, right bool) string {
	if uniseg.StringWidth(text) > width {
		cut := ""
		for parts := uniseg.NewGraphemes(text); parts.Next() && uniseg.StringWidth(cut+parts.Str()) < width; {
			cut += parts.Str()
		}
		text = cut + "…"
	}
	space := strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
	if right {
		return space + text
	}
	return text + space
}

// rows returns a line for each thread, sorted. At most `room` lines are returned; if there are more threads, the last
// line says how many are not shown.
func rows(threads []Thread, order Order, fits []column, room int) (lines []line) {
	threads = slices.Clone(threads)
	slices.SortFunc(threads, func(x, y Thread) int {
		return cmp.Or(compare(order, x, y), cmp.Compare(x.Process, y.Process), cmp.Compare(x.ID, y.ID))
	})
	shown := threads
	if len(threads) > room {
		shown = threads[:max(0, room-1)]
	}
	for _, t := range shown {
		l := line{cells(fits, func(c column) string { return c.of(t) }), plain}
		if t.State.Waits() {
			l.style = waits
		}
		lines = append(lines, l)
	}
	if rest := len(threads) - len(shown); rest > 0 {
		lines = append(lines, line{fmt.Sprintf("and %d more", rest), dim})
	}
	return lines
}

func compare(order Order, x, y Thread) int {
	switch order {
	case ByCommits:
		return cmp.Compare(y.Commits, x.Commits)
	case ByCalls:
		return cmp.Compare(y.Calls, x.Calls)
	case ByWaited:
		return cmp.Compare(y.Waited, x.Waited)
	case ByState:
		return cmp.Compare(x.State, y.State)
	}
	return cmp.Compare(x.Name, y.Name)
}

// keysLine returns the last line of the screen, which explains the keys.
func keysLine(v view, width int) string {
	pause := "p pause"
	if v.paused {
		pause = "PAUSED: p to continue"
	}
	text := fmt.Sprintf("s sort: %s  %s  q quit the table", orderNames[v.order], pause)
	if long := text + ", not the program"; len(long) <= width {
		text = long
	}
	return cell(text, width, false)
}
