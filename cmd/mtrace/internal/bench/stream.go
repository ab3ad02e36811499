// Package bench converts the measurements of fixtures/rawmetal into statistics, the tables of the field reports, and
// scorecards of claims. It starts no process: it reads lines.
package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Host describes the machine and the Metal device on which rawmetal ran.
type Host struct {
	Device   string  `json:"device"`
	Software bool    `json:"software_metal"` // the device is a software Metal: the figures are the CPU's
	OS       string  `json:"os"`
	Release  string  `json:"release"`
	Machine  string  `json:"machine"`
	Unified  bool    `json:"unified"`  // CPU and GPU share memory
	ClockNS  float64 `json:"clock_ns"` // the cost of reading the clock, which every measured time includes
}

// Check is rawmetal's comparison of the values that a case's kernels computed with the correct ones.
type Check struct {
	Bench     string  `json:"bench"`
	Case      string  `json:"case"`
	OK        bool    `json:"ok"`
	Compared  uint64  `json:"compared"`
	Worst     float64 `json:"worst"` // largest error; relative if the correct value is above 1
	Tolerance float64 `json:"tolerance"`
	Detail    string  `json:"detail"`
}

// Skipped is a part of a benchmark that could not run on this machine, with the reason.
type Skipped struct {
	Bench  string `json:"bench"`
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

// Progress says how far a case is.
type Progress struct {
	Bench, Case string
	Done, Total int64
}

// line holds any line of rawmetal's output; Type says which fields are set. fixtures/rawmetal/out.h lists the types.
type line struct {
	Type       string    `json:"type"`
	Bench      string    `json:"bench"`
	Case       string    `json:"case"`
	Flop       *float64  `json:"flop"`
	Bytes      *float64  `json:"bytes"`
	Dispatches int       `json:"dispatches"`
	Warmup     int64     `json:"warmup"`
	Metric     string    `json:"metric"`
	Round      int       `json:"round"`
	Samples    []float64 `json:"samples"`
	OK         bool      `json:"ok"`
	Compared   uint64    `json:"compared"`
	Worst      float64   `json:"worst"`
	Tolerance  float64   `json:"tolerance"`
	Detail     string    `json:"detail"`
	Part       string    `json:"part"`
	Reason     string    `json:"reason"`
	Done       int64     `json:"done"`
	Total      int64     `json:"total"`
	Host
}

// maxLine is the longest line that Read accepts, in bytes: enough for a series of a million samples.
const maxLine = 32 << 20

// mostSample is the largest value that counts as a measurement (30 years in nanoseconds). A larger one is an error:
// sums of such values would overflow.
const mostSample = 1e18

// errCut is returned if rawmetal's output has no end line: the process crashed or was killed, so cases are missing.
var errCut = errors.New("rawmetal's results are incomplete: it ended without writing its last line")

// A Process tells Read how to merge the output of one rawmetal process into a benchmark that consists of several
// processes.
type Process struct {
	// added to the round numbers that the process prints, which begin at 0 in each process: if each round is a process
	// of its own, the rounds get different numbers
	Round int
	Label string // added to the name of each case, such as "traced=yes"; may be empty
}

// Read adds the output of one rawmetal process to r, and calls progress, if not nil, for each progress line. It stops
// at the first invalid line with an error: results with missing cases would be misleading.
func (r *Results) Read(in io.Reader, process Process, progress func(Progress)) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 1<<16), maxLine)
	ended := false
	for n := 1; scanner.Scan(); n++ {
		if ended {
			return fmt.Errorf("line %d of rawmetal's results comes after the end line, which must be the last", n)
		}
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			return fmt.Errorf("line %d of the results: %w", n, err)
		}
		if l.Type == "end" {
			ended = true
			continue
		}
		if err := r.add(&l, process, progress); err != nil {
			return fmt.Errorf("line %d of the results: %w", n, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	if !ended {
		return errCut
	}
	return nil
}

func (r *Results) add(l *line, process Process, progress func(Progress)) error {
	if l.Case != "" && process.Label != "" {
		l.Case += " " + process.Label
	}
	switch l.Type {
	case "host":
		r.Host = l.Host
	case "case":
		c, err := r.caseOf(l.Bench, l.Case)
		if err != nil {
			return err
		}
		if l.Flop == nil || l.Bytes == nil {
			return errors.New("a case without flop or bytes")
		}
		c.Flop, c.Bytes, c.Dispatches, c.Warmup = *l.Flop, *l.Bytes, l.Dispatches, l.Warmup
	case "series":
		c, err := r.caseOf(l.Bench, l.Case)
		if err != nil {
			return err
		}
		return c.addSeries(l.Metric, process.Round+l.Round, l.Samples)
	case "check":
		r.Checks = append(r.Checks, Check{l.Bench, l.Case, l.OK, l.Compared, l.Worst, l.Tolerance, l.Detail})
	case "skipped":
		r.addSkipped(Skipped{l.Bench, l.Part, l.Reason})
	case "progress":
		if progress != nil {
			progress(Progress{l.Bench, l.Case, l.Done, l.Total})
		}
	default:
		return fmt.Errorf("a line of unknown type %q", l.Type)
	}
	return nil
}

// addSkipped adds a skipped part, unless it was added before: every process of a benchmark reports the same skipped
// parts.
func (r *Results) addSkipped(s Skipped) {
	for _, have := range r.Skipped {
		if have == s {
			return
		}
	}
	r.Skipped = append(r.Skipped, s)
}

const (
	maxRound  = 10_000
	maxMetric = 64
)

func (c *Case) addSeries(metric string, round int, samples []float64) error {
	if metric == "" || len(metric) > maxMetric {
		return fmt.Errorf("a series with the metric %.80q", metric)
	}
	if round < 0 || round >= maxRound {
		return fmt.Errorf("a series of round %d", round)
	}
	for _, s := range samples {
		if !(math.Abs(s) <= mostSample) {
			return fmt.Errorf("%s has a sample of %g, which is too large to be a measurement", metric, s)
		}
	}
	s := c.metrics[metric]
	if s == nil {
		s = &Series{}
		c.metrics[metric] = s
	}
	for len(s.Rounds) <= round {
		s.Rounds = append(s.Rounds, nil)
	}
	s.Rounds[round] = append(s.Rounds[round], samples...)
	return nil
}

// parseCase splits a case's name, "size=256 dtype=f32", into a map from key to value. A word without = becomes a key
// with an empty value.
func parseCase(name string) map[string]string {
	keys := map[string]string{}
	for _, word := range strings.Fields(name) {
		key, value, _ := strings.Cut(word, "=")
		keys[key] = value
	}
	return keys
}
