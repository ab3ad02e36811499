package xctrace

import (
	"strings"
	"testing"
)

// A schema without columns or without a name costs its own table, not the file: "byte 151: a schema without a name or
// without columns" once refused all tables of a document. The ids of its rows are still needed by the other tables.
func TestSchemaWithoutColumnsLosesItsTable(t *testing.T) {
	later := `<start-time id="40" fmt="">900</start-time><duration ref="2"/><sentinel/><sentinel/><sentinel/><sentinel/>` +
		`<sentinel/>`
	for _, c := range []struct{ name, schema, columns, want string }{
		{"no columns", "metal-object-label", "", "no columns"},
		{"no name", "", "start:start-time duration:duration", "no name"},
		{"neither", "", "", "no name"},
	} {
		broken := node(c.schema, c.columns, `<start-time id="1" fmt="">5</start-time><duration id="2" fmt="">77</duration>`,
			`<start-time ref="1"/><duration ref="2"/>`)
		// A node without a schema: the previous node's schema applies.
		broken += `<node xpath='x'><row><start-time ref="1"/></row></node>`
		rows, d, _ := read(t, doc(broken, node("metal-gpu-intervals", gpuColumns, later)))
		if len(rows) != 1 || rows[0].Duration != 77 {
			t.Errorf("%s: rows %+v", c.name, rows)
			continue
		}
		for i, count := range []int64{2, 1} {
			if table := d.Tables[i]; !strings.Contains(table.Refused, c.want) || table.Rows != count || table.Decoded {
				t.Errorf("%s: table %d is %+v", c.name, i, table)
			}
		}
	}
}
