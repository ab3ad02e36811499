// Package query answers questions about one table of an exported trace: it selects, groups and aggregates rows. It is
// for users without a database, such as an assistant that was given a trace; docs/export.md says how to query a
// database.
package query

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// A Query is a question about one table. Without aggregates the answer has rows of the table; with aggregates it has
// one row per group.
type Query struct {
	Table      string      `json:"table" jsonschema:"the table, such as calls or waits; the tool tables lists all"`
	Columns    []string    `json:"columns,omitempty" jsonschema:"columns of the answer if no aggregates; empty means all"`
	Where      []Condition `json:"where,omitempty" jsonschema:"all of these must hold"`
	GroupBy    []string    `json:"group_by,omitempty" jsonschema:"one row for each combination of values of these columns"`
	Aggregates []Aggregate `json:"aggregates,omitempty" jsonschema:"functions to compute for each group, or for all rows"`
	OrderBy    string      `json:"order_by,omitempty" jsonschema:"column of the answer to sort by: sum(duration_ns)"`
	Descending bool        `json:"descending,omitempty" jsonschema:"the largest first"`
	Limit      int         `json:"limit,omitempty" jsonschema:"maximum number of rows: 50 if not given, at most 1000"`
}

// A Condition compares the values of a column with a given value. A row counts only if it meets all conditions of the
// query.
type Condition struct {
	Column string `json:"column"`
	Is     string `json:"is" jsonschema:"one of = != < <= > >= contains null set"`
	Value  any    `json:"value,omitempty" jsonschema:"a number, a text or a truth value; none with null and set"`
}

// An Aggregate is a function of all values that a column has in a group, such as their sum. Nulls are ignored.
type Aggregate struct {
	Function string `json:"function" jsonschema:"count, sum, mean, min, max, p50, p95 or p99"`
	Column   string `json:"column,omitempty" jsonschema:"the column that the function is computed of; none with count"`
}

// Name returns the name of the aggregate's column in an answer, such as sum(duration_ns).
func (a Aggregate) Name() string {
	if a.Function == "count" {
		return a.Function
	}
	return a.Function + "(" + a.Column + ")"
}

// An Answer is rows.
type Answer struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`    // values are integers, numbers, texts, truth values or null
	Matched int      `json:"matched"` // rows of the table that meet the conditions
	More    int      `json:"more"`    // rows of the answer that the limit left out
}

const (
	usualLimit = 50
	mostLimit  = 1000
	mostGroups = 1 << 20
	mostSums   = 1 << 22 // figures of all groups
	mostTerms  = 64      // maximum number of columns, conditions or aggregates
	mostValues = 1 << 26 // values of all percentiles together, of eight bytes each
)

// Run answers a query on a folder of Parquet files, one per table, as mtrace export writes them. If the query is
// wrong, the error says in one line what to correct.
func Run(folder string, q Query) (*Answer, error) {
	if q.Limit == 0 {
		q.Limit = usualLimit
	}
	if q.Limit < 0 || q.Limit > mostLimit {
		return nil, fmt.Errorf("limit is 1 to %d, not %d", mostLimit, q.Limit)
	}
	for what, n := range map[string]int{"columns": len(q.Columns), "conditions": len(q.Where),
		"columns to group by": len(q.GroupBy), "aggregates": len(q.Aggregates)} {
		if n > mostTerms {
			return nil, fmt.Errorf("%d %s are more than %d", n, what, mostTerms)
		}
	}
	if q.Table == "" || strings.ContainsAny(q.Table, `/\.`) {
		return nil, fmt.Errorf("no table %q", q.Table)
	}
	file, err := os.Open(filepath.Join(folder, q.Table+".parquet"))
	if err != nil {
		return nil, fmt.Errorf("no table %q", q.Table)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	table, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return nil, err
	}
	var names, kinds []string
	for _, column := range table.Root().Columns() {
		names, kinds = append(names, column.Name()), append(kinds, kindOf(column))
	}
	r, err := newRun(q, names, kinds)
	if err != nil {
		return nil, err
	}
	if err := r.read(table); err != nil {
		return nil, err
	}
	return r.answer()
}

// A run is the execution of a query on a table whose columns are known.
type run struct {
	Query
	names   []string
	where   []test
	shown   []int // indexes of the columns in the answer, for a query without aggregates
	by, of  []int // indexes of the columns to group by, and of the aggregates' columns; -1 for count
	matched int
	rows    [][]any
	groups  map[string]*group

	gathered, mostValues int // number of values stored for percentiles, and its maximum
}

// A group collects the rows that have equal values in the columns by which the query groups.
type group struct {
	key   []any
	count int
	sums  []*sum
}

// A sum collects the values of one aggregate in one group.
type sum struct {
	values []float64 // only for percentiles
	total  float64
	whole  int64 // the sum, as long as all values are integers
	exact  bool
	least  any
	most   any
	count  int
}

// Kinds of values that columns and conditions can have.
const (
	kindNumber = "number"
	kindText   = "text"
	kindTruth  = "truth value"
)

func kindOf(column *parquet.Column) string {
	switch column.Type().Kind() {
	case parquet.Boolean:
		return kindTruth
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return kindText
	}
	return kindNumber
}

// newRun checks a query against a table's column names and kinds, and prepares its execution.
func newRun(q Query, names, kinds []string) (*run, error) {
	r := &run{Query: q, names: names, groups: map[string]*group{}, mostValues: mostValues}
	place := func(name string) (int, error) {
		if i := slices.Index(names, name); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("the table %s has no column %q; it has %s", q.Table, name, strings.Join(names, ", "))
	}
	places := func(columns []string) (list []int, err error) {
		for _, c := range columns {
			i, err := place(c)
			if err != nil {
				return nil, err
			}
			list = append(list, i)
		}
		return list, nil
	}
	var err error
	if r.shown, err = places(q.Columns); err != nil {
		return nil, err
	}
	if r.by, err = places(q.GroupBy); err != nil {
		return nil, err
	}
	for _, c := range q.Where {
		i, err := place(c.Column)
		if err != nil {
			return nil, err
		}
		t, err := newTest(i, kinds[i], c)
		if err != nil {
			return nil, err
		}
		r.where = append(r.where, t)
	}
	for _, a := range q.Aggregates {
		i := -1
		if a.Function != "count" {
			if !slices.Contains([]string{"sum", "mean", "min", "max", "p50", "p95", "p99"}, a.Function) {
				return nil, fmt.Errorf(
					"unknown function %q: the functions are count, sum, mean, min, max, p50, p95 and p99", a.Function)
			}
			if i, err = place(a.Column); err != nil {
				return nil, err
			}
			if kinds[i] != kindNumber && a.Function != "min" && a.Function != "max" {
				return nil, fmt.Errorf("%s: the column has a %s in each row, not a number: use count, min or max",
					a.Name(), kinds[i])
			}
		}
		r.of = append(r.of, i)
	}
	switch {
	case len(q.Columns) > 0 && (len(q.Aggregates) > 0 || len(q.GroupBy) > 0):
		return nil, errors.New("columns cannot be combined with aggregates or group_by: leave columns out")
	case len(q.GroupBy) > 0 && len(q.Aggregates) == 0:
		r.Aggregates, r.of = []Aggregate{{Function: "count"}}, []int{-1}
	}
	if len(r.Aggregates) == 0 && len(r.shown) == 0 {
		r.Columns = names
		r.shown, _ = places(names)
	}
	if q.OrderBy != "" && !slices.Contains(r.columns(), q.OrderBy) {
		return nil, fmt.Errorf("order_by %q is not a column of the answer; the answer has %s", q.OrderBy,
			strings.Join(r.columns(), ", "))
	}
	return r, nil
}

// columns returns the names of the answer's columns, in order.
func (r *run) columns() []string {
	if len(r.Aggregates) == 0 {
		return r.Columns
	}
	list := slices.Clone(r.GroupBy)
	for _, a := range r.Aggregates {
		list = append(list, a.Name())
	}
	return list
}

func (r *run) read(table *parquet.File) error {
	buffer := make([]parquet.Row, 256)
	values := make([]any, len(r.names))
	for _, of := range table.RowGroups() {
		rows := of.Rows()
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				clear(values)
				for _, v := range row {
					values[v.Column()] = plain(v)
				}
				if err := r.row(values); err != nil {
					rows.Close()
					return err
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				rows.Close()
				return err
			}
		}
		rows.Close()
	}
	return nil
}

// plain converts a Parquet value to int64, float64, string, bool or, for null, nil.
func plain(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	case v.Kind() == parquet.ByteArray, v.Kind() == parquet.FixedLenByteArray:
		return string(v.ByteArray())
	case v.Kind() == parquet.Double:
		return v.Double()
	case v.Kind() == parquet.Float:
		return float64(v.Float())
	}
	return v.Int64()
}

// row processes a row of the table.
func (r *run) row(values []any) error {
	for _, t := range r.where {
		if !t.holds(values[t.place]) {
			return nil
		}
	}
	r.matched++
	if len(r.Aggregates) == 0 {
		r.keep(values)
		return nil
	}
	var key strings.Builder
	for _, i := range r.by {
		fmt.Fprintf(&key, "%T:%v\x00", values[i], values[i])
	}
	g := r.groups[key.String()]
	if g == nil {
		if most := min(mostGroups, mostSums/max(1, len(r.of))); len(r.groups) == most {
			return fmt.Errorf(
				"the answer would have more than %d groups: group by fewer columns, or compute fewer aggregates", most)
		}
		g = &group{}
		for _, i := range r.by {
			g.key = append(g.key, values[i])
		}
		for range r.of {
			g.sums = append(g.sums, &sum{exact: true})
		}
		r.groups[key.String()] = g
	}
	g.count++
	for k, i := range r.of {
		if i >= 0 && values[i] != nil {
			gather := strings.HasPrefix(r.Aggregates[k].Function, "p")
			if g.sums[k].add(values[i], gather); gather {
				if r.gathered++; r.gathered > r.mostValues {
					return fmt.Errorf(
						"the percentiles need more than %d values in memory: add conditions, or compute fewer percentiles",
						r.mostValues)
				}
			}
		}
	}
	return nil
}

// keep adds a row of the table to the answer. If the answer is sorted, memory holds at most twice the limit of rows:
// when there are more, they are sorted and cut to the limit.
func (r *run) keep(values []any) {
	if r.OrderBy == "" && len(r.rows) >= r.Limit {
		return
	}
	row := make([]any, len(r.shown))
	for k, i := range r.shown {
		row[k] = values[i]
	}
	if r.rows = append(r.rows, row); len(r.rows) > 2*r.Limit {
		r.sort()
		r.rows = r.rows[:r.Limit]
	}
}

func (s *sum) add(v any, gather bool) {
	if s.count++; s.count == 1 || compare(v, s.least) < 0 {
		s.least = v
	}
	if s.count == 1 || compare(v, s.most) > 0 {
		s.most = v
	}
	f, is := numberOf(v)
	if !is {
		return
	}
	if n, is := v.(int64); is {
		s.whole += n
	} else {
		s.exact = false
	}
	s.total += f
	if gather {
		s.values = append(s.values, f)
	}
}

// figure returns the result of an aggregate function for one group; nil if all values of the group are null.
func (s *sum) figure(function string) any {
	if s.count == 0 {
		return nil
	}
	switch function {
	case "sum":
		if s.exact {
			return s.whole
		}
		return s.total
	case "mean":
		return s.total / float64(s.count)
	case "min":
		return s.least
	case "max":
		return s.most
	}
	if len(s.values) == 0 {
		return nil
	}
	slices.Sort(s.values)
	share := map[string]float64{"p50": 0.5, "p95": 0.95, "p99": 0.99}[function]
	v := s.values[max(0, int(math.Ceil(share*float64(len(s.values))))-1)] // the discrete quantile, as quantile_disc has it
	if s.exact {
		return int64(v)
	}
	return v
}

// sort sorts the answer's rows as the query requests; rows with equal values keep their order.
func (r *run) sort() {
	i := slices.Index(r.columns(), r.OrderBy)
	if i < 0 {
		return
	}
	slices.SortStableFunc(r.rows, func(x, y []any) int {
		c := compare(x[i], y[i])
		switch {
		case (x[i] == nil) != (y[i] == nil): // null comes last in both directions
			return -c
		case r.Descending:
			return -c
		}
		return c
	})
}

func (r *run) answer() (*Answer, error) {
	a := &Answer{Columns: r.columns(), Matched: r.matched}
	of := r.matched
	if len(r.Aggregates) > 0 {
		for _, g := range r.groups {
			row := slices.Clone(g.key)
			for k, s := range g.sums {
				if r.Aggregates[k].Function == "count" {
					row = append(row, int64(g.count))
				} else {
					row = append(row, s.figure(r.Aggregates[k].Function))
				}
			}
			r.rows = append(r.rows, row)
		}
		slices.SortFunc(r.rows, func(x, y []any) int { // groups come from a map, so in random order
			for i := range r.by {
				if c := compare(x[i], y[i]); c != 0 {
					return c
				}
			}
			return 0
		})
		of = len(r.rows)
	}
	r.sort()
	r.rows = r.rows[:min(len(r.rows), r.Limit)]
	a.Rows, a.More = append([][]any{}, r.rows...), of-len(r.rows)
	return a, nil
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// compare orders two values of one column: null first, then booleans, numbers and texts.
func compare(x, y any) int {
	rank := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case bool:
			return 1
		case string:
			return 3
		}
		return 2
	}
	if c := cmp.Compare(rank(x), rank(y)); c != 0 {
		return c
	}
	switch x := x.(type) {
	case string:
		return cmp.Compare(x, y.(string))
	case bool:
		switch {
		case x == y.(bool):
			return 0
		case x:
			return 1
		}
		return -1
	case int64:
		if y, is := y.(int64); is {
			return cmp.Compare(x, y)
		}
	}
	a, _ := numberOf(x)
	b, _ := numberOf(y)
	return cmp.Compare(a, b)
}
