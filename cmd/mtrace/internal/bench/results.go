package bench

import "errors"

// Results collects the output of one or more rawmetal processes: cases with their samples, checks of computed values,
// and skipped cases.
type Results struct {
	Host    Host
	Cases   []*Case // in the order in which they were first seen
	Checks  []Check
	Skipped []Skipped
}

// A Case is one configuration that a benchmark measures, such as one kernel at one size, or one number of threads.
type Case struct {
	Bench      string
	Name       string            // "size=256 dtype=f32"
	Keys       map[string]string // Name split into keys and values: {"size": "256", "dtype": "f32"}
	Flop       float64           // arithmetic of one operation; 0 if that is meaningless
	Bytes      float64           // memory traffic of one operation
	Dispatches int
	Warmup     int64 // operations before the first that counts

	metrics map[string]*Series
}

// Series has the samples of one metric of a case, grouped by round. Every round measures all cases in turn, so the
// same round of two cases saw the same load and clock speed: compare them round by round. The end of a metric's name
// is its unit: _ns, _bytes, _share.
type Series struct {
	Rounds [][]float64
}

func (r *Results) caseOf(bench, name string) (*Case, error) {
	if bench == "" || name == "" {
		return nil, errors.New("the line names no benchmark or no case")
	}
	if c := r.Case(bench, name); c != nil {
		return c, nil
	}
	c := &Case{Bench: bench, Name: name, Keys: parseCase(name), metrics: map[string]*Series{}}
	r.Cases = append(r.Cases, c)
	return c, nil
}

// Case returns the case with this exact name ("size=256 dtype=f32"), or nil.
func (r *Results) Case(bench, name string) *Case {
	for _, c := range r.Cases {
		if c.Bench == bench && c.Name == name {
			return c
		}
	}
	return nil
}

// Find returns the benchmark's first case that has all given keys with these values ("size=256", "dtype=f32"), or
// nil.
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

// Of returns the cases of one benchmark, in the order of their first measurement.
func (r *Results) Of(bench string) []*Case {
	var of []*Case
	for _, c := range r.Cases {
		if c.Bench == bench {
			of = append(of, c)
		}
	}
	return of
}

// Values returns the distinct values that a key, such as "size", has in the benchmark's cases, in order of first
// appearance.
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

// Series returns the samples of a metric, or nil. The case may be nil, as Find returns it: then the series is nil
// too.
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
