package xctrace

import (
	"fmt"
	"strings"
	"testing"
)

// Any table's rows can be had as they are.
func TestReadTable(t *testing.T) {
	path := put(t, t.TempDir(), "a.xml", []byte(doc(node("counters-profile", counters, counterRows...),
		node("metal-gpu-intervals", gpuColumns, strings.NewReplacer(`id="`, `id="1`, `ref="`, `ref="1`).Replace(firstRow)))))
	inputs, _, err := Inputs([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rowsOf := func(name string) (columns []string, rows []string) {
		_, _, err := NewRecording().ReadTable(&inputs[0], name, nil, func(list []RawColumn) error {
			for _, c := range list {
				columns = append(columns, fmt.Sprint(c.Mnemonic, " ", c.Kind))
			}
			return nil
		}, func(values []any) error {
			rows = append(rows, fmt.Sprint(values))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return columns, rows
	}
	columns, rows := rowsOf("counters-profile")
	if got, want := fmt.Sprint(columns, rows),
		"[time 1 thread 0 pmc-events 0 weight 1] [[1000 main 0x7 (p, pid: 42) 1 2 1] [2000 main 0x7 (p, pid: 42) 9 1] "+
			"[3000 main 0x7 (p, pid: 42) <nil> 1]]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, rows := rowsOf("metal-gpu-intervals"); fmt.Sprint(rows) != "[[100000 5000 Compute 7 a:b ( p (42) ) p (42) 16]]" {
		t.Errorf("rows %v", rows)
	}
	if columns, rows := rowsOf("none"); len(columns)+len(rows) != 0 {
		t.Errorf("a table that is not there: %v, %v", columns, rows)
	}
}

// An export that was stored both packed and unpacked gave every row twice, two runs were merged into one table, and the
// values of a detail view with other columns were under the columns of the table before. A summary leaves such tables
// out, and reports that.
func TestReadTableOnce(t *testing.T) {
	run := func(n int) string {
		return strings.Replace(node("counters-profile", counters, counterRows...), "run[1]", fmt.Sprintf("run[%d]", n), 1)
	}
	detail := func(n int, row string) string {
		return fmt.Sprintf("<node xpath='//trace-toc[1]/run[1]/tracks[1]/track[%d]/details[1]/detail[@name=\"list\"]'>"+
			"<row %s/><row %[2]s/></node>", n, row)
	}
	for name, c := range map[string]struct {
		table     string
		documents []string
		want      string
		refused   string
	}{
		"twice":          {"counters-profile", []string{run(1), run(1)}, "3", "already read from 0.xml"},
		"two runs":       {"counters-profile", []string{run(1), run(2)}, "3", "run[2] of the document is not read"},
		"other columns":  {"list", []string{detail(1, `a="1" b="2"`) + detail(2, `b="2" a="1"`)}, "2", "its columns differ"},
		"the same twice": {"list", []string{detail(1, `a="1"`) + detail(2, `a="1"`)}, "4", ""},
	} {
		dir, recording, rows := t.TempDir(), NewRecording(), 0
		var refused []string
		for i, text := range c.documents {
			inputs, _, err := Inputs([]string{put(t, dir, fmt.Sprint(i, ".xml"), []byte(doc(text)))}, nil)
			if err != nil {
				t.Fatal(err)
			}
			inputs[0].Name = fmt.Sprint(i, ".xml")
			d, _, err := recording.ReadTable(&inputs[0], c.table, nil, func([]RawColumn) error { return nil },
				func([]any) error { rows++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range d.Tables {
				if table.Refused != "" {
					refused = append(refused, table.Refused)
				}
			}
		}
		if fmt.Sprint(rows) != c.want || !strings.Contains(strings.Join(refused, " "), c.refused) || len(refused) > 0 &&
			c.refused == "" {
			t.Errorf("%s: %d rows, refused %q", name, rows, refused)
		}
	}
}
