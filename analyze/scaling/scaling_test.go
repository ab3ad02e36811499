package scaling

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// published is the raw Metal table of report R1 (M4 Max): reference figures, and the values that its authors computed
// from them.
var published = struct {
	baseline Point
	series   []Series
	printed  map[string][]string // as the report prints them
}{
	baseline: Point{1, []float64{65179}},
	series: []Series{
		{"separate queues", []Point{{2, []float64{114548}}, {4, []float64{165172}}, {8, []float64{203897}}}},
		{"shared queue", []Point{{2, []float64{125903}}, {4, []float64{202540}}, {8, []float64{311936}}}},
	},
	printed: map[string][]string{
		"separate queues": {"114,548 1.76x 87.9%", "165,172 2.53x 63.4%", "203,897 3.13x 39.1%"},
		"shared queue":    {"125,903 1.93x 96.6%", "202,540 3.11x 77.7%", "311,936 4.79x 59.8%"},
	},
}

func reference(t *testing.T) *Document {
	t.Helper()
	doc, err := Analyze("raw Metal, M4 Max", published.baseline, published.series...)
	if err != nil {
		t.Fatal(err)
	}
	doc.Reference = true
	return doc
}

// The table of R1 is reproduced to the last printed digit.
func TestTableIsThatOfTheReport(t *testing.T) {
	for _, r := range reference(t).Series {
		var b strings.Builder
		r.writeTable(&b)
		_, rows, _ := strings.Cut(b.String(), "efficiency\n")
		lines := strings.Split(rows, "\n")
		for i, want := range published.printed[r.Name] {
			if got := strings.Join(strings.Fields(lines[i])[1:], " "); got != want {
				t.Errorf("%s, row %d: %q, the report has %q", r.Name, i, got, want)
			}
		}
	}
}

func TestKnee(t *testing.T) {
	for name, want := range map[string]Knee{"separate queues": {Threads: 2, Next: 4},
		"shared queue": {Threads: 4, Next: 8}} {
		for _, r := range reference(t).Series {
			if r.Name == name && (r.Knee == nil || r.Knee.Threads != want.Threads || r.Knee.Next != want.Next) {
				t.Errorf("%s: knee %+v, want %d to %d", name, r.Knee, want.Threads, want.Next)
			}
		}
	}
	straight, err := Tabulate(Series{Points: []Point{{1, []float64{100}}, {2, []float64{200}}, {4, []float64{390}}}},
		Point{})
	if err != nil || straight.Knee != nil {
		t.Errorf("perfect scaling has a knee: %+v, %v", straight.Knee, err)
	}
}

// gridFit is an independent fit: exhaustive search over σ and κ, refined. It knows nothing of the solver under test.
func gridFit(obs []observation) (sigma, kappa, residual float64) {
	residual = math.Inf(1)
	s0, s1, k0, k1 := 0.0, 1.5, 0.0, 0.3
	for range 12 {
		ds, dk := (s1-s0)/60, (k1-k0)/60
		bs, bk := sigma, kappa
		for i := 0; i <= 60; i++ {
			for j := 0; j <= 60; j++ {
				s, k := s0+float64(i)*ds, k0+float64(j)*dk
				var xc, cc, xx float64
				for _, o := range obs {
					c := o.n / (1 + s*(o.n-1) + k*o.n*(o.n-1))
					xc, cc, xx = xc+o.x*c, cc+c*c, xx+o.x*o.x
				}
				if r := xx - xc*xc/cc; r < residual {
					residual, bs, bk = r, s, k
				}
			}
		}
		sigma, kappa = bs, bk
		s0, s1 = math.Max(0, sigma-3*ds), sigma+3*ds
		k0, k1 = math.Max(0, kappa-3*dk), kappa+3*dk
	}
	return sigma, kappa, residual
}

func TestFitFindsTheLeastSquares(t *testing.T) {
	cases := map[string][]Point{
		"separate queues of R1": append([]Point{published.baseline}, published.series[0].Points...),
		"shared queue of R1":    append([]Point{published.baseline}, published.series[1].Points...),
		"PyTorch MPS plateau": {{1, []float64{3301}}, {2, []float64{3528}}, {4, []float64{3805}}, {8, []float64{3752}},
			{16, []float64{3819}}},
		"retrograde": {{1, []float64{100}}, {2, []float64{170}}, {4, []float64{220}}, {8, []float64{190}},
			{16, []float64{120}}},
		"better than perfect": {{1, []float64{100}}, {2, []float64{210}}, {4, []float64{430}}, {8, []float64{900}}},
	}
	for name, points := range cases {
		f, err := FitUSL(points)
		if err != nil {
			t.Fatal(name, err)
		}
		s, k, want := gridFit(observations(points))
		_, got := usl.scale(observations(points), []float64{f.Sigma.Value, f.Kappa.Value})
		if got > want*(1+1e-6)+1e-9 {
			t.Errorf("%s: σ %.6f κ %.7f leaves %.6g; the search of a grid found σ %.6f κ %.7f, %.6g", name, f.Sigma.Value,
				f.Kappa.Value, got, s, k, want)
		}
	}
}

// A fit of data generated from the law recovers its parameters, within their intervals.
func TestFitRecoversTheLaw(t *testing.T) {
	const lambda, sigma, kappa = 5000, 0.04, 0.0015
	noise := []float64{0.01, -0.012, 0.004, -0.006, 0.009, -0.003, 0.002, -0.008}
	for _, runs := range []int{1, 4} {
		var points []Point
		for i, n := range []int{1, 2, 3, 4, 8, 16, 32} {
			p := Point{Threads: n}
			x := lambda * usl.capacity(float64(n), []float64{sigma, kappa})
			for r := range runs {
				p.Samples = append(p.Samples, x*(1+noise[(i*3+r)%len(noise)]))
			}
			points = append(points, p)
		}
		f, err := FitUSL(points)
		if err != nil {
			t.Fatal(err)
		}
		for what, e := range map[string]struct {
			estimate Estimate
			truth    float64
		}{"σ": {f.Sigma, sigma}, "κ": {f.Kappa, kappa}, "λ": {f.Lambda, lambda},
			"peak": {f.Peak, math.Sqrt((1 - sigma) / kappa)}} {
			if e.estimate.Low > e.truth || e.estimate.High < e.truth || e.estimate.High > 3*e.truth {
				t.Errorf("%d runs, %s: %v does not hold the truth %v closely (%s)", runs, what, e.estimate, e.truth, f.Method)
			}
		}
		if want := map[int]string{1: "asymptotic", 4: "bootstrap"}[runs]; f.Method != want {
			t.Errorf("%d runs: interval by %s, want %s", runs, f.Method, want)
		}
	}
}

// The 95% interval must hold the truth about 95 times in a hundred: an interval that is too narrow is a false claim.
func TestIntervalsCover(t *testing.T) {
	const lambda, sigma, kappa, trials = 1000.0, 0.08, 0.002, 120
	held := 0
	seed := uint64(7)
	gauss := func() float64 { // Irwin and Hall: twelve uniforms
		s := -6.0
		for range 12 {
			seed = seed*6364136223846793005 + 1442695040888963407
			s += float64(seed>>11) / (1 << 53)
		}
		return s
	}
	for range trials {
		var points []Point
		for _, n := range []int{1, 2, 4, 6, 8, 12, 16} {
			x := lambda * usl.capacity(float64(n), []float64{sigma, kappa})
			points = append(points, Point{n, []float64{x + 0.02*lambda*gauss()}})
		}
		f, err := FitUSL(points)
		if err != nil {
			t.Fatal(err)
		}
		if f.Sigma.Low <= sigma && sigma <= f.Sigma.High {
			held++
		}
	}
	if share := float64(held) / trials; share < 0.88 {
		t.Errorf("the interval of σ held the truth in %.0f%% of %d trials, want about 95%%", 100*share, trials)
	} else {
		t.Logf("σ was held in %.0f%% of %d trials", 100*share, trials)
	}
}

func TestFitRefuses(t *testing.T) {
	three := []Point{{1, []float64{10}}, {2, []float64{19}}, {4, []float64{30}}, {4, []float64{31}}}
	_, err := FitUSL(three)
	var few TooFewError
	if !errors.As(err, &few) || few.Distinct != 3 {
		t.Errorf("three thread counts: %v", err)
	}
	doc, err := Analyze("", Point{}, Series{Points: three})
	if err != nil || doc.Series[0].USL != nil || !strings.Contains(doc.Series[0].Refused, "at least 4") {
		t.Errorf("the document hides the refusal: %+v, %v", doc, err)
	}
	for name, p := range map[string]Point{
		"no threads": {0, []float64{1}}, "negative": {-1, []float64{1}}, "zero throughput": {1, []float64{0}},
		"not a number": {1, []float64{math.NaN()}}, "infinite": {1, []float64{math.Inf(1)}}, "nothing": {1, nil},
	} {
		if _, err := FitUSL(append([]Point{p}, three...)); err == nil || errors.As(err, &few) {
			t.Errorf("%s: %v, want an error that names the point", name, err)
		}
	}
}

// The story: laws were printed with R² 0.04 and a serial share above 1 for throughputs that follow neither.
func TestFitRefusesWhatALawDoesNotDescribe(t *testing.T) {
	for _, c := range []struct {
		name        string
		points      []Point
		usl, amdahl bool
		said        string
	}{
		{"up and down", []Point{{1, []float64{100}}, {2, []float64{40}}, {3, []float64{160}}, {4, []float64{50}},
			{8, []float64{120}}}, false, false, "does not describe this"},
		{"falling from the start", []Point{{1, []float64{100}}, {2, []float64{52}}, {4, []float64{26}}, {8, []float64{13}}},
			true, false, "which is more than 1"},
		{"hardly varying", []Point{{1, []float64{100}}, {2, []float64{101}}, {4, []float64{99}}, {8, []float64{100}}}, true,
			true, ""},
		{"as the law says", []Point{{1, []float64{100}}, {2, []float64{182}}, {4, []float64{308}}, {8, []float64{471}}},
			true, true, ""},
	} {
		doc, err := Analyze("", Point{}, Series{Points: c.points})
		if err != nil {
			t.Fatal(err)
		}
		r := doc.Series[0]
		if (r.USL != nil) != c.usl || (r.Amdahl != nil) != c.amdahl || !strings.Contains(r.Refused, c.said) ||
			(c.said == "") != (r.Refused == "") {
			t.Errorf("%s: USL %+v, Amdahl %+v, %q", c.name, r.USL, r.Amdahl, r.Refused)
		}
		var text bytes.Buffer
		if err := doc.WriteText(&text); err != nil || !strings.Contains(text.String(), r.Refused) {
			t.Errorf("%s: %v\n%s", c.name, err, text.String())
		}
	}
}

// A throughput that does not vary has nothing to explain; its R² must not become a number that JSON cannot hold.
func TestConstantThroughput(t *testing.T) {
	var points []Point
	for _, n := range []int{1, 2, 4, 8} {
		points = append(points, Point{n, []float64{6300}})
	}
	doc, err := Analyze("", Point{}, Series{Points: points})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	if u := doc.Series[0].USL; math.Abs(u.Sigma.Value-1) > 0.01 {
		t.Errorf("all of the work is serial, yet σ is %v", u.Sigma.Value)
	}
}

func TestGolden(t *testing.T) {
	doc := reference(t)
	var text, js bytes.Buffer
	if err := doc.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(&js)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"r1.txt": text.Bytes(), "r1.json": js.Bytes()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !same(t, name, got, want) {
			t.Errorf("%s (%v): go test -update writes it anew; got\n%s", path, err, got)
		}
	}
}

// same compares texts to the byte and JSON documents with a tolerance: the last digits differ between processors,
// because some multiply and add in one step.
func same(t *testing.T, name string, got, want []byte) bool {
	if filepath.Ext(name) != ".json" {
		return bytes.Equal(got, want)
	}
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal(want, &w)); err != nil {
		t.Error(name, err)
	}
	return near(g, w)
}

func near(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		for k := range a {
			if _, there := b[k]; !there || !near(a[k], b[k]) {
				return false
			}
		}
		return ok && len(a) == len(b)
	case []any:
		b, ok := b.([]any)
		for i := range min(len(a), len(b)) {
			if !near(a[i], b[i]) {
				return false
			}
		}
		return ok && len(a) == len(b)
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-3*math.Abs(b)+1e-6
	}
	return a == b
}

// The cause at the knee is the cause of the first thread count that no longer paid off.
func TestCauseAtKnee(t *testing.T) {
	doc := reference(t)
	doc.Series = doc.Series[:1] // its knee is between 2 and 4 threads
	better := 2.5
	doc.Verdicts = []Verdict{{Threads: 2, Verdict: "none", Confidence: 0.7, Runs: 1, Agree: 1},
		{Threads: 4, Verdict: "device-wide-sync", Share: 0.4, Confidence: 0.8, Summary: "Everyone waits.", Speedup: &better,
			Runs: 3, Agree: 2},
		{Threads: 8, Verdict: "gpu-saturated", Share: 0.7, Confidence: 0.9, Runs: 1, Agree: 1}}
	if v := doc.CauseAtKnee(); v == nil || v.Verdict != "device-wide-sync" {
		t.Fatalf("%+v", v)
	}
	var b strings.Builder
	if err := doc.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"      4  device-wide-sync      40%  ← was none  (2 of 3 runs)\n",
		"cause at the knee, with 4 threads: device-wide-sync\n  Everyone waits.\n  removing it: 2.50x"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	doc.Verdicts[1].Verdict = "none"
	if v := doc.CauseAtKnee(); v == nil || v.Verdict != "gpu-saturated" {
		t.Errorf("the run at the knee names no cause, the next one does: %+v", v)
	}
	doc.Verdicts = doc.Verdicts[:1]
	if v := doc.CauseAtKnee(); v != nil {
		t.Errorf("no run at the knee has a verdict, yet it is %+v", v)
	}
}

func TestNoiseIsTold(t *testing.T) {
	quiet := []Point{{1, []float64{100, 101, 99}}, {2, []float64{190, 195, 185}}}
	loud := []Point{{1, []float64{100, 101, 99}}, {2, []float64{190, 400, 100}}}
	once := []Point{{1, []float64{100}}, {2, []float64{190}}}
	for want, points := range map[string][]Point{"": quiet, "runs with 2 threads differ by 158%": loud,
		"one run each": once} {
		doc, err := Analyze("", Point{}, Series{Points: points})
		if err != nil {
			t.Fatal(err)
		}
		doc.NoteNoise()
		if got := strings.Join(doc.Warnings, "\n"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: %q, want %q", points, got, want)
		}
	}
}

// The plot is XML with every measured point where it belongs, whatever the program is called.
func TestPlot(t *testing.T) {
	doc := reference(t)
	doc.Source = `a <b> & "c"` + "\x01"
	var b bytes.Buffer
	if err := doc.WritePlot(&b); err != nil {
		t.Fatal(err)
	}
	var svg struct {
		Texts  []string `xml:"text"`
		Groups []struct {
			Circles []struct {
				X    float64 `xml:"cx,attr"`
				Y    float64 `xml:"cy,attr"`
				Says string  `xml:"title"`
			} `xml:"circle"`
			Paths []struct {
				D string `xml:"d,attr"`
			} `xml:"path"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(b.Bytes(), &svg); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if want := "a <b> & \"c\"\uFFFD (reference figures)"; svg.Texts[0] != want {
		t.Errorf("the title is %q, want %q", svg.Texts[0], want)
	}
	if text := b.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") ||
		!strings.Contains(text, "perfect scaling") {
		t.Errorf("a place that is no number, or no perfect scaling in\n%s", text)
	}
	// Two points of the first series determine the axes; all other points must agree.
	series := svg.Groups[len(svg.Groups)-len(doc.Series):]
	rows, circles := doc.Series[0].Rows, series[0].Circles
	first, last := 0, len(rows)-1
	perThread := (circles[last].X - circles[first].X) / float64(rows[last].Threads-rows[first].Threads)
	perOp := (circles[last].Y - circles[first].Y) / (rows[last].Throughput - rows[first].Throughput)
	if perThread <= 0 || perOp >= 0 {
		t.Fatalf("axes of %g pixels a thread and %g an operation", perThread, perOp)
	}
	for i, r := range doc.Series {
		if curve := len(series[i].Paths) > len(r.Rows); curve != (r.USL != nil) {
			t.Errorf("series %d has a curve: %v", i, curve)
		}
		for k, row := range r.Rows {
			c := series[i].Circles[k]
			x := circles[first].X + perThread*float64(row.Threads-rows[first].Threads)
			y := circles[first].Y + perOp*(row.Throughput-rows[first].Throughput)
			if math.Abs(c.X-x) > 1 || math.Abs(c.Y-y) > 1 || !strings.HasPrefix(c.Says, strconv.Itoa(row.Threads)+" threads: ") {
				t.Errorf("series %d, %d threads: at %g,%g saying %q, want %g,%g", i, row.Threads, c.X, c.Y, c.Says, x, y)
			}
		}
	}
	for _, name := range []string{"plot.png", "plot", ""} {
		if err := CheckPlot(name); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

// A sweep in which nothing was done has a plot too: of the axes.
func TestPlotOfNothing(t *testing.T) {
	for name, doc := range map[string]*Document{"no series": {},
		"nothing done": {Series: []Result{{Table: Table{Baseline: 1, Rows: []Row{{Threads: 1}}}}}}} {
		var b bytes.Buffer
		if err := doc.WritePlot(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a place that is no number in\n%s", name, b.String())
		}
	}
}
