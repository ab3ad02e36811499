package query

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	TID      int64  `parquet:"tid"`
	Selector string `parquet:"selector,dict"`
	Duration int64  `parquet:"duration_ns,optional"`
	Failed   bool   `parquet:"failed"`
}

// folder has one table of ten calls.
func folder(t testing.TB) string {
	t.Helper()
	var rows []row
	for i := range int64(10) {
		rows = append(rows, row{TID: 1 + i%2, Selector: []string{"commit", "waitUntilCompleted"}[i%2], Duration: i * 100,
			Failed: i == 7})
	}
	dir := t.TempDir()
	if err := parquet.WriteFile(filepath.Join(dir, "calls.parquet"), rows, parquet.MaxRowsPerRowGroup(3)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRun: the answers equal counts made by hand.
func TestRun(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct{ query, want string }{
		{`{"table":"calls","limit":2}`,
			`[["tid","selector","duration_ns","failed"],[[1,"commit",null,false],[2,"waitUntilCompleted",100,false]],10,8]`},
		{`{"table":"calls","columns":["duration_ns"],"order_by":"duration_ns","descending":true,"limit":2}`,
			`[["duration_ns"],[[900],[800]],10,8]`},
		{`{"table":"calls","columns":["duration_ns"],"order_by":"duration_ns","limit":1}`,
			`[["duration_ns"],[[100]],10,9]`},
		{`{"table":"calls","columns":["duration_ns"],"where":[{"column":"failed","is":"=","value":true}]}`,
			`[["duration_ns"],[[700]],1,0]`},
		{`{"table":"calls","columns":["tid"],"where":[{"column":"duration_ns","is":"null"}]}`,
			`[["tid"],[[1]],1,0]`},
		{`{"table":"calls","aggregates":[{"function":"count"}],"where":[{"column":"duration_ns","is":">=","value":500}]}`,
			`[["count"],[[5]],5,0]`},
		{`{"table":"calls","group_by":["selector"],"where":[{"column":"selector","is":"contains","value":"WAIT"}]}`,
			`[["selector","count"],[["waitUntilCompleted",5]],5,0]`},
		{`{"table":"calls","group_by":["selector"],"aggregates":[{"function":"sum","column":"duration_ns"},` +
			`{"function":"mean","column":"duration_ns"},{"function":"max","column":"duration_ns"},{"function":"p50",` +
			`"column":"duration_ns"}],"order_by":"sum(duration_ns)","descending":true}`,
			`[["selector","sum(duration_ns)","mean(duration_ns)","max(duration_ns)",` +
				`"p50(duration_ns)"],[["waitUntilCompleted",2500,500,900,500],["commit",2000,500,800,400]],10,0]`},
		{`{"table":"calls","columns":["tid"],"where":[{"column":"duration_ns","is":"contains","value":9}]}`,
			`[["tid"],[[2]],1,0]`},
		{`{"table":"calls","aggregates":[{"function":"min","column":"selector"},{"function":"max","column":"failed"}]}`,
			`[["min(selector)","max(failed)"],[["commit",true]],10,0]`},
		{`{"table":"calls","aggregates":[{"function":"min","column":"duration_ns"}],"where":[{"column":"tid","is":"=",` +
			`"value":9}]}`,
			`[["min(duration_ns)"],[],0,0]`},
	} {
		var q Query
		if err := json.Unmarshal([]byte(c.query), &q); err != nil {
			t.Fatal(err)
		}
		answer, err := Run(dir, q)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		got, _ := json.Marshal([]any{answer.Columns, answer.Rows, answer.Matched, answer.More})
		var x, y any
		json.Unmarshal(got, &x)
		if err := json.Unmarshal([]byte(c.want), &y); err != nil || !reflect.DeepEqual(x, y) {
			t.Errorf("%s\ngave %s\nwant %s", c.query, got, c.want)
		}
	}
}

// TestWrongQueries: one line states what is wrong, and nothing outside of the folder is read. Once durations under
// "1000", in quotes, were all durations, and the mean of a text was 0.
func TestWrongQueries(t *testing.T) {
	dir := folder(t)
	for query, want := range map[string]string{
		`{"table":"../calls"}`: "no table",
		`{"table":"nothing"}`:  "no table",
		`{"table":"calls","columns":["colour"]}`: "it has tid, selector, " +
			"duration_ns, failed",
		`{"table":"calls","order_by":"colour"}`:                                 "not a column of the answer",
		`{"table":"calls","aggregates":[{"function":"median","column":"tid"}]}`: "the functions are count, sum",
		`{"table":"calls","where":[{"column":"tid","is":"~","value":1}]}`:       "must be one of = != <",
		`{"table":"calls","where":[{"column":"tid","is":"="}]}`:                 "needs a value to compare with",
		`{"table":"calls","where":[{"column":"tid","is":"=","value":[1]}]}`:     "not a number, a text or a truth value",
		`{"table":"calls","where":[{"column":"duration_ns","is":"<","value":"1000"}]}`: `the column duration_ns has a ` +
			`number in each row, but the condition compares it with "1000", a text: give a number`,
		`{"table":"calls","where":[{"column":"selector","is":"=","value":1}]}`:     "give a text",
		`{"table":"calls","where":[{"column":"failed","is":"=","value":"true"}]}`:  "give a truth value",
		`{"table":"calls","where":[{"column":"failed","is":"!=","value":1}]}`:      "give a truth value",
		`{"table":"calls","aggregates":[{"function":"mean","column":"selector"}]}`: "mean(selector): the column has a ",
		`{"table":"calls","aggregates":[{"function":"sum","column":"failed"}]}`:    "sum(failed): the column has a ",
		`{"table":"calls","limit":5000}`:                                           "limit is 1 to 1000",
		`{"table":"calls","columns":["tid"],` +
			`"aggregates":[{"function":"count"}]}`: "cannot be combined with aggregates or group_by",
	} {
		var q Query
		if err := json.Unmarshal([]byte(query), &q); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(dir, q); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}

// FuzzRun: whatever a query is, there is an answer or an error.
func FuzzRun(f *testing.F) {
	whole, err := os.ReadFile(filepath.Join(folder(f), "calls.parquet"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"table":"calls","group_by":["selector"],"aggregates":[{"function":"p95","column":"duration_ns"}]}`))
	f.Fuzz(func(t *testing.T, query []byte) { // the file is one that mtrace wrote a moment ago
		var q Query
		if json.Unmarshal(query, &q) != nil {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "calls.parquet"), whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := Run(dir, q); err == nil && len(a.Rows) > mostLimit {
			t.Errorf("%d rows", len(a.Rows))
		}
	})
}
