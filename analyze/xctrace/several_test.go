package xctrace

import (
	"io"
	"strings"
	"testing"
)

// Several tables of one schema are all read, from one file and from several; only the same table given twice is left
// out, with the reason. Of nodes without a path in one file, only the first was read.
func TestSeveralTablesOfOneSchema(t *testing.T) {
	row := `<start-time fmt="">1</start-time><duration fmt="">2</duration>` + strings.Repeat("<sentinel/>", 5)
	table := func(path string) string {
		return strings.Replace(node("metal-gpu-intervals", gpuColumns, row),
			"//trace-toc[1]/run[1]/data[1]/table[1]", path, 1)
	}
	const one, two = "//trace-toc[1]/run[1]/data[1]/table[1]", "//trace-toc[1]/run[1]/data[1]/table[2]"
	for _, c := range []struct {
		name  string
		files []string
		rows  int
	}{
		{"one file", []string{doc(table(one), table(two))}, 2},
		{"two files", []string{doc(table(one)), doc(table(two))}, 2},
		{"no paths", []string{doc(table(""), table(""))}, 2},
		{"the same table twice", []string{doc(table(one)), doc(table(one))}, 1},
	} {
		r := NewRecording()
		var refused []string
		for i, content := range c.files {
			in := Input{Name: string(rune('a' + i)), Listed: true, open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(content)), nil
			}}
			if err := r.Add(&in, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range r.Documents {
			for _, t := range d.Tables {
				if t.Refused != "" {
					refused = append(refused, t.Refused)
				}
			}
		}
		if len(r.GPU.Intervals) != c.rows || (c.rows == 1) != (len(refused) == 1) {
			t.Errorf("%s: %d rows, refused %q", c.name, len(r.GPU.Intervals), refused)
		}
	}
}
