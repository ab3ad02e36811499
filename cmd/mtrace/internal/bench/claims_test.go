package bench

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
)

const fieldReports = "../../../../fixtures/claims/field-reports.json"

func fieldClaims(t *testing.T) *Claims {
	t.Helper()
	in, err := os.Open(fieldReports)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	claims, err := ReadClaims(in)
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// A claim with a misspelled selector would be SKIPPED for ever without notice: every selector must have the keys and
// the metric of some measured case.
func TestFieldReportsCanBeJudged(t *testing.T) {
	for _, claim := range fieldClaims(t).Claims {
		b, _ := Find(claim.Measure.Bench)
		r := recorded(t, b)
		for _, s := range []Selector{claim.Measure.Of, claim.Measure.To} {
			if s.Case == "" {
				continue
			}
			if !r.measures(b.Program, s) {
				t.Errorf("%s %s: no case is like %q %s", claim.ID, claim.Claim, s.Case, s.Metric)
			}
		}
	}
}

func TestScorecard(t *testing.T) {
	results := map[string]*Results{}
	for _, b := range All() {
		results[b.Name] = recorded(t, b)
	}
	card := fieldClaims(t).Judge(results)
	for _, score := range card.Scores {
		if score.Claim.About == "gpu" && score.Status != Skip {
			t.Errorf("%s %s: %s on a software Metal", score.Claim.ID, score.Claim.Claim, score.Status)
		}
		if score.Status == Skip && score.Reason == "" {
			t.Errorf("%s %s: skipped without a reason", score.Claim.ID, score.Claim.Claim)
		}
	}
	table := card.table()
	var text bytes.Buffer
	if err := table.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "scorecard.txt", text.Bytes())
}

// On a real device claims are judged; this is report R2's own table, by its own figures.
func TestJudge(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	r := &Results{Host: Host{Device: "Apple M2"}}
	measured := func(name, metric string, values ...float64) {
		c, err := r.caseOf("matmul", name)
		if err != nil {
			t.Fatal(err)
		}
		for round, v := range values {
			if err := c.addSeries(metric, round, []float64{v}); err != nil {
				t.Fatal(err)
			}
		}
		c.Flop = 2e9
	}
	measured("kernel=naive size=512", "wall_ns", 450_000, 450_000, 450_000, 450_000, 450_000, 450_000)
	measured("kernel=mps size=512", "wall_ns", 1_360_000, 1_360_000, 1_360_000, 1_360_000, 1_360_000, 1_360_000)
	measured("a=1", "n", 4)
	measured("a=2", "n", 1204)
	r.addSkipped(Skipped{"matmul", "archive", "no such class"})
	of := func(c, m string) Selector { return Selector{c, m} }
	for _, c := range []struct {
		name    string
		measure Measure
		target  Target
		status  string
		result  float64
		ratio   float64
		reason  string
	}{
		{"MPS is slower", Measure{Kind: "ratio", Of: of("kernel=naive", "wall_ns"), To: of("kernel=mps", "wall_ns")},
			Target{AtLeast: f(3)}, Fail, 0.330882, 0.110294, ""},
		{"time below", Measure{Kind: "median", Of: of("kernel=naive size=512", "wall_ns")}, Target{Below: f(1e6)}, Pass,
			450_000, 2.222222, ""},
		{"time not below", Measure{Kind: "median", Of: of("kernel=mps", "wall_ns")}, Target{Below: f(1e6)}, Fail, 1_360_000,
			0.735294, ""},
		{"rate", Measure{Kind: "rate", Work: "flop", Of: of("kernel=naive", "wall_ns")}, Target{AtLeast: f(4000)}, Pass,
			4444.4444, 1.111111, ""},
		{"fewer allocations", Measure{Kind: "reduction", Of: of("a=1", "n"), To: of("a=2", "n")}, Target{AtLeast: f(0.9)},
			Pass, 0.996678, 1.107420, ""},
		{"difference", Measure{Kind: "difference", Of: of("a=2", "n"), To: of("a=1", "n")}, Target{AtLeast: f(1201)}, Fail,
			1200, 0.999167, ""},
		{"exactly the target", Measure{Kind: "difference", Of: of("a=2", "n"), To: of("a=1", "n")}, Target{AtLeast: f(1200)},
			Pass, 1200, 1, ""},
		{"below is below", Measure{Kind: "median", Of: of("a=1", "n")}, Target{Below: f(4)}, Fail, 4, 1, ""},
		{"no such case", Measure{Kind: "median", Of: of("a=3", "n")}, Target{Below: f(4)}, Skip, math.NaN(), math.NaN(),
			"this run did not measure the claim's sizes (as with --quick, or on a software Metal)"},
		{"no such key", Measure{Kind: "median", Of: of("b=3", "n")}, Target{Below: f(4)}, Skip, math.NaN(), math.NaN(),
			`no measured case matches "b=3" n`},
		{"a part that was skipped", Measure{Kind: "median", Of: of("step=archive", "wall_ns")}, Target{Below: f(4)}, Skip,
			math.NaN(), math.NaN(), "no such class"},
	} {
		c.measure.Bench = "matmul"
		score := Claim{About: "gpu", Measure: c.measure, Target: c.target}.judge(r)
		near := func(got *float64, want float64) bool {
			return got == nil && math.IsNaN(want) || got != nil && math.Abs(*got-want) < 1e-4*math.Abs(want)
		}
		if score.Status != c.status || !near(score.Result, c.result) || !near(score.Ratio, c.ratio) ||
			score.Reason != c.reason {
			t.Errorf("%s: %+v, want %s %v ratio %v %q", c.name, score, c.status, c.result, c.ratio, c.reason)
		}
	}
}

func TestReadClaimsRefuses(t *testing.T) {
	claim := func(measure, target, about string) string {
		return `{"schema":"mtrace.bench-claims/1","title":"t","claims":[{"id":"x","claim":"c","about":"` + about +
			`","measure":` + measure + `,"target":` + target + `}]}`
	}
	median := `{"bench":"pool","kind":"median","of":{"case":"a=1","metric":"n"}}`
	if _, err := ReadClaims(strings.NewReader(claim(median, `{"below":1,"unit":"ns"}`, "gpu"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, says string }{
		{"nothing", "", "not a file of claims"},
		{"another document", `{"schema":"mtrace.report/1","claims":[]}`, "its schema is"},
		{"a misspelled key", `{"schema":"mtrace.bench-claims/1","clams":[]}`, "clams"},
		{"no such benchmark", claim(`{"bench":"nope","kind":"median","of":{}}`, `{"below":1,"unit":"ns"}`, "gpu"),
			"no benchmark"},
		{"no such kind", claim(`{"bench":"pool","kind":"mode","of":{}}`, `{"below":1,"unit":"ns"}`, "gpu"), `"kind" must be`},
		{"a rate of nothing", claim(`{"bench":"pool","kind":"rate","of":{}}`, `{"below":1,"unit":"ns"}`, "gpu"),
			`"work" of a rate`},
		{"no target", claim(median, `{"unit":"ns"}`, "gpu"), `either "below" or "at_least"`},
		{"two targets", claim(median, `{"below":1,"at_least":1,"unit":"ns"}`, "gpu"), `either "below" or "at_least"`},
		{"about what", claim(median, `{"below":1,"unit":"ns"}`, "cpu"), "gpu or host"},
	} {
		if _, err := ReadClaims(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.says)
		}
	}
}

func FuzzReadClaims(f *testing.F) {
	text, err := os.ReadFile(fieldReports)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"mtrace.bench-claims/1","claims":[{"about":"gpu","measure":{"bench":"pool",` +
		`"kind":"ratio"},"target":{"below":0}}]}`))
	r := recorded(f, &catalog[0])
	f.Fuzz(func(t *testing.T, text []byte) {
		claims, err := ReadClaims(bytes.NewReader(text))
		if err != nil {
			return
		}
		report := Report{Scorecard: claims.Judge(map[string]*Results{"scaling": r, "pool": r})}
		var out bytes.Buffer
		if err := report.WriteText(&out); err != nil {
			t.Error(err)
		}
		if err := report.WriteJSON(&out); err != nil {
			t.Error(err)
		}
	})
}
