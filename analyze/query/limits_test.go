package query

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestQueriesAreBounded: no query takes memory or time without a limit, however many terms it has and however deep it
// nests. A query with a thousand percentiles kept all values of a column a thousand times.
func TestQueriesAreBounded(t *testing.T) {
	dir := folder(t)
	many := func(term string) string { return strings.TrimSuffix(strings.Repeat(term+",", mostTerms+1), ",") }
	for query, want := range map[string]string{
		`{"table":"calls","columns":[` + many(`"tid"`) + `]}`: "columns are more than",
		`{"table":"calls","group_by":[` + many(`"tid"`) +
			`]}`: "columns to group by are more than",
		`{"table":"calls","where":[` + many(`{"column":"tid","is":"set"}`) +
			`]}`: "conditions are more than",
		`{"table":"calls","aggregates":[` + many(`{"function":"p99","column":"duration_ns"}`) +
			`]}`: "aggregates are more than",
	} {
		var q Query
		if err := json.Unmarshal([]byte(query), &q); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(dir, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s…: %v, want %q", query, err, want)
		}
	}
	deep := `{"table":"calls","where":[{"column":"tid","is":"=","value":` + strings.Repeat("[", 100_000) +
		strings.Repeat("]", 100_000) + `}]}`
	var q Query
	if err := json.Unmarshal([]byte(deep), &q); err == nil {
		t.Error("a value that nests 100,000 times is read")
	}
	r, err := newRun(Query{Table: "t", Limit: 1, Aggregates: []Aggregate{{"p50", "n"}, {"p99", "n"}}}, []string{"n"},
		[]string{kindNumber})
	if err != nil {
		t.Fatal(err)
	}
	r.mostValues = 1000
	for i := range int64(1001) {
		if err = r.row([]any{i}); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "the percentiles need more than 1000 values") {
		t.Errorf("%v after %d values", err, r.gathered)
	}
	aggregates := make([]Aggregate, mostTerms)
	for i := range aggregates {
		aggregates[i] = Aggregate{"sum", "n"}
	}
	if r, err = newRun(Query{Table: "t", Limit: 1, GroupBy: []string{"n"}, Aggregates: aggregates}, []string{"n"},
		[]string{kindNumber}); err != nil {
		t.Fatal(err)
	}
	for i := range int64(mostGroups) {
		if err = r.row([]any{i}); err != nil {
			break
		}
	}
	if want := fmt.Sprintf("more than %d groups", mostSums/mostTerms); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
