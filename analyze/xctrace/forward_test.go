package xctrace

import (
	"strings"
	"testing"
)

// A reference to a value that is defined further on was "not in the file", and its row was left out. The values may be
// in the next row, nested, in another table, and hold such references themselves.
func TestForwardReferences(t *testing.T) {
	early := `<start-time fmt="">50</start-time><duration ref="2"/><gpu-channel-name ref="3"/><duration ref="4"/>` +
		`<formatted-label ref="5"/><process ref="8"/><metal-command-buffer-id ref="12"/>`
	for _, size := range []int{windowSize, 512} {
		withWindow(t, size)
		for name, document := range map[string]string{
			"in the next row":  doc(node("metal-gpu-intervals", gpuColumns, early, firstRow)),
			"in another table": doc(node("metal-gpu-intervals", gpuColumns, early), node("x", gpuColumns, firstRow)),
			"cut after it": strings.TrimSuffix(doc(node("metal-gpu-intervals", gpuColumns, early, firstRow)),
				"</node></trace-query-result>\n"),
			"of a value with such references": doc(node("metal-gpu-intervals", gpuColumns, early,
				strings.Replace(firstRow, `<pid id="9" fmt="42">42</pid>`, `<pid ref="99"/>`, 1)),
				node("x", "pid:pid", `<pid id="99" fmt="">42</pid>`)),
		} {
			rows, d, dict := read(t, document)
			if len(rows) == 0 || d.Tables[0].Dangling != 0 || d.Tables[0].Rejected != 0 || len(d.Tables[0].Problems) > 0 {
				t.Errorf("%s: %d rows, table %+v", name, len(rows), d.Tables[0])
				continue
			}
			found := false
			for _, r := range rows {
				found = found || r.Start == 50 && r.Duration == 5000 && r.StartLatency == 7 && r.CommandBuffer == 16 &&
					dict.Text(r.Label) == "a:b" && dict.Processes[r.Process] == Process{42, "p"}
			}
			if !found {
				t.Errorf("%s: rows %+v", name, rows)
			}
		}
	}
}

// A row whose unresolved reference is in a column that is not read is delivered once, in its place.
func TestForwardReferenceInAnUnreadColumn(t *testing.T) {
	columns := gpuColumns + " color:render-buffer-depth"
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", columns, firstRow+`<render-buffer-depth ref="77"/>`,
		strings.Replace(refRow, "$", "20", 1)+`<render-buffer-depth id="77" fmt="">1</render-buffer-depth>`)))
	if len(rows) != 2 || rows[0].Start != 100000 || d.Tables[0].Dangling != 0 || d.Tables[0].Rows != 2 {
		t.Errorf("rows %+v, table %+v", rows, d.Tables[0])
	}
}

const refRow = `<start-time id="$" fmt="">200000</start-time><duration ref="2"/><gpu-channel-name ref="3"/>` +
	`<duration ref="2"/><formatted-label ref="5"/><process ref="8"/><metal-command-buffer-id ref="12"/>`

// The memory for rows to be read again is bounded: references beyond it are dangling, as those to nothing are.
func TestForwardReferencesAreBounded(t *testing.T) {
	before := maxForward
	t.Cleanup(func() { maxForward = before })
	maxForward = 1000
	const count = 100
	row := `<start-time ref="900"/>` + strings.Repeat("<sentinel/>", 6)
	last := `<start-time id="900" fmt="">5</start-time>` + strings.Repeat("<sentinel/>", 6)
	many := append(strings.Split(strings.TrimSuffix(strings.Repeat(row+"\n", count), "\n"), "\n"), last)
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns, many...)))
	table := d.Tables[0]
	if table.Rows != count+1 || table.Dangling == 0 || table.Rejected != table.Dangling ||
		int64(len(rows)) != table.Rows-table.Rejected || len(rows) < 2 {
		t.Errorf("%d rows, table %+v", len(rows), table)
	}
}

// withWindow sets the number of bytes that a scanner has in memory, for one test.
func withWindow(t *testing.T, size int) {
	t.Helper()
	before := windowSize
	t.Cleanup(func() { windowSize = before })
	windowSize = size
}
