package page

import (
	"strings"
	"testing"
)

// TestTables checks the interactions with the page's tables and its list of contents, each in a browser. Every script
// returns an object of booleans, which must all be true, and of texts that help to diagnose a failure.
func TestTables(t *testing.T) {
	page := demoPage(t)
	tools := `const calls = [...document.querySelectorAll("h2")].find((h) => h.textContent.trim() === "Calls"),
			box = [...document.querySelectorAll(".scroll > table")].find((t) => t.rows[0].textContent.includes("median"));
		const column = (i) => [...box.rows].slice(1).filter((r) => !r.hidden).map((r) => r.cells[i].textContent.trim());`
	cases := map[string]struct{ size, script string }{
		"a click on a head sorts, numbers with their units": {"1280,900", `
			box.rows[0].cells[3].querySelector("button").click();
			const down = column(3).map(mtrace.valueOf); box.rows[0].cells[3].querySelector("button").click();
			const up = column(3).map(mtrace.valueOf);
			box.rows[0].cells[0].querySelector("button").click(); const names = column(0);
			return {down: down.every((n, i) => i === 0 || down[i - 1] >= n), up: up.every((n, i) => i === 0 ||
				up[i - 1] <= n), moved: down[0] !== up[0],
				said: box.rows[0].cells[0].ariaSort === "ascending" && !box.rows[0].cells[3].ariaSort, names:
					names.every((n, i) => i === 0 || names[i - 1].localeCompare(n) <= 0)};`},
		"values are read with their units": {"1280,900", `
			return {time: mtrace.valueOf("1.5 ms") === 1.5e6 && mtrace.valueOf("2 s") > mtrace.valueOf("999 ms"),
				count: mtrace.valueOf("1,234") === 1234, none: mtrace.valueOf("·") === -Infinity,
				small: mtrace.valueOf("<1%") === 0.005, bytes: mtrace.valueOf("2 MiB") === 2097152, gain:
					mtrace.valueOf("2.11x (1.57-2.55)") === 2.11, text: mtrace.valueOf("commit") === null};`},
		"a filter hides rows": {"1280,900", `
			const filter = box.parentNode.previousElementSibling, before = column(0).length;
			filter.value = "commit"; filter.dispatchEvent(new Event("input"));
			const after = column(0); filter.value = ""; filter.dispatchEvent(new Event("input"));
			return {fewer: after.length > 0 && after.length < before, match: after.length > 0 &&
				[...box.rows].length > after.length, back: column(0).length === before};`},
		"the list of contents follows": {"1280,900", `
			const list = document.querySelector(".contents"),
				now = () => list.querySelector("[aria-current]").textContent, said = {first: now()};
			[...list.children].find((a) => a.textContent === "Calls").click();
			return {...said, at: calls.getBoundingClientRect().top < 200, follows: now() === "Calls", text: now(),
				stays: list.getBoundingClientRect().top < 2};`},
		"tables fit a window of 1,280 pixels": {"1280,900", `
			const wide = [...document.querySelectorAll(".scroll")].filter((s) => s.querySelector("table:not(.heat)") &&
				s.scrollWidth > s.clientWidth + 1 && s.clientWidth > 0 && s.checkVisibility({contentVisibilityAuto: true}) &&
				!s.closest("details:not([open])")).map((s) => s.textContent.slice(0, 60));
			return {fit: wide.length === 0, calls: box.parentNode.scrollWidth <= box.parentNode.clientWidth + 1,
				wide: wide.join()};`},
		"the list of contents is not cut off": {"1280,900", `
			const list = document.querySelector(".contents");
			return {whole: list.scrollWidth <= list.clientWidth + 1, inside: [...list.children].every((a) =>
				a.getBoundingClientRect().right <= innerWidth)};`},
		"a table that is cut off on a telephone has a shadow at its edge": {"400,900", `
			const cut = [...document.querySelectorAll(".scroll, .contents")].filter((s) => s.scrollWidth > s.clientWidth + 1 &&
				s.clientWidth > 0 && !s.closest(".card"));
			return {some: cut.length > 1, shadows: cut.every((s) =>
				/local, local, scroll, scroll/.test(getComputedStyle(s).backgroundAttachment))};`},
		"every table on a telephone scrolls by itself, and its first column stays": {"400,900", `
			document.querySelectorAll("details").forEach((d) => d.open = true);
			const seen = [...document.querySelectorAll("table:not(.u-legend)")].filter((t) => t.getClientRects().length > 0);
			const wide = seen.filter((t) => t.scrollWidth > t.parentNode.clientWidth + 1 && t.closest(".scroll"));
			const stays = wide.filter((t) => !t.matches(".threads")).map((t) => {
				const scroll = t.closest(".scroll"), cell = t.rows[t.rows.length - 1].cells[0], left = () =>
					cell.getBoundingClientRect().left - scroll.getBoundingClientRect().left;
				scroll.scrollLeft = scroll.scrollWidth;
				return scroll.scrollLeft > 0 && Math.abs(left()) < 2 && cell.offsetWidth < scroll.clientWidth / 2; });
			return {some: wide.length > 3, page: document.documentElement.scrollWidth <= innerWidth, own: seen.every((t) =>
				t.closest(".scroll") || t.getBoundingClientRect().right <= innerWidth + 1), stays: stays.every((s) => s), text:
				stays.join() + " " + document.documentElement.scrollWidth + " of " + innerWidth};`},
		"bars are seen on a telephone": {"400,900", `
			const bars = [...document.querySelectorAll(".bar")].map((b) => b.getBoundingClientRect());
			return {some: bars.length > 3, inside: bars.every((b) => b.left >= 0 && b.right <= innerWidth + 1), wide:
				bars.every((b) => b.width > 200), text: bars.map((b) => b.left + "-" + b.right).join() + " of " +
					innerWidth};`},
		"on paper there are no raw tables of charts": {"720,1000", `
			for (const sheet of document.styleSheets) for (const rule of sheet.cssRules) if (rule.media &&
				rule.media.mediaText === "print") rule.media.mediaText = "all";
			document.querySelectorAll("details").forEach((d) => d.open = true);
			const shown = (s) => [...document.querySelectorAll(s)].filter((e) => e.getClientRects().length > 0);
			return {hints: shown("[role=status]").length === 0, unpressed:
				shown("#flame .kinds button").every((b) => b.ariaPressed === "true"),
				triangles: shown("summary").every((s) => getComputedStyle(s).listStyleType === "none"),
				charts:
				[...document.querySelectorAll("#charts table:not(.u-legend)")].every((t) => t.getClientRects().length === 0),
				some: document.querySelectorAll("#charts table:not(.u-legend)").length > 2,
				filters:
					[...document.querySelectorAll(".filter, .contents")].every((f) => f.getClientRects().length === 0)};`},
		"charts cover the whole run, and axes of bytes have powers of two": {"1280,900", `
			const charts = mtrace.plots.map((p) => ({from: p.scales.x.min, to: p.scales.x.max, title:
				p.root.closest("figure").querySelector("b").textContent, y: p.axes[1]._values}));
			const over = charts.filter((c) => ["GPU busy", "In flight", "Memory"].includes(c.title)),
				end = mtrace.viewed.page.end_ns;
			const memory = over.find((c) => c.title === "Memory");
			return {three: over.length === 3, whole: over.every((c) => c.from <= mtrace.viewed.page.begin_ns &&
				c.to >= end), powers: memory.y.length > 2 && memory.y.every((v, i) => i === 0 ||
					Number.isInteger(Math.log2(mtrace.valueOf(v) - mtrace.valueOf(memory.y[i - 1])))),
				text: JSON.stringify(charts.map((c) => [c.title, c.from, c.to, c.y]))};`},
		"the first screen has the verdict, its cost, gain and line, and how time was spent": {"1280,900", `
			const text = document.body.innerText, top = (s) => document.querySelector(s).getBoundingClientRect().bottom;
			return {verdict: top(".verdict") < 900, cost: /costs/.test(document.querySelector(".answer").innerText),
				strips: document.querySelectorAll(".strip").length === 2,
				seen:
					[...document.querySelectorAll(".strip .bar")].every((b) => b.getBoundingClientRect().bottom < 900),
				whole: [...document.querySelectorAll(".strip .bar")].every((b) => {
					const sum = [...b.children].reduce((n, i) => n + parseFloat(i.style.width), 0);
					return sum > 98 && sum < 102; }),
				links: document.querySelectorAll(".goto a").length >= 3, bottom: top(".goto")};`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time a browser loads a page
			l := lookAt(t, page, c.size, tools+c.script)
			if len(l.console) > 0 {
				t.Errorf("the browser says %q", strings.Join(l.console, " "))
			}
			looked := 0
			for what, is := range l.said {
				if is == false {
					t.Errorf("%s is not so: %v", what, l.said)
				}
				if is == true {
					looked++
				}
			}
			if looked < 2 {
				t.Errorf("only %d things were looked at", looked)
			}
		})
	}
}
