package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
)

// A heatMap is a matrix of waits between threads as the HTML page shows it. Threads with little time in their row and
// column are left out; More is their number.
type heatMap struct {
	Columns []string
	Rows    []heatRow
	More    int // threads with non-zero values that are not shown
}

type heatRow struct {
	Name  string
	Cells []heatCell
}

type heatCell struct {
	NS   int64
	Heat template.CSS // the redder, the longer
}

// mostHeat is the maximum number of rows, and of columns, of a heat map.
const mostHeat = 40

func (m Matrix) largest() (most int64) {
	for _, row := range m.NS {
		for _, n := range row {
			most = max(most, n)
		}
	}
	return most
}

// HeatMap returns the heat map of a matrix, with only those rows and columns that have a notable time.
func (r *Report) HeatMap(m Matrix) (h heatMap) {
	waits, causes := make([]int64, len(m.TIDs)), make([]int64, len(m.TIDs)) // sums of rows and columns
	total := int64(0)
	for i, row := range m.NS {
		for j, n := range row {
			waits[i] += n
			causes[j] += n
			total += n
		}
	}
	left := map[int]bool{}
	used := func(sums []int64) (shown []int) {
		for i, n := range sums {
			switch {
			case n > 0 && float64(n) >= leastWeight*float64(total):
				shown = append(shown, i)
			case n > 0:
				left[i] = true
			}
		}
		slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
		for _, i := range shown[min(len(shown), mostHeat):] {
			left[i] = true
		}
		shown = shown[:min(len(shown), mostHeat)]
		slices.Sort(shown)
		return shown
	}
	rows, columns := used(waits), used(causes)
	seen := func(i, j int) bool { return m.NS[i][j] > 0 }
	columns = slices.DeleteFunc(columns, func(j int) bool { // everything in the column is in rows that are not shown
		left[j] = !slices.ContainsFunc(rows, func(i int) bool { return seen(i, j) })
		return left[j]
	})
	rows = slices.DeleteFunc(rows, func(i int) bool {
		left[i] = left[i] || !slices.ContainsFunc(columns, func(j int) bool { return seen(i, j) })
		return !slices.ContainsFunc(columns, func(j int) bool { return seen(i, j) })
	})
	for _, i := range slices.Concat(rows, columns) {
		delete(left, i)
	}
	for _, is := range left {
		if is {
			h.More++
		}
	}
	for _, j := range columns {
		h.Columns = append(h.Columns, r.NameOf(m.TIDs[j]))
	}
	most := m.largest()
	for _, i := range rows {
		row := heatRow{Name: r.NameOf(m.TIDs[i])}
		for _, j := range columns {
			c := heatCell{NS: m.NS[i][j]}
			if c.NS > 0 {
				c.Heat = template.CSS(fmt.Sprintf("background:rgba(214,39,40,%.2f)",
					0.06+0.5*float64(c.NS)/float64(most)))
			}
			row.Cells = append(row.Cells, c)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// NameOf is a thread's name and number.
func (r *Report) NameOf(tid uint64) string {
	for i := range r.Threads {
		if r.Threads[i].TID == tid {
			return threadName(&r.Threads[i])
		}
	}
	return fmt.Sprint(tid)
}
