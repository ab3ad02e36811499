package bench

import "errors"

// Results are the measurements of one or more runs of benchmarks.
type Results struct {
	Host    Host
	Cases   []*Case // in the order in which they were first seen
	Checks  []Check
	Skipped []Skipped
}

// A Case is one row of a benchmark: one kernel at one size, one number of threads.
type Case struct {
	Bench      string
	Name       string            // "size=256 dtype=f32"
	Keys       map[string]string // the same, split
	Flop       float64           // arithmetic of one operation; 0 if that is meaningless
	Bytes      float64           // memory traffic of one operation
	Dispatches int
	Warmup     int64 // operations before the first that counts

	metrics map[string]*Series
}

// Series are the samples of one metric of a case, round by round. All cases of a benchmark alternate in each round, so
// equal rounds of two cases are comparable: a drift affects both. The end of a metric's name is its unit: _ns, _bytes,
// _share.
type Series struct {
	Rounds [][]float64
}

func (r *Results) caseOf(bench, name string) (*Case, error) {
	if bench == "" || name == "" {
		return nil, errors.New("a line without a benchmark or case")
	}
	if c := r.Case(bench, name); c != nil {
		return c, nil
	}
	c := &Case{Bench: bench, Name: name, Keys: parseCase(name), metrics: map[string]*Series{}}
	r.Cases = append(r.Cases, c)
	return c, nil
}

// Case returns the case of that name, or nil.
func (r *Results) Case(bench, name string) *Case {
	for _, c := range r.Cases {
		if c.Bench == bench && c.Name == name {
			return c
		}
	}
	return nil
}

// Find returns the first case of a benchmark that has all these keys and values ("size=256", "dtype=f32"), or nil.
func (r *Results) Find(bench string, keys ...string) *Case {
	want := map[string]string{}
	for _, k := range keys {
		for key, value := range parseCase(k) {
			want[key] = value
		}
	}
	for _, c := range r.Of(bench) {
		if c.has(want) {
			return c
		}
	}
	return nil
}

func (c *Case) has(want map[string]string) bool {
	for key, value := range want {
		if have, ok := c.Keys[key]; !ok || have != value {
			return false
		}
	}
	return true
}

// Of returns the cases of one benchmark, in order.
func (r *Results) Of(bench string) []*Case {
	var of []*Case
	for _, c := range r.Cases {
		if c.Bench == bench {
			of = append(of, c)
		}
	}
	return of
}

// Values returns the different values of a key over the cases of a benchmark, in the order of their first appearance.
func (r *Results) Values(bench, key string) []string {
	var values []string
	seen := map[string]bool{}
	for _, c := range r.Of(bench) {
		if v, ok := c.Keys[key]; ok && !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	return values
}

// Series returns the samples of a metric, or nil. The receiver may be nil.
func (c *Case) Series(metric string) *Series {
	if c == nil {
		return nil
	}
	return c.metrics[metric]
}

// Wrong returns the checks that failed.
func (r *Results) Wrong() []Check {
	var wrong []Check
	for _, c := range r.Checks {
		if !c.OK {
			wrong = append(wrong, c)
		}
	}
	return wrong
}
