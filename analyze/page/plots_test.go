package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mtrace/analyze/diff"
	"mtrace/analyze/scaling"
)

// sweptDocument is a sweep of a program that scales to four threads.
func sweptDocument(t *testing.T) *scaling.Document {
	t.Helper()
	return keep("sweep", func() *scaling.Document { return newSweptDocument(t) })
}

func newSweptDocument(t *testing.T) *scaling.Document {
	t.Helper()
	var s scaling.Series
	for n, x := range map[int]float64{1: 100, 2: 190, 4: 340, 8: 350, 16: 300} {
		s.Points = append(s.Points, scaling.Point{Threads: n, Samples: []float64{x * 0.95, x, x * 1.04}})
	}
	d, err := scaling.Analyze("train </script><b>{threads}", scaling.Point{}, s)
	if err != nil {
		t.Fatal(err)
	}
	d.Counted = "reported by the program"
	for _, n := range []int{1, 2, 4, 8, 16} {
		waits := float64(n) / 20
		d.Times = append(d.Times, scaling.Time{Threads: n, Shares: map[string]float64{"executing": 1 - waits, "lock": waits}})
		d.Verdicts = append(d.Verdicts, scaling.Verdict{Threads: n, Verdict: "lock-contention",
			Summary: "Threads wait for a lock."})
	}
	return d
}

func comparedDocument() *diff.Document {
	ratio := func(x float64) *float64 { return &x }
	d := &diff.Document{Schema: diff.Schema, Noise: "between runs", Warnings: []string{"one run per side"}, Tested: 3,
		B: diff.Side{Program: "train", Verdict: "gpu-bound", Summary: "The GPU is the limit.", Paths: []string{"b.mtrace"}},
		A: diff.Side{Verdict: "none", Summary: "Nothing delays the threads.", Paths: []string{"a.mtrace"}}}
	d.Changes = []diff.Change{
		{Kind: "run", Name: "time for each command buffer", Status: diff.Slower, A: 1e6, B: 1.5e6, CountA: 9, CountB: 9,
			Impact: 9e6, Ratio: ratio(1.5), Low: ratio(1.4), High: ratio(1.6), PValue: ratio(0.001), QValue: ratio(0.002),
			Because: "+400 µs outside"},
		{Kind: "call", Name: "commit", Status: diff.Slower, CountA: 9, CountB: 12, A: 1000, B: 2000,
			Impact: 5e6, Ratio: ratio(2), Low: ratio(1.8),
			High: ratio(2.2), PValue: ratio(0.001), QValue: ratio(0.002)},
		{Kind: "kernel", Name: "axpy</script>", Status: diff.Faster, A: 1000, B: 500, CountA: 9, CountB: 9,
			Impact: -2e6, Ratio: ratio(0.5),
			Low: ratio(0.4), High: ratio(0.6), PValue: ratio(0.001), QValue: ratio(0.002)},
		{Kind: "call", Name: "endEncoding", Status: diff.Same, A: 100, B: 101, Ratio: ratio(1.01), Low: ratio(0.99),
			High: ratio(1.03), PValue: ratio(0.001), QValue: ratio(0.002)},
		{Kind: "kernel", Name: "gelu", Status: diff.Added, B: 100},
	}
	return d
}

// A comparison of runs on a software Metal mentioned that neither in its page nor in its text, and rows of only one
// side were not counted in its first line.
func TestDiffPageSaysWhatItIs(t *testing.T) {
	d := comparedDocument()
	d.Warnings = append(d.Warnings, "SOFTWARE METAL: the times of A and B are those of a software Metal, not of a GPU")
	var b bytes.Buffer
	if err := WriteDiff(&b, d, nil); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{`<p class="loud">SOFTWARE METAL: the times of A and B`,
		`<p class="verdict">B is 1.50x slower (1.40x to 1.60x) <span class="cost">1.00 ms → 1.50 ms per command buffer`,
		`<p class="dim">A: Nothing delays the threads.</p><p class="dim">B: The GPU is the limit.</p>`,
		"2 slower, 1 faster, 1 the same, 0 too noisy to tell, 1 on one side only; compared with the noise between runs"} {
		if !strings.Contains(b.String(), said) {
			t.Errorf("the page does not say %q", said)
		}
	}
}

var pageDataElement = regexp.MustCompile(`(?s)<script type="application/json" id="page-data">(.*?)</script>`)

// The page's numbers equal the numbers of --json: the page contains the whole document.
func TestPlotsAreTheDocument(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*bytes.Buffer) error
		doc   any
	}{
		"sweep": {func(b *bytes.Buffer) error { return WriteSweep(b, sweptDocument(t)) }, sweptDocument(t)},
		"diff":  {func(b *bytes.Buffer) error { return WriteDiff(b, comparedDocument(), nil) }, comparedDocument()},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		found := pageDataElement.FindSubmatch(b.Bytes())
		if found == nil {
			t.Fatalf("%s: no document in\n%s", name, b.Bytes())
		}
		var data map[string]any
		if err := json.Unmarshal(found[1], &data); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(c.doc)
		var want any
		json.Unmarshal(text, &want)
		if fmt.Sprint(data[name]) != fmt.Sprint(want) {
			t.Errorf("%s: the page has\n%v\nand --json\n%v", name, data[name], want)
		}
	}
}

// seen is a script that returns facts about a page of plots: its figures, the first and last row of each table, and
// whether anything is wider than the screen.
const seen = `const figures = [...document.querySelectorAll("figure")];
	return {drawn: document.documentElement.dataset.drawn,
		titles: figures.map((f) => f.querySelector("b").textContent),
		pictures: figures.map((f) => f.querySelectorAll("canvas").length),
		inked: figures.map((f) => {
			const c = f.querySelector("canvas");
			return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((n) => n > 0);
		}),
		rows: figures.map((f) => [...f.querySelectorAll("details tr")].slice(1)
			.map((r) => [...r.cells].map((c) => c.textContent).join("|"))),
		wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
		folded: [...document.querySelectorAll("summary")].every((s) => s.tabIndex >= 0)}`

// In a browser each figure is drawn, with its numbers in a table behind it; nothing is reported on the console, and
// nothing is wider than the screen.
func TestPlotsInBrowser(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	var sweep, compared bytes.Buffer
	if err := WriteSweep(&sweep, sweptDocument(t)); err != nil {
		t.Fatal(err)
	}
	if err := WriteDiff(&compared, comparedDocument(), nil); err != nil {
		t.Fatal(err)
	}
	picture(t, sweep.Bytes(), "sweep", "1200,1500")
	picture(t, compared.Bytes(), "diff", "1200,1100")
	picture(t, sweep.Bytes(), "sweep-narrow-dark", "420,1600", "--force-dark-mode",
		"--blink-settings=preferredColorScheme=0")
	for name, c := range map[string]struct {
		page []byte
		want map[string]string
	}{
		"sweep": {sweep.Bytes(), map[string]string{"titles": "[Throughput Where the threads' time went]",
			"pictures": "[1 1]", "inked": "[true true]",
			"rows": "[[1|100|95.0|104|3|1.00|100.0% 2|190|181|198|3|1.90|95.0% 4|340|323|354|3|3.40|85.0% " +
				"8|350|333|364|3|3.50|43.8% 16|300|285|312|3|3.00|18.8%] " +
				"[lock|waiting for a lock|5.0%|10.0%|20.0%|40.0%|80.0% executing|waiting while its own command " +
				"buffers run on the GPU|95.0%|90.0%|80.0%|60.0%|20.0%]]"}},
		"diff": {compared.Bytes(), map[string]string{"titles": "[What changed]", "pictures": "[1]", "inked": "[true]",
			"rows": "[[run|time for each command buffer|slower|1.00 ms|1.50 ms|+50.0%|+40.0% to +60.0%|+9.00 ms|+400 µs " +
				"outside call|commit|slower|1.00 µs|2.00 µs|+100.0%|+80.0% to +120.0%|+5.00 ms|count 9 → 12 " +
				"kernel|axpy</script>|faster|1.00 µs|500 ns|−50.0%|−60.0% to −40.0%|−2.00 ms|]]"}},
	} {
		for _, size := range []string{"1200,900", "420,900"} {
			l := lookAt(t, c.page, size, seen)
			for what, want := range c.want {
				if got := fmt.Sprint(l.said[what]); got != want {
					t.Errorf("%s at %s: %s\n%s\nwant\n%s", name, size, what, got, want)
				}
			}
			if l.said["drawn"] != "yes" || l.said["wide"] != false || l.said["folded"] != true {
				t.Errorf("%s at %s: %v", name, size, l.said)
			}
		}
		if l := lookAt(t, c.page, "1200,900", ""); len(l.console) > 0 { // with its policy
			t.Errorf("%s: the console says %q", name, l.console)
		}
	}
}

// TestDiffPageForAReader: "the same" stood at +59.5%, the legend had entries without data, the last column was cut, and
// the page led nowhere.
func TestDiffPageForAReader(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	ratio := func(x float64) *float64 { return &x }
	d := comparedDocument()
	d.A.Paths, d.B.Paths = []string{"runs/a 1.mtrace", "a.json"}, []string{"runs/b1.mtrace"}
	d.Changes = []diff.Change{
		{Kind: "kernel", Name: "rope", Status: diff.Slower, CountA: 9, CountB: 9, A: 773e3, B: 1.07e6, Impact: 3e7,
			Ratio: ratio(1.39), Low: ratio(1.38), High: ratio(1.4), PValue: ratio(0.001), QValue: ratio(0.002),
			Because: "a note that is long enough to be wider than what the last column has left of a page of 1,280 pixels"},
		{Kind: "run", Name: "time for each command buffer", Status: diff.Unclear, CountA: 9, CountB: 9, A: 2e6, B: 3.19e6,
			Impact: 1e6, Ratio: ratio(1.595), Low: ratio(0.95), High: ratio(2.68), PValue: ratio(0.1), QValue: ratio(0.2)},
		{Kind: "call", Name: "pthread_mutex_lock", Status: diff.Unclear, CountA: 2, CountB: 2, A: 11e3, B: 9e3, Impact: -2e3,
			Ratio: ratio(0.8), Low: ratio(1.1e-8), High: ratio(5.7e7), PValue: ratio(0.9), QValue: ratio(0.9)},
		{Kind: "token", Name: "GPU work of a token", Status: diff.Slower, CountA: 9, CountB: 9, A: 4e6, B: 5.5e6,
			Impact: 1e6, Ratio: ratio(1.37495), Low: ratio(1.37489), High: ratio(1.37501), PValue: ratio(0.1),
			QValue: ratio(0.2)},
	}
	var b bytes.Buffer
	if err := WriteDiff(&b, d, map[string]string{"runs/b1.mtrace": "runs/b1.html"}); err != nil {
		t.Fatal(err)
	}
	l := lookAt(t, b.Bytes(), "1280,900", `
		for (const d of document.querySelectorAll("details")) d.open = true;
		const tables = [...document.querySelectorAll("table.compared")];
		const codes = [...document.querySelectorAll("code")].map((c) => c.innerText);
		const link = document.querySelector("td a");
		const series = [...document.querySelectorAll(".u-legend .u-series")].map((s) => s.innerText.trim());
		return {legend: series.filter(Boolean).join() ===
				"slower,95% interval, from,95% interval, to",
			noisy: tables.some((t) => [...t.rows].some((r) => r.cells[1].innerText.startsWith("time for each") &&
				r.cells[2].innerText === "too noisy to tell")),
			any: tables.some((t) => [...t.rows].some((r) => r.cells[1].innerText === "pthread_mutex_lock" &&
				r.cells[6].innerText === "any" && r.cells[7].innerText === "")),
			once: tables.some((t) => [...t.rows].some((r) => r.cells[1].innerText === "GPU work of a token" &&
				r.cells[6].innerText === "+37.5%" && r.cells[7].innerText === "+1.00 ms")),
			whole: tables.length === 2 && tables.every((t) => t.parentNode.scrollWidth <= t.parentNode.clientWidth),
			onward: codes.join() === "mtrace view 'runs/a 1.mtrace',mtrace report 'runs/a 1.mtrace'," +
				"mtrace view runs/b1.mtrace,mtrace report runs/b1.mtrace",
			link: link.getAttribute("href") === "runs/b1.html" && link.innerText === "runs/b1.mtrace",
			explained: document.querySelector("figcaption").innerText.includes("A and B are medians"),
			said: series.join() + codes.join()};`)
	for what, is := range l.said {
		if is == false {
			t.Errorf("%s is not so: %v", what, l.said)
		}
	}
}
