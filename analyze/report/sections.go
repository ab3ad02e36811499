package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"mtrace/analyze"
)

func ns(n int64) string { return analyze.Nanos(n).String() }

// mostThreads and mostRows bound the tables; what is left out is said.
const (
	mostThreads = 24
	mostRows    = 15
)

// column is one part, or several, of the threads' time.
type column struct {
	head   string
	parts  []analyze.Part
	legend string
	color  string // in HTML
}

var columns = []column{
	{"run", []analyze.Part{analyze.PartWaitExecuting}, "waiting while its own work ran", "#3b7dd8"},
	{"q.own", []analyze.Part{analyze.PartWaitQueuedOwn}, "queued behind its own work", "#86b1e8"},
	{"q.oth", []analyze.Part{analyze.PartWaitQueuedOther}, "queued behind other threads' work", "#e08a2c"},
	{"start", []analyze.Part{analyze.PartWaitScheduling}, "committed, and nothing ran yet", "#c9a9e0"},
	{"wake", []analyze.Part{analyze.PartWaitNotify}, "from the GPU's end to the wait's return", "#9467bd"},
	{"others", []analyze.Part{analyze.PartWaitForeign}, "waiting for work that another thread committed", "#d62728"},
	{"lock", []analyze.Part{analyze.PartLock}, "waiting for a lock", "#8c1c13"},
	{"slot", []analyze.Part{analyze.PartAcquire}, "making a command buffer", "#bcbd22"},
	{"encode", []analyze.Part{analyze.PartEncode}, "", "#2ca02c"},
	{"commit", []analyze.Part{analyze.PartCommit}, "", "#98df8a"},
	{"compile", []analyze.Part{analyze.PartCompile}, "", "#e377c2"},
	{"api", []analyze.Part{analyze.PartAllocate, analyze.PartOtherAPI}, "the rest of Metal", "#17becf"},
	{"outside", []analyze.Part{analyze.PartOutside}, "not in Metal", "#d0d4da"},
}

func (c *column) of(t *Thread) (sum int64) {
	for _, p := range c.parts {
		sum += t.Time[p.Key()]
	}
	return sum
}

func (r *Report) writeThreads(w io.Writer, style styler) {
	if len(r.Threads) == 0 {
		return
	}
	head(w, style, "threads", "how each spent its time, in % of its window")
	shown, hidden := []Thread{}, 0
	for _, th := range r.Threads {
		if th.onlyLocks() && th.Time[analyze.PartLock.Key()]*50 < r.Source.WindowNS {
			hidden++
		} else {
			shown = append(shown, th)
		}
	}
	slices.SortStableFunc(shown, func(a, b Thread) int { return cmp.Compare(b.CommandBuffers, a.CommandBuffers) })
	more := len(shown) - mostThreads
	shown = shown[:min(len(shown), mostThreads)]
	slices.SortStableFunc(shown, func(a, b Thread) int { return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.TID, b.TID)) })
	t := &table{heads: []string{"thread", "window", "bufs"}, left: 1}
	var used []column
	for _, c := range columns {
		if slices.ContainsFunc(r.Threads, func(th Thread) bool { return c.of(&th)*200 >= th.WindowNS && th.WindowNS > 0 }) {
			used = append(used, c)
			t.heads = append(t.heads, c.head)
		}
	}
	cpu := slices.ContainsFunc(r.Threads, func(th Thread) bool { return th.CPUNS != nil })
	if cpu {
		t.heads = append(t.heads, "ran", "ready")
	}
	for i := range shown {
		th := &shown[i]
		row := []string{threadName(th), ns(th.WindowNS), count(th.CommandBuffers)}
		for _, c := range used {
			row = append(row, percentCell(c.of(th), th.WindowNS))
		}
		if cpu {
			row = append(row, th.processorCell(th.CPUNS), th.processorCell(th.RunnableNS))
		}
		t.add(row...)
	}
	t.write(w, style)
	if more > 0 {
		fmt.Fprintf(w, "  … and %d threads with fewer command buffers\n", more)
	}
	if hidden > 0 {
		fmt.Fprintf(w, "  … and %d threads that made no Metal call and waited for a lock for a moment\n", hidden)
	}
	var legend []string
	for _, c := range used {
		if c.legend != "" {
			legend = append(legend, c.head+": "+c.legend)
		}
	}
	if cpu {
		legend = append(legend, "ran, ready: on a processor and waiting for one, whatever it was doing")
	}
	if len(legend) > 0 {
		wrap(w, strings.Join(legend, " · "), "  ", "  ")
	}
}

// onlyLocks says whether all that is known of the thread is that it waited for locks, and for signals that were none of a submitter's.
func (t *Thread) onlyLocks() bool {
	lock := t.Time[analyze.PartLock.Key()]
	return lock > 0 && !t.HandsOver && lock+t.Time[analyze.PartOutside.Key()] == t.WindowNS
}

// processorCell is a processor time in % of the time of which it is known.
func (t *Thread) processorCell(n *int64) string {
	if n == nil {
		return "?"
	}
	return percentCell(*n, int64(t.CPUCovered*float64(t.WindowNS)))
}

func threadName(t *Thread) string {
	if t.Name == "" {
		return fmt.Sprint(t.TID)
	}
	return fmt.Sprintf("%s %d", cut(t.Name, 16), t.TID)
}

// percentCell is part of whole in percent; empty for nothing.
func percentCell(part, whole int64) string {
	if part == 0 || whole == 0 {
		return "·"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p < 0.05:
		return "<.1"
	case p < 99.95:
		return fmt.Sprintf("%.1f", p)
	}
	return "100"
}

func (r *Report) writeWaits(w io.Writer, style styler) {
	s := &r.Serialization
	r.writeMatrix(w, style, "who waits for whom", "row waits for work that column committed, or for a lock that it holds", s.WaitMatrix)
	r.writeMatrix(w, style, "who is queued behind whom", "row's work waits while the GPU runs column's", s.QueuedMatrix)
	r.writeMatrix(w, style, "who waits for whose lock", "row waits for a lock that column holds", s.LockMatrix)
	if len(s.MutualExclusion) > 0 {
		head(w, style, "do threads exclude each other?", "1: never at the same time; 0: as by chance")
		t := &table{heads: []string{"what", "index", "by chance", "p", "threads", "intervals"}, left: 1}
		for _, e := range s.MutualExclusion {
			t.add(e.What, fmt.Sprintf("%.2f", e.Index), fmt.Sprintf("%.2f…%.2f", e.NullLow, e.NullHigh), fmt.Sprintf("%.3f", e.PValue), count(e.Threads), count(e.Intervals))
		}
		t.write(w, style)
	}
}

// writePath writes what the critical path is made of, threads together, and the chains of waits.
func (r *Report) writePath(w io.Writer, style styler) {
	p := &r.Serialization.CriticalPath
	if len(p.Parts) > 0 {
		head(w, style, "critical path", "what waited for what, from the end back: to be faster, something here must be shorter")
		var order []string
		sum, threads := map[string]int64{}, map[string]int{}
		for _, part := range p.Parts {
			if sum[part.What] == 0 {
				order = append(order, part.What)
			}
			sum[part.What] += part.NS
			threads[part.What]++
		}
		slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(sum[b], sum[a]) })
		t := &table{heads: []string{"what", "time", "share", "threads"}, left: 1}
		for _, what := range order {
			t.add(what, ns(sum[what]), analyze.FormatShare(float64(sum[what])/float64(max(1, p.LengthNS))), count(threads[what]))
		}
		t.write(w, style)
	}
	if c := r.Serialization.Chains; len(c) > 0 && c[0].NS*100 >= p.LengthNS {
		head(w, style, "chains of waits", "each waits for the next")
		t := &table{heads: []string{"chain", "time", "waits"}, left: 1}
		for _, chain := range c[:min(len(c), 6)] {
			t.add(strings.Join(append(list(chain.TIDs, func(n uint64) string { return fmt.Sprint(n) }), chain.Root), " → "), ns(chain.NS), count(chain.Waits))
		}
		t.write(w, style)
	}
}

// mostColumns bounds a matrix: the threads with the most time in it are shown.
const mostColumns = 9

func (r *Report) writeMatrix(w io.Writer, style styler, title, remark string, m Matrix) {
	weight := make([]int64, len(m.TIDs))
	total := int64(0)
	for i := range m.NS {
		for j, n := range m.NS[i] {
			weight[i] += n
			weight[j] += n
			total += n
		}
	}
	threads := int64(0)
	for i := range r.Threads {
		threads += r.Threads[i].WindowNS
	}
	if total*200 < threads || total == 0 { // hardly anything
		return
	}
	head(w, style, title, remark)
	var shown []int
	for i := range m.TIDs {
		if weight[i] > 0 {
			shown = append(shown, i)
		}
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	more := len(shown) - mostColumns
	shown = shown[:min(len(shown), mostColumns)]
	slices.Sort(shown)
	t := &table{heads: []string{"thread"}, left: 1}
	for _, j := range shown {
		t.heads = append(t.heads, fmt.Sprint(m.TIDs[j])) // ids alone: names would be too wide
	}
	for _, i := range shown {
		row := []string{fmt.Sprint(m.TIDs[i])}
		for _, j := range shown {
			if n := m.NS[i][j]; n > 0 {
				row = append(row, ns(n))
			} else {
				row = append(row, "·")
			}
		}
		t.add(row...)
	}
	t.write(w, style)
	if more > 0 {
		fmt.Fprintf(w, "  … and %d threads with less; the JSON report has all\n", more)
	}
}

func (r *Report) writeGPU(w io.Writer, style styler) {
	g := &r.GPU
	if g.BusyNS == 0 {
		head(w, style, "gpu", "no GPU times in this trace")
		return
	}
	head(w, style, "gpu", "")
	wrap(w, fmt.Sprintf("busy %s, %s of the window; command buffers' times add up to %s, %.2f at once while busy", ns(g.BusyNS),
		analyze.FormatShare(g.BusyShare), ns(g.SumNS), g.Overlap), "  ", "  ")
	l := &g.StartLatency
	if l.Count > 0 {
		wrap(w, fmt.Sprintf("from commit to the GPU's start: median %s, 95 %% within %s, 99 %% within %s, longest %s", ns(l.P50NS), ns(l.P95NS), ns(l.P99NS), ns(l.MaxNS)), "  ", "  ")
	}
	if text := g.Encoders.Text(); text != "" {
		wrap(w, text, "  ", "  ")
	}
	if len(g.Devices) > 1 {
		for _, d := range g.Devices {
			fmt.Fprintf(w, "  %s: busy %s, %s of %s\n", cmp.Or(d.Name, "device not known"), ns(d.BusyNS), analyze.FormatShare(d.BusyShare), ns(d.ActiveNS))
		}
	}
	if g.IdleNS > 0 && len(g.IdleBy) > 0 {
		fmt.Fprintf(w, "  idle for %s between command buffers, because the thread that came next was\n", ns(g.IdleNS))
		t := &table{heads: []string{"doing", "thread", "idle", "gaps"}, left: 2}
		for _, i := range g.IdleBy[:min(len(g.IdleBy), 8)] {
			t.add(i.Doing, fmt.Sprint(i.TID), ns(i.NS), count(i.Gaps))
		}
		t.write(w, style)
	}
}

// Text says how the times of encoders came about, where that was asked for; else "".
func (e Encoders) Text() string {
	if !e.Asked {
		return ""
	}
	text := fmt.Sprintf("times of encoders: %s measured by the GPU's own clock, %s estimated", count(e.Measured), count(e.Estimated))
	for i, why := range e.Because {
		text += fmt.Sprintf("%s %s: %s", map[bool]string{true: ";", false: ","}[i == 0], count(why.Count), why.Why)
	}
	return text + ". To be measured, encoders were made with samples that the program did not ask for"
}

func (r *Report) writeQueues(w io.Writer, style styler) {
	if len(r.Queues) == 0 {
		return
	}
	head(w, style, "queues", "")
	t := &table{heads: []string{"queue", "threads", "command buffers", "in flight, mean", "most", "capacity", "full for"}, left: 1, most: mostRows}
	for _, q := range r.Queues {
		capacity := "64 (default)"
		if q.Capacity > 0 {
			capacity = count(q.Capacity)
		}
		full := "·"
		if q.AtCapacityNS > 0 {
			full = ns(q.AtCapacityNS)
		}
		t.add(strings.TrimSpace(fmt.Sprintf("%d %s", q.ID, q.Label)), count(q.Threads), count(q.CommandBuffers), fmt.Sprintf("%.2f", q.InFlightMean), count(q.InFlightMax), capacity, full)
	}
	t.write(w, style)
}

func (r *Report) writeKernels(w io.Writer, style styler) {
	if len(r.Kernels) == 0 {
		return
	}
	head(w, style, "kernels", "where the GPU's time went")
	t := &table{heads: []string{"kernel", "gpu", "share", "dispatches", "mean", "threads", ""}, left: 1, most: mostRows}
	for _, k := range r.Kernels {
		name := k.Name
		if k.Layer != analyze.App {
			name = k.Layer + " / " + name
		}
		t.add(name, ns(k.GPUNS), analyze.FormatShare(k.Share), count(k.Dispatches), ns(k.MeanNS), fmt.Sprintf("%.0f", k.MeanThreads), k.Source)
	}
	t.write(w, style)
	for i, f := range r.FusionCandidates {
		if i == 5 {
			wrap(w, fmt.Sprintf("… and %d more; the JSON report has all", len(r.FusionCandidates)-i), "  ", "    ")
			break
		}
		wrap(w, fmt.Sprintf("could be one kernel: %s, %s times back to back", strings.Join(f.Kernels, " + "), count(f.Count)), "  ", "    ")
	}
}

func (r *Report) writeScopes(w io.Writer, style styler) {
	if len(r.Scopes) == 0 {
		return
	}
	head(w, style, "scopes", "times that the program named")
	t := &table{heads: []string{"scope", "count", "total", "mean", "shortest", "longest", "gpu"}, left: 1, most: mostRows}
	for _, s := range r.Scopes {
		t.add(s.Name, count(s.Count), ns(s.TotalNS), ns(s.MeanNS), ns(s.MinNS), ns(s.MaxNS), ns(s.GPUNS))
	}
	t.write(w, style)
}

func (r *Report) writeCalls(w io.Writer, style styler) {
	if len(r.Calls) == 0 {
		return
	}
	head(w, style, "calls", "")
	t := &table{heads: []string{"call", "count", "total", "mean", "median", "95 %", "99 %", "longest", "threads"}, left: 1, most: 2 * mostRows}
	same := map[string]int{}
	for _, c := range r.Calls {
		same[c.Selector]++
	}
	for _, c := range r.Calls {
		name := c.Selector
		if same[name] > 1 && c.Class != "" {
			name += " of " + c.Class
		}
		t.add(name, count(c.Count), ns(c.TotalNS), ns(c.MeanNS), ns(c.P50NS), ns(c.P95NS), ns(c.P99NS), ns(c.MaxNS), count(c.Threads))
	}
	t.write(w, style)
}

func (r *Report) writeCallSites(w io.Writer, style styler) {
	if len(r.CallSites) == 0 {
		return
	}
	head(w, style, "where calls come from", "the program's own functions, by the time in the calls that they make")
	t := &table{heads: []string{"function", "call", "count", "time", "threads"}, left: 2, most: mostRows}
	for _, s := range r.CallSites {
		t.add(s.At, s.Selector, count(s.Count), ns(s.ExclusiveNS), count(s.Threads))
	}
	t.write(w, style)
}

func (r *Report) writeMemory(w io.Writer, style styler) {
	m := &r.Memory
	if m.Allocations == 0 {
		return
	}
	head(w, style, "memory", "")
	peak := fmt.Sprintf("peak %s", analyze.FormatBytes(m.PeakBytes))
	if m.PeakSource != "measured" {
		peak = fmt.Sprintf("at most %s at a time", analyze.FormatBytes(m.PeakBytes))
	}
	text := fmt.Sprintf("%s allocations of %s, %s", count(m.Allocations), analyze.FormatBytes(m.Bytes), peak)
	if m.DeviceBytes != nil {
		text += fmt.Sprintf(", %s by the device's own account", analyze.FormatBytes(*m.DeviceBytes))
	}
	if m.ReuseShare != nil {
		text += fmt.Sprintf(", %s at an address used before", analyze.FormatShare(*m.ReuseShare))
	}
	wrap(w, text, "  ", "  ")
	modes := []string{}
	for mode := range m.ByStorageMode {
		modes = append(modes, mode)
	}
	slices.Sort(modes)
	for _, mode := range modes {
		s := m.ByStorageMode[mode]
		fmt.Fprintf(w, "  %-12s %s of %s\n", mode, count(s.Count), analyze.FormatBytes(s.Bytes))
	}
}

func (r *Report) writeCompile(w io.Writer, style styler) {
	c := &r.Compile
	if c.Libraries+c.Pipelines+c.Functions == 0 {
		return
	}
	head(w, style, "compilation", "")
	text := fmt.Sprintf("%d libraries, %d functions, %d pipeline states in %s; %d repeated, %d after the first commit, %s lost to those", c.Libraries, c.Functions,
		c.Pipelines, ns(c.TotalNS), c.Repeated, c.Late, ns(c.LostNS))
	if c.HitShare != nil {
		text += fmt.Sprintf("; %s of the repeated ones came from a cache", analyze.FormatShare(*c.HitShare))
	}
	wrap(w, text, "  ", "  ")
	t := &table{heads: []string{"what", "kind", "times", "total", "first"}, left: 2}
	for i, item := range c.Items {
		if i == 6 {
			break
		}
		t.add(item.Name, item.Kind, count(item.Count), ns(item.TotalNS), ns(item.FirstNS))
	}
	if len(t.rows) > 0 {
		t.write(w, style)
	}
}
