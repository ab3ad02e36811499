package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/fixtures/handmade"
	"mtrace/fixtures/tracesim"
)

// written is the page of a report and a document.
func written(t testing.TB, r *report.Report, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, d); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 5<<20 {
		t.Errorf("the page has %d bytes", b.Len())
	}
	return b.Bytes()
}

// failing is a run built by hand: two threads with marks and scopes, and one command buffer that failed.
func failing(name string) *analyze.Trace {
	w := handmade.New(1_000_000)
	w.Trace.Run.Origin, w.Trace.Run.Length, w.Trace.TimeRange.Begin = 1000, 999_000, 1000
	w.Trace.Source.Args = []string{"python3", name}
	w.A.Name, w.B.Name, w.Queue.Label = "worker "+name, "feeder", "queue "+name
	for i := range analyze.Nanos(20) {
		at := 2000 + i*45_000
		by := w.A
		if i%2 == 1 {
			by = w.B
		}
		b := w.Buffer(by, at, handmade.At(at+5_000, at+38_000))
		b.Label = fmt.Sprintf("step %d %s", i, name)
		b.Completed = handmade.At(at+39_000, at+39_100)
		b.Status = analyze.StatusCompleted
		if i == 7 {
			b.Status, b.ErrorCode, b.Error = analyze.StatusError, 2, "GPU timeout "+name
		}
		w.Wait(by, handmade.At(at+1_000, at+41_000), b)
		w.Trace.Scopes = append(w.Trace.Scopes, analyze.Scope{Call: analyze.Call{Interval: handmade.At(at, at+42_000),
			Thread: by}, Name: "iteration " + name})
	}
	w.Trace.Scopes = append(w.Trace.Scopes, analyze.Scope{Call: analyze.Call{Interval: handmade.At(500_000, 500_000),
		Thread: w.A}, Name: "epoch " + name, Mark: true})
	return w.Trace
}

// modelPage is the page of a run that was made by hand.
func modelPage(t testing.TB, trace *analyze.Trace) []byte {
	t.Helper()
	b := NewBuilder()
	b.Model(trace)
	if err := b.Slice(analyze.Whole(trace)); err != nil {
		t.Fatal(err)
	}
	return written(t, report.Build(trace, report.Options{}), b.Document())
}

// TestInBrowser: the pages of a demo, of a million calls and of a failed run are drawn without a complaint of the
// browser or of the page's own policy.
func TestInBrowser(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	pages := map[string]func(t *testing.T) []byte{
		"demo":    demoPage,
		"million": millionPage,
		"failed":  func(t *testing.T) []byte { return modelPage(t, failing("of a test")) },
		"nothing": func(t *testing.T) []byte { return modelPage(t, &analyze.Trace{}) },
	}
	for name, make := range pages {
		t.Run(name, func(t *testing.T) {
			page := make(t)
			l := lookAt(t, page, "1280,900", "")
			if len(l.console) > 0 || !strings.Contains(l.page, `data-drawn="yes"`) {
				t.Errorf("the browser says %q", l.console)
			}
			picture(t, page, name, "1280,3600")
			if name == "demo" {
				picture(t, page, "demo-dark", "1280,3600", "--blink-settings=preferredColorScheme=0")
				picture(t, page, "demo-narrow", "500,3600")
			}
		})
	}
}

// TestTableIsTheReport: the table behind the timeline has the numbers of the report, in its words.
func TestTableIsTheReport(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	d, trace := whole(t, tracesim.Scenarios[0].Build(1).Run(t))
	r := report.Build(trace, report.Options{})
	l := lookAt(t, written(t, r, d), "1280,900", `
		document.querySelector("#timeline .shown").closest("details").open = true; mtrace.draw();
		return {rows: [...document.querySelectorAll("#timeline .shown tr")]
			.map((row) => [...row.cells].map((c) => c.textContent))};`)
	rows := map[string][]any{}
	var heads []any
	for _, row := range l.said["rows"].([]any) {
		cells := row.([]any)
		if heads == nil {
			heads = cells
		}
		rows[cells[0].(string)] = cells
	}
	colors, compared := report.PartColors(), 0
	for _, th := range r.Threads {
		row := rows[fmt.Sprintf("%s %d", th.Name, th.TID)]
		if row == nil {
			t.Fatalf("thread %d has no row among %v", th.TID, rows)
		}
		for p := range analyze.PartOutside {
			for i, head := range heads {
				if n := th.Time[p.Key()]; head == colors[p].Name && n > 0 && p != analyze.PartAllocate &&
					p != analyze.PartOtherAPI {
					// those two share a head
					if got := row[i]; got != analyze.Nanos(n).String() && got != analyze.Nanos(n+1).String() {
						// halves are rounded up there, and to even here
						t.Errorf("thread %d: %s is %v in the table, %v in the report", th.TID, p.Key(), got, analyze.Nanos(n))
					}
					compared++
				}
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d times were compared", compared)
	}
}

// TestKeys: all of the timeline can be had by the keyboard, and each block is described.
func TestKeys(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	l := lookAt(t, demoPage(t), "1280,900", `
		const canvas = document.querySelector("#timeline .scroller canvas"), said = {};
		const status = document.querySelector("#timeline [role=status]");
		const key = (k) => {
			canvas.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
			mtrace.draw();
			return {...mtrace.seen(), status: status.textContent};
		};
		said.first = mtrace.seen();
		for (const k of ["+", "ArrowRight", "0", ".", ",", "ArrowDown", "Enter", "Escape"]) said[k] = key(k);
		return said;`)
	at := func(step, what string) float64 { return l.said[step].(map[string]any)[what].(float64) }
	text := func(step string) string { return l.said[step].(map[string]any)["status"].(string) }
	length := func(step string) float64 { return at(step, "right") - at(step, "left") }
	if 1.9*length("+") > length("first") || at("ArrowRight", "left") <= at("+", "left") ||
		length("0") != length("first") || length("Enter") >= length("0") {
		t.Errorf("the keys show %v", l.said)
	}
	if text(".") == "" || text(".") == text("ArrowDown") || text("Escape") != "" {
		t.Errorf("the keys say %q, %q, %q", text("."), text("ArrowDown"), text("Escape"))
	}
}

// TestPaper: on paper nothing is folded and nothing cut; on a narrow screen the page is no wider than that.
func TestPaper(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	page := demoPage(t)
	l := lookAt(t, page, "1280,700", `dispatchEvent(new Event("beforeprint"));
		const scroller = document.querySelector("#timeline .scroller"), canvas = scroller.querySelector("canvas");
		const said = {folded: document.querySelectorAll("details:not([open])").length,
			drawn: canvas.height / Math.min(3, devicePixelRatio),
			rows: parseFloat(scroller.querySelector(".spacer").style.height),
			empty: [...document.querySelectorAll("details")]
				.filter((d) => d.innerText.trim() === d.querySelector("summary").innerText.trim()).length};
		dispatchEvent(new Event("afterprint"));
		said.again = document.querySelectorAll("details:not([open])").length;
		return said;`)
	if l.said["folded"] != 0.0 || l.said["empty"] != 0.0 || l.said["drawn"] != l.said["rows"] || l.said["again"] == 0.0 {
		t.Errorf("on paper: %v", l.said)
	}
	// As on a sheet of A4: in a matrix of 13 columns the names were printed with one letter per line, and took four
	// pages.
	l = lookAt(t, page, "720,1000", `let rules = 0;
		for (const sheet of document.styleSheets)
			for (const rule of sheet.cssRules)
				if (rule.media && rule.media.mediaText === "print") { rule.media.mediaText = "all"; rules++; }
		document.querySelectorAll("details").forEach((d) => d.open = true);
		return {rules, rows: document.querySelectorAll(".heat tr").length, wide: document.documentElement.scrollWidth,
			high: [...document.querySelectorAll("tr")]
				.filter((r) => !r.querySelector("th[scope=col]") && r.offsetHeight > 90)
				.map((r) => r.offsetHeight + " " + r.textContent.slice(0, 40))}`)
	if l.said["rules"].(float64) < 2 || l.said["rows"].(float64) < 20 || len(l.said["high"].([]any)) > 0 ||
		l.said["wide"].(float64) > 2*720 {
		// a wider line is printed smaller, down to half the size
		t.Errorf("on a sheet: %v", l.said)
	}
	l = lookAt(t, page, "500,900", `document.querySelectorAll("details").forEach((d) => d.open = true);
		return {wide: document.documentElement.scrollWidth, room: innerWidth}`)
	if l.said["wide"].(float64) > l.said["room"].(float64) {
		t.Errorf("on a narrow screen: %v", l.said)
	}
}

// TestHostileNames: names are names. None becomes a part of the page or of its script, even where no policy of the page
// stops it.
func TestHostileNames(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	for i, name := range []string{`</script><script>window.bad=1</script>`, `"><img src=x onerror="window.bad=1">`,
		`'+(window.bad=1)+'`, "<!--<script>", "\u2028window.bad=1//", "]]>", `\"};window.bad=1;//`} {
		page := modelPage(t, failing(name))
		l := lookAt(t, page, "1280,900", `document.querySelectorAll("details").forEach((d) => d.open = true); mtrace.draw();
			const canvas = document.querySelector("#timeline .scroller canvas");
			for (const k of ["ArrowDown", ".", "ArrowUp", "ArrowUp"])
				canvas.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
			return {bad: window.bad || 0, scripts: document.scripts.length, images: document.images.length,
				title: document.title, status: document.querySelector("#timeline [role=status]").textContent}`)
		if l.said["bad"] != 0.0 || l.said["scripts"] != 3.0 || l.said["images"] != 0.0 || len(l.console) > 0 {
			// the page's two and the test's own
			t.Errorf("%d: %q: %v %q", i, name, l.said, l.console)
		}
		if !strings.Contains(l.said["status"].(string), strings.TrimSpace(name)) {
			t.Errorf("%q is not said as it is: %v", name, l.said["status"])
		}
	}
}

// TestPageIsBounded: with very many threads, labels, scopes, kernels and failures the page is still below five
// megabytes, and states what it leaves out.
func TestPageIsBounded(t *testing.T) {
	w := handmade.New(4_000_000_000)
	w.Trace.Run.Origin, w.Trace.Run.Length = 1, 4_000_000_000
	w.Trace.CommandBuffers = make([]analyze.CommandBuffer, 0, 60_000)
	process := w.A.Process
	threads := []*analyze.Thread{w.A, w.B, w.C}
	for i := range 500 {
		th := &analyze.Thread{Process: process, ID: analyze.ThreadID(1000 + i),
			Name: strings.Repeat("thread with a long name ", 9), Active: w.Trace.TimeRange}
		threads, w.Trace.Threads = append(threads, th), append(w.Trace.Threads, th)
	}
	for i := range analyze.Nanos(60_000) {
		by, at := threads[int(i)%len(threads)], 1000+i*66_000
		b := w.Buffer(by, at, handmade.At(at+50_000+i%7000, at+900_000+i%9000))
		b.Label = fmt.Sprintf("%s %d", strings.Repeat("a label that tells very much ", 8), i)
		b.Completed = handmade.At(b.GPU.End+1000, b.GPU.End+1100)
		b.Status = analyze.StatusCompleted
		if i%20 == 0 {
			b.Status, b.Error = analyze.StatusError, strings.Repeat("what Metal says ", 30)
		}
		w.Wait(by, handmade.At(at+10, b.GPU.End+5000), b)
		w.Trace.Scopes = append(w.Trace.Scopes, analyze.Scope{Call: analyze.Call{Interval: handmade.At(at, at+50_000),
			Thread: by}, Name: fmt.Sprintf("scope of a name of its own %d", i)},
			analyze.Scope{Call: analyze.Call{Interval: handmade.At(at, at), Thread: by}, Name: fmt.Sprintf("mark %d", i),
				Mark: true})
	}
	b := NewBuilder()
	b.Model(w.Trace)
	if err := b.Slice(analyze.Whole(w.Trace)); err != nil {
		t.Fatal(err)
	}
	d := b.Document()
	r := report.Build(w.Trace, report.Options{Sections: []string{"threads"}})
	page := written(t, r, d)
	if len(d.Lanes) != mostLanes || d.LanesLeft == 0 || d.MarksLeft == 0 || d.FlowsOf < 2 || len(d.Flows) > mostFlows ||
		len(d.Names) > mostNames {
		t.Errorf("%d lanes and %d left, %d marks left, %d flows, one in %d, %d names", len(d.Lanes), d.LanesLeft,
			d.MarksLeft, len(d.Flows), d.FlowsOf, len(d.Names))
	}
	t.Logf("%d bytes", len(page))
	for _, said := range []string{"lanes with the fewest calls", "more marks and scopes",
		"Arrows show only one of every", "had no free lane"} {
		if !strings.Contains(string(page), said) {
			t.Errorf("the page does not say %q", said)
		}
	}
}
