package report

import (
	"reflect"
	"testing"
)

// TestHeatMap: threads have names, and threads with an empty row, or an empty column, are left out. The number of
// threads below the smallest printed value is printed.
func TestHeatMap(t *testing.T) {
	r := &Report{Threads: []Thread{{TID: 1, Name: "main"}, {TID: 2, Name: "worker"}, {TID: 3}, {TID: 4, Name: "slow"}}}
	h := r.HeatMap(Matrix{TIDs: []uint64{1, 2, 3, 4}, NS: [][]int64{{0, 5000, 1, 0}, {0, 0, 0, 0}, {0, 2500, 0, 0},
		{0, 1, 0, 0}}})
	var names []string
	for _, row := range h.Rows {
		names = append(names, row.Name)
	}
	if want := []string{"main 1", "3"}; !reflect.DeepEqual(names, want) ||
		!reflect.DeepEqual(h.Columns, []string{"worker 2"}) || h.More != 1 {
		t.Errorf("rows %q, columns %q, and %d more", names, h.Columns, h.More)
	}
	if c := h.Rows[0].Cells[0]; c.NS != 5000 || c.Heat == "" {
		t.Errorf("the cell is %v", c)
	}

	// A heat map had a column of nothing but dots: many threads waited for that thread, each for a moment, and their
	// rows are not shown.
	many := Matrix{TIDs: []uint64{1, 2}, NS: [][]int64{{0, 1_000_000}, {0, 0}}}
	for i := range 300 {
		many.TIDs = append(many.TIDs, uint64(100+i))
		many.NS = append(many.NS, append(make([]int64, 2), 20)) // for the thread 100
	}
	for i := range many.NS {
		many.NS[i] = append(many.NS[i], make([]int64, len(many.TIDs)-len(many.NS[i]))...)
	}
	if h := r.HeatMap(many); len(h.Columns) != 1 || len(h.Rows) != 1 || h.More != 300 {
		t.Errorf("columns %q, %d rows and %d more", h.Columns, len(h.Rows), h.More)
	}
}
