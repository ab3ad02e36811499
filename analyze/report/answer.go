package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"mtrace/analyze"
)

// An answer is one labelled figure on the first screen of the HTML page, such as "costs: 12% of thread time". More is
// shown after the text, for example the callers of a line of code. Call is a call made at that line, to which the
// page links; if it is nil, the page links to the longest call there.
type answer struct {
	Title, Text, More string
	Call              *HolderCall
}

// A strip is a bar on the HTML page that shows how thread time or GPU time was spent. Most has the bar's largest
// parts, whose names are in Text.
type strip struct {
	Title, Text string
	Bars, Most  []bar
}

// mostStripParts is the maximum number of a strip's parts that are named in words.
const mostStripParts = 5

// Answer returns the figures that the page shows below the verdict: what the cause of lost time costs, the gain of
// removing the cause, the line of code and the advice, if a cause was found. The times of tokens follow, if there are
// any.
func (d pageData) Answer() (list []answer) {
	if g := d.Steps.Generation; g != nil {
		return append(d.ofCause(), g.figures()...)
	}
	return d.ofCause()
}

// The titles of the lines of code at the two ends of a wait for a lock.
const (
	waiterLine = "line that waits"
	holderLine = "line of the lock's holder"
)

// Line reports whether the figure is a line of code, which the page links to the timeline.
func (a answer) Line() bool {
	return a.Title == "line" || a.Title == waiterLine || a.Title == holderLine
}

// Long reports whether the figure is a sentence, which takes a line of its own.
func (a answer) Long() bool { return a.Title == "what to do" }

// ofCause returns the figures about the verdict's cause.
func (d pageData) ofCause() (list []answer) {
	s := &d.Serialization
	if s.Share <= 0 || len(s.Causes) == 0 {
		return nil
	}
	top := &s.Causes[0]
	list = append(list, answer{Title: "costs", Text: fmt.Sprintf("%s of thread time", analyze.FormatShare(s.Share))})
	if i := top.SpeedupInterval; i != nil {
		whole := "removing it makes the run"
		if d.shortWork() {
			whole = fmt.Sprintf("removing it makes the %s with GPU work", ns(s.WorkNS))
		}
		list = append(list, answer{Title: whole,
			Text: Gain{*top.SpeedupIfRemoved, i.Low, i.High}.faster()})
	}
	line := "line"
	if top.HolderSite != "" {
		line = waiterLine
	}
	if top.Site != "" {
		list = append(list, answer{Title: line, Text: top.Site})
	}
	if top.HolderSite != "" {
		more := ""
		if len(top.HolderCallers) > 0 {
			more = "called from " + strings.Join(top.HolderCallers, " from ")
		}
		list = append(list, answer{holderLine, top.HolderSite, more, top.HolderCall})
	}
	return append(list, answer{Title: "what to do", Text: top.Advice})
}

// Strips returns two bars: how all threads that take part in the GPU's work spent their time, and how all GPUs spent
// theirs. The verdict's shares refer to the same threads. Without GPU times there is only the first bar.
func (d pageData) Strips() (list []strip) {
	var bars []bar
	submitting := &Report{Threads: slices.DeleteFunc(slices.Clone(d.Threads), func(t Thread) bool {
		return t.CommandBuffers == 0 && t.Waits == 0 && !t.HandsOver
	})}
	if len(submitting.Threads) == 0 {
		submitting = d.Report
	}
	total := int64(0)
	for i := range submitting.Threads {
		total += submitting.Threads[i].WindowNS
	}
	parts := submitting.TimeParts()
	for _, c := range columns {
		bars = addPart(bars, template.CSS(c.color), c.name, parts[c.name], total)
	}
	list = appendStrip(list, "thread time", bars)
	used, _ := d.GPU.InUse()
	if d.GPU.BusyNS == 0 || used == 0 {
		return list
	}
	bars, rest := nil, d.GPU.BusyNS
	for i, k := range d.Kernels[:min(len(gpuColors)-2, len(d.Kernels))] {
		if !k.Identified() {
			continue
		}
		ns := min(rest, int64(k.Share*float64(d.GPU.BusyNS)))
		bars = addPart(bars, gpuColors[i], k.Title(), ns, used)
		rest -= ns
	}
	bars = addPart(bars, gpuColors[len(gpuColors)-2], "other work", rest, used)
	bars = addPart(bars, gpuColors[len(gpuColors)-1], "idle", used-d.GPU.BusyNS, used)
	return appendStrip(list, "GPU time", bars)
}

// gpuColors are the colors of the strip of GPU time: one per kernel, then other work, then idle time.
var gpuColors = []template.CSS{"#3880e2", "#da8a20", "#2da042", "#8d61b3", "#8a8f98", "#d4d7dc"}

func addPart(bars []bar, color template.CSS, name string, ns, of int64) []bar {
	if ns <= 0 || of <= 0 {
		return bars
	}
	share := min(1, float64(ns)/float64(of))
	return append(bars, bar{color, name + " " + analyze.FormatShare(share), 100 * share})
}

func appendStrip(list []strip, title string, bars []bar) []strip {
	if len(bars) == 0 {
		return list
	}
	most := slices.Clone(bars)
	slices.SortStableFunc(most, func(a, b bar) int { return cmp.Compare(b.Percent, a.Percent) })
	most = most[:min(mostStripParts, len(most))]
	var words []string
	for _, b := range most {
		words = append(words, b.Title)
	}
	return append(list, strip{title, strings.Join(words, ", "), bars, most})
}
