package page

import (
	"testing"

	"mtrace/analyze/report"
)

// TestTokensOnThePage: tokens once had no entry in the contents, one long line of figures, and a histogram of one bar,
// because one token took fifty times as long as the others. The parts of the GPU's idle time add up to its sum.
func TestTokensOnThePage(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	trace := peered()
	b := NewBuilder()
	b.Model(trace)
	r := report.Build(trace, report.Options{})
	g := &report.Generation{
		From:    "marks",
		TokenNS: report.Quantiles{Count: 100, MeanNS: 2_000_000, P50NS: 1_900_000, P95NS: 3_000_000},
		GPUNS:   report.Quantiles{Count: 100, P50NS: 800_000},
		IdleNS: report.Quantiles{Count: 100, MeanNS: 1_000_000, MinNS: 700_000, P50NS: 800_000, P95NS: 1_100_000,
			MaxNS: 41_000_000},
		IdleWhile: report.IdleWhile{Creation: 0.5, Commit: 0.25, Start: 0.125}}
	for i := range int64(8) {
		g.IdleBins = append(g.IdleBins,
			report.StepBin{FromNS: 700_000 + 60_000*i, ToNS: 760_000 + 60_000*i, Tokens: int(10 + i)})
	}
	g.IdleBins = append(g.IdleBins, report.StepBin{FromNS: 1_180_000, ToNS: 41_000_001, Tokens: 1})
	r.Steps.Generation, r.GPU.IdleNS = g, 120_000_000
	l := lookAt(t, written(t, r, b.Document()), "1280,900", `
		const entry = [...document.querySelectorAll(".contents a")].find((a) => a.innerText === "Tokens");
		const answers = Object.fromEntries([...document.querySelectorAll(".answer div")].map((d) =>
			[d.querySelector("dt").innerText, d.querySelector("dd").innerText]));
		const bars = [...document.querySelectorAll(".gaps b")].map((b) => b.getBoundingClientRect().height);
		const table = [...document.querySelectorAll("table")].find((t) => t.innerText.includes("all tokens"));
		table.querySelector("th:nth-child(2) button").click(); table.querySelector("th:nth-child(2) button").click();
		const cells = [...table.rows].map((r) => r.cells[1].innerText);
		return {entry: !!entry && entry.getAttribute("href") === "#tokens",
			bars: bars.length === 9 && bars.filter((h) => h > 20).length === 8,
			tail: document.querySelectorAll(".gaps div:not(.axis) .tail").length === 1,
			told: document.querySelector(".gaps").innerText.includes("1 token with longer gaps, up to 41.0 ms"),
			labels: document.querySelectorAll(".gaps .axis span").length === 2,
			first: answers["time of a token"] === "median 1.90 ms" && answers["GPU idle in a token"] === "median 800 µs",
			why: (answers["why idle"] || "").startsWith("50% of the idle time passes until the program creates"),
			related: document.body.innerText.includes("The GPU idled for 100 ms in 100 tokens, 83% of its 120 ms between"),
			sorted: cells.join() === "time,12.5 ms,12.5 ms,25.0 ms,50.0 ms,100 ms", text: cells.join()};`)
	for what, is := range l.said {
		if is == false {
			t.Errorf("%s is not so: %v", what, l.said)
		}
	}
}
