package summary

import (
	"strings"
	"testing"

	"mtrace/fixtures/xctrace/export"
)

// without writes a table of GPU rows with changed columns: from=to renames a column, from alone removes it.
func without(t *testing.T, changes string, rows ...gpuRow) func(*export.Writer) {
	t.Helper()
	removed, renamed := map[string]bool{}, map[string]string{}
	for _, change := range strings.Fields(changes) {
		if from, to, ok := strings.Cut(change, "="); ok {
			renamed[from] = to
		} else {
			removed[change] = true
		}
	}
	schema, _ := export.SchemaOf(tableGPU)
	return func(w *export.Writer) {
		columns := schema.Columns[:0:0]
		for _, c := range schema.Columns {
			if to := renamed[c.Mnemonic]; to != "" {
				c.Mnemonic = to
			}
			if !removed[c.Mnemonic] {
				columns = append(columns, c)
			}
		}
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[1]", tableGPU, columns)
		for i, r := range rows {
			var cells []export.Value
			for at, value := range gpuCells(i, r) {
				if !removed[schema.Columns[at].Mnemonic] {
					cells = append(cells, value)
				}
			}
			w.Row(cells)
		}
		w.EndTable()
	}
}

// The times of GPU rows are read whichever of the other columns a version of Instruments lacks or renames; a table
// without a column of processes was lost as a whole.
func TestGPURowsWithoutColumns(t *testing.T) {
	rows := []gpuRow{
		{start: 1000, duration: 500, channel: "Compute", label: "cb:work", pid: 7, buffer: 1, encoder: 2},
		{start: 2000, duration: 500, channel: "Compute", label: "cb:work", pid: 8, buffer: 3, encoder: 4},
	}
	for _, c := range []struct {
		changes, warning, label string
		own                     int
	}{
		{"", "", "cb:work", 1},
		{"process", "no column process", "cb:work", 1}, // the label names it
		{"event-label", "no column event-label", "(no label)", 1},
		{"event-label=event-label-2", "column event-label-2 of the same type is read instead", "cb:work", 1},
		{"channel-name", "no column channel-name", "cb:work", 1},
	} {
		s := summarise(t, Filter{PIDs: []uint64{7}}, "", without(t, c.changes, rows...))
		if s.GPU == nil || s.GPU.Own.BusyNS != 500 || s.GPU.Own.Intervals != c.own || len(s.Labels) != 1 ||
			s.Labels[0].Name != c.label {
			t.Errorf("%q: GPU %+v, labels %+v, warnings %q", c.changes, s.GPU, s.Labels, s.Warnings)
		}
		if !warned(s, c.warning) && c.warning != "" {
			t.Errorf("%q: warnings %q, none says %q", c.changes, s.Warnings, c.warning)
		}
	}
}

// Without processes and labels, the submissions tell whose the rows are; without those too they are nobody's.
func TestGPURowsOfUnknownProcess(t *testing.T) {
	row := gpuRow{start: 1000, duration: 500, channel: "Compute", label: "cb:work", pid: 7, buffer: 1, encoder: 2}
	table := without(t, "process event-label", row)
	alone := summarise(t, Filter{}, contents(launched, 1, []string{tableGPU}), table)
	if alone.GPU == nil || alone.GPU.All.BusyNS != 500 || alone.GPU.UnattributedShare != 1 ||
		!strings.Contains(whyMissing(alone, "GPU time of the subject"), "no row names its process") {
		t.Errorf("alone: GPU %+v, missing %+v", alone.GPU, alone.Missing)
	}
	joined := summarise(t, Filter{PIDs: []uint64{7}}, "", table,
		submissionTable(submissionRow{start: 100, duration: 200, pid: 7, buffer: 1}))
	if joined.GPU == nil || joined.GPU.Own.BusyNS != 500 || joined.GPU.OwnShare != 1 {
		t.Errorf("joined: %+v", joined.GPU)
	}
}
