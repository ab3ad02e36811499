package report

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// A Matrix has the time that threads waited for each other: thread TIDs[i] waited NS[i][j] nanoseconds for thread
// TIDs[j].
type Matrix struct {
	TIDs []uint64  `json:"tids"`
	NS   [][]int64 `json:"ns"`
}

func matrix(m *evidence.Matrix, opts Options) Matrix {
	whole := Matrix{
		TIDs: list(m.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) }),
		NS: list(m.NS, func(row []analyze.Nanos) []int64 {
			return list(row,
				func(n analyze.Nanos) int64 { return int64(n) })
		}),
	}
	if len(opts.Threads) == 0 {
		return whole
	}
	return whole.about(func(i int) bool { return opts.lists(m.Threads[i]) })
}

func (m Matrix) equal(other Matrix) bool {
	return slices.EqualFunc(m.NS, other.NS, slices.Equal[[]int64])
}

// leastWeight is the minimum share of all waiting time in the matrix that a thread must have to be shown.
const leastWeight = 0.002

// mostColumns is the maximum number of threads shown in a matrix: those with the most waiting time. More columns
// would be too wide.
const mostColumns = 9

func writeMatrix(w *sheet, r *Report, title, remark string, m Matrix) {
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
	writeHeading(w, title, remark)
	var shown []int
	more := 0
	for i := range m.TIDs {
		if weight[i] > 0 {
			more++
		}
		if float64(weight[i]) >= leastWeight*float64(total) {
			shown = append(shown, i)
		}
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	shown = shown[:min(len(shown), mostColumns)]
	more -= len(shown)
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
	t.write(w)
	if more > 0 {
		wrap(w, fmt.Sprintf("… and %s with less waiting time; the JSON report has all", analyze.Plural(more, "thread")),
			"  ", "    ")
	}
}
