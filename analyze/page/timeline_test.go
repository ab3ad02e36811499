package page

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/fixtures/handmade"
)

// hands simulates a reader's mouse and keys, for scripts of tests.
const hands = `
	const view = mtrace.viewed, canvas = view.canvas, strip = document.querySelector("#timeline .overview"),
		text = (s) => document.querySelector("#timeline " + s).innerText;
	canvas.scrollIntoView();
	const point = (on, type, x, y, more) => { const r = on.getBoundingClientRect();
	on.dispatchEvent(new PointerEvent(type, {clientX: r.left + x, clientY: r.top + y, bubbles: true, pointerId: 1,
		...more})); };
	const drag = (on, x1, y1, x2, y2, more) => { point(on, "pointerdown", x1, y1, more); point(on, "pointermove",
		(x1 + x2) / 2, (y1 + y2) / 2, more); point(on, "pointermove", x2, y2, more); point(on, "pointerup", x2, y2,
			more); point(on, "click", x2, y2, more); mtrace.draw(); };
	const click = (on, x, y) => { point(on, "pointerdown", x, y); point(on, "pointerup", x, y); point(on, "click",
		x, y); mtrace.draw(); };
	const key = (k) => { canvas.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable:
		true})); mtrace.draw(); };
	const type = (words) => { const box = document.querySelector("#timeline input[type=search]"); box.value = words;
	box.dispatchEvent(new Event("input")); mtrace.draw(); };
	const button = (words, within) => [...document.querySelectorAll("#timeline " + (within || "") +
		" button")].find((b) => b.innerText.includes(words));
	const row = (name) => view.rows.find((r) => r.name.includes(name));
	const spot = (name, ns) => [view.xOf(ns), view.yOf(row(name)) + row(name).height / 2];
	const names = () => view.rows.map((r) => r.name);
`

// peered is a run of two threads: A waits for a lock that B holds, then for a command buffer that B committed. C only
// waits for signals. Two command buffers run at the same time.
func peered() *analyze.Trace {
	w := handmade.New(1_000_000)
	w.Trace.Run.Origin, w.Trace.Run.Length, w.Trace.TimeRange.Begin = 1000, 999_000, 1000
	w.A.Name, w.B.Name, w.C.Name, w.Queue.Label = "waiter", "holder", "sleeper", "the queue"
	b := w.Buffer(w.B, 300_000, handmade.At(350_000, 500_000))
	b.Label, b.Created, b.Completed, b.Status = "step", analyze.Call{Interval: handmade.At(200_000, 201_000), Thread: w.B},
		handmade.At(510_000, 510_100), analyze.StatusCompleted
	b.Committed.Stack = &analyze.Stack{Frames: []*analyze.Frame{{Name: "submit", File: "train.py", Line: 12, Python: true},
		{Name: "main", File: "train.py", Line: 40, Python: true}}}
	beside := w.Buffer(w.B, 320_000, handmade.At(360_000, 480_000))
	beside.Label, beside.Completed, beside.Status = "copy", handmade.At(490_000, 490_100), analyze.StatusCompleted
	w.Wait(w.A, handmade.At(310_000, 520_000), b)
	return w.Trace
}

// peeredPage is the page of it, with the waits for lock and signal that its source would have as calls.
func peeredPage(t *testing.T) []byte {
	trace := peered()
	a, holder, sleeper := trace.Threads[0], trace.Threads[1], trace.Threads[2]
	trace.CPUWaits.Locks = append(trace.CPUWaits.Locks,
		analyze.LockWait{Call: analyze.Call{Interval: handmade.At(100_000, 180_000),
			Thread: a}, Selector: "pthread_mutex_lock", Name: "cache", Holder: holder})
	b := NewBuilder()
	b.Model(trace)
	line := &analyze.Stack{Frames: []*analyze.Frame{{Name: "lookup", File: "train.py", Line: 7, Python: true}}}
	for _, x := range []struct {
		on   *analyze.Thread
		at   analyze.Interval
		kind uint8
		name string
	}{{a, handmade.At(100_000, 180_000), uint8(analyze.PartLock), "pthread_mutex_lock"},
		{sleeper, handmade.At(10_000, 900_000), kindSignal, "pthread_cond_wait"}} {
		th := b.thread(x.on)
		th.calls.add(block{Interval: x.at, kind: x.kind, name: x.name, stack: b.stacks.number(line)}, b.room())
	}
	// another thread's call at the holder's line, longer than the holder's
	waiter := b.thread(a)
	commit := trace.CommandBuffers[0].Committed
	waiter.calls.add(block{Interval: handmade.At(600_000, 700_000), kind: kindSignal, name: "sem_wait",
		stack: b.stacks.number(commit.Stack)}, b.room())
	if err := b.Slice(analyze.Whole(trace)); err != nil {
		t.Fatal(err)
	}
	r := report.Build(trace, report.Options{})
	r.Serialization.Share = 0.5
	r.Serialization.Causes = []report.Cause{{Cause: "lock-contention", Site: line.Frames[0].String(),
		HolderSite: "train.py:12 submit()", HolderCallers: []string{"train.py:40 main()"},
		HolderCall: &report.HolderCall{PID: holder.Process.ID, TID: uint64(holder.ID),
			BeginNS: int64(commit.Begin - trace.Run.Origin)}}}
	return written(t, r, b.Document())
}

// TestInteractions checks the interactions with the timeline, each in a browser. Every script returns an object of
// booleans, which must all be true, and of texts that help to diagnose a failure.
func TestInteractions(t *testing.T) {
	cases := map[string]string{
		"a search finds labels, threads and calls, fades the rest, and goes from one to the next": `
			type("step");
			const said = {found: /2 found|1 found/.test(text(".hits")), listed: text(".results").includes("step"),
				faded: view.foundIn(view.page).names.some(Boolean)};
			document.querySelector("#timeline input[type=search]").dispatchEvent(new KeyboardEvent("keydown", {key:
				"Enter", bubbles: true}));
			said.chosen = mtrace.seen().chosen.includes("step");
			type("holder"); said.thread = text(".results").includes("holder");
			button("holder", ".results").click(); said.lane = view.chosen.n === row("holder").n &&
				Number.isNaN(view.chosen.at);
			type("no such thing"); said.nothing = text(".hits") === "nothing found";
			type(""); said.clear = view.foundIn(view.page) === null; return said;`,
		"a search finds words, parts of the time and functions of stacks, first in threads that commit": `
			const said = {}, listed = () => [...document.querySelectorAll("#timeline .results li")].map((l) => l.innerText);
			said.words = [["lock", "pthread_mutex_lock"], ["lock", "tryLock"], ["create", "MTLCreateSystem"],
				[".py", "train.py"], ["cond_w", "pthread_cond_wait"], ["12", "train.py:12"]].every(([want, in_]) =>
				mtrace.startsWord(in_, want));
			said.middles = [["lock", "clock_nanosleep"], ["lock", "unblocked"], ["rain", "train.py"]].every(([want, in_]) =>
				!mtrace.startsWord(in_, want));
			type("submit"); said.stack = text(".results").includes("submit") && text(".hits").includes("found");
			type("signal"); said.kind = text(".results").includes("signal: pthread_cond_wait");
			said.after = text(".results").includes("in threads that commit nothing");
			type("clock"); said.middle = text(".hits") === "nothing found";
			type("p"); said.list = listed().join(" | "); return said;`,
		"the strip above shows the range and moves it": `
			const said = {}, width = view.width;
			drag(strip, width * 0.25, 10, width * 0.5, 10);
			said.chosen = Math.abs(view.left - 0.25 * view.page.end_ns) < 2e4 &&
				Math.abs(view.right - 0.5 * view.page.end_ns) < 2e4;
			const [a, b] = strip.dataset.range.split(",").map(Number); said.drawn = Math.abs(a - width * 0.25) < 5 &&
				Math.abs(b - width * 0.5) < 5;
			drag(strip, width * 0.3, 10, width * 0.5, 10);
			said.moved = Math.abs(view.left - 0.45 * view.page.end_ns) < 2e4;
			click(strip, width * 0.1, 10); said.jumped = view.left < 0.1 * view.page.end_ns; return said;`,
		"lanes are pinned, folded, hidden and moved": `
			const said = {first: names()[0]};
			click(canvas, 20, view.yOf(row("waiter")) + 8); button("pin", ".chosen").click(); mtrace.draw();
			said.pinned = row("waiter").pinned && names()[0] === row("waiter").name;
			button("unpin", ".chosen").click(); key("f"); said.folded = row("waiter").height < 10; key("f");
			const before = names().indexOf(row("holder").name); key("]");
			said.down = names().indexOf(row("waiter").name) > names().indexOf(row("holder").name) || before < 0;
			drag(canvas, 30, view.yOf(row("waiter")) + 8, 30, view.yOf(row("holder")) + 4);
			said.dragged = names().indexOf(row("waiter").name) < names().indexOf(row("holder").name);
			click(canvas, 20, view.yOf(row("waiter")) + 8); button("hide", ".chosen").click();
			said.hidden = !row("waiter");
			[...document.querySelectorAll("#timeline .lanes input")].find((b) =>
				b.parentElement.textContent.includes("waiter")).click();
			said.back = !!row("waiter"); return said;`,
		"threads that only wait for signals are folded until they are asked for": `
			const said = {folded: !row("sleeper"), grouped: !!row("1 thread that only waited")};
			click(canvas, 60, view.yOf(row("only waited")) + 8); said.unfolded = !!row("sleeper");
			click(canvas, 60, view.yOf(row("only waited")) + 8); said.again = !row("sleeper"); return said;`,
		"a drag selects a range, which has statistics of its own": `
			drag(canvas, view.xOf(100e3), 60, view.xOf(180e3), 60);
			const said = {range: Math.abs(view.range.from - 100e3) < 3e3 && Math.abs(view.range.to - 180e3) < 3e3,
				title: text(".selection h3"), text: text(".selection")};
			said.lock = /lock/.test(said.text) && /pthread_mutex_lock/.test(said.text) && /100%|9\d%/.test(said.text);
			said.noGPU = !/step/.test(said.text);
			key("z"); said.zoomed = view.right - view.left < 1e5; key("Escape"); said.gone = !view.range &&
				document.querySelector("#timeline .selection").hidden;
			key("0"); drag(canvas, view.xOf(300e3), 60, view.xOf(400e3), 60, {shiftKey: true});
			said.moved = !view.range; return said;`,
		"a click on a wait for a lock shows its holder and goes there": `
			click(canvas, ...spot("waiter", 140e3));
			const said = {text: text(".chosen"), status: text("[role=status]")};
			said.holder = /held by holder/.test(said.text) && /cache/.test(said.text);
			document.querySelector("#timeline .peer").click(); mtrace.draw();
			said.there = view.chosen.n === row("holder").n; return said;`,
		"a click on a wait shows its command buffer and goes to its steps": `
			click(canvas, ...spot("waiter", 400e3));
			const said = {text: text(".chosen")};
			said.life = ["created", "committed in holder", "GPU begins", "GPU ends", "completion is notified",
				"the wait returns"].every((w) => said.text.includes(w)) && said.text.includes("the queue");
			said.peer = /waits for work of holder/.test(said.text);
			button("GPU begins", ".chosen").click(); mtrace.draw();
			said.gpu = view.chosen.n === view.page.flows[0].g && mtrace.seen().chosen.includes("step");
			said.stack = text(".chosen").includes("Committed from") && text(".chosen").includes("train.py:12 submit()");
			button("committed in", ".chosen").click(); mtrace.draw();
			said.commit = view.chosen.n === row("holder").n && mtrace.seen().chosen.includes("commit"); return said;`,
		"the address follows what is seen": `
			click(canvas, ...spot("waiter", 140e3)); drag(canvas, view.xOf(100e3), 60, view.xOf(180e3), 60);
			type("step"); key("+"); view.writeAddress();
			const hash = location.hash, said = {hash, all:
				/^#\d+-\d+&block=.*@\d+&range=\d+-\d+&find=step$/.test(hash)};
			view.choose(null); view.select(null); type(""); key("0"); view.writeAddress();
			location.hash = hash; await new Promise((done) => addEventListener("hashchange", done, {once: true}));
			mtrace.draw();
			said.seen = view.left > 0 && mtrace.seen().chosen.includes("pthread_mutex_lock") && !!view.range &&
				view.find === "step";
			location.hash = "#1000-2000"; await new Promise((done) => addEventListener("hashchange", done, {once:
				true})); said.old = view.left === 1000 && view.right === 2000; return said;`,
		"the line of the verdict leads to its longest call": `
			const link = document.querySelector(".answer dd a"), said = {is: link && link.innerText === "train.py:7 lookup()"};
			if (link) link.click();
			said.chosen = mtrace.seen().chosen; said.there = /^sleeper.*pthread_cond_wait/.test(said.chosen);
			return said;`,
		"the first screen has the line of the lock's holder, which leads to a call of the holder there": `
			const answers = [...document.querySelectorAll(".answer div")], of = (title) => answers.find((d) =>
				d.querySelector("dt").innerText === title);
			const held = of("line of the lock's holder"), said = {title: !!held, waits: !!of("line that waits")};
			said.line = held.querySelector("dd").innerText === "train.py:12 submit()";
			said.callers = held.innerText.includes("called from train.py:40 main()");
			said.seen = held.getBoundingClientRect().top + scrollY < 900;
			held.querySelector("a").click(); said.chosen = mtrace.seen().chosen;
			said.there = /^holder/.test(said.chosen) && held.querySelector("a").title.includes("holder there during a wait");
			return said;`,
		"an idle GPU says for how long, and what the thread that submits did": `
			const n = view.rows.find((r) => r.lane && r.lane.shows === "gpu"), y = view.yOf(n) + n.height / 2;
			const at = (ns) => view.under(view.xOf(ns), y, false);
			const said = {early: at(100_000), inside: at(420_000), late: at(800_000)};
			const gap = mtrace.idleGap(view, n.lane, 100_000);
			said.gap = gap.first && !gap.last && gap.from === view.page.begin_ns && gap.to === 349_000;
			said.thread = said.early.includes("idle for") && said.early.includes("before the first work") &&
				/meanwhile holder.*, which commits the next work: .* outside of Metal/.test(said.early);
			said.idlers = view.page.lanes.filter((l) => l.shows === "gpu").every((l) => [1, 100_000, 300_000, 348_999,
				600_000].every((ns) => !/: $/.test(mtrace.idleText(view, l, ns, 1e6))));
			said.after = said.late.includes("after the last work") && !said.late.includes("meanwhile");
			said.works = !said.inside.includes("idle") && mtrace.idleGap(view, n.lane, 420_000) === null;
			return said;`,
		"lanes of one GPU have names of their own": `
			const gpu = view.page.lanes.filter((l) => l.shows === "gpu").map((l) => l.name);
			return {two: gpu.length === 2, differ: new Set(gpu).size === 2, names: gpu.join()};`,
	}
	page := peeredPage(t)
	for name, script := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time a browser loads a page
			l := lookAt(t, page, "1280,900", hands+script)
			if len(l.console) > 0 {
				t.Errorf("the browser says %q", l.console)
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

// TestLargePageIsFast: of a million calls the page is drawn, searched and measured within a moment.
func TestLargePageIsFast(t *testing.T) {
	l := lookAt(t, millionPage(t), "1280,900", hands+`
		const middle = (act) => { const times = []; for (let i = 0; i < 9; i++) { const from = performance.now();
		act(i); times.push(performance.now() - from); } return times.sort((a, b) => a - b)[4]; };
		const said = {blocks: view.page.lanes.reduce((n, l) => n + mtrace.levels.finest(l).at.length +
			mtrace.levels.finest(l).cellAt.length, 0)};
		said.draw = middle(() => mtrace.draw());
		said.zoomed = middle((i) => { view.zoom(0.7, view.page.end_ns / 2); mtrace.draw(); });
		said.search = middle((i) => view.look(["com", "wait", "commit"][i % 3]));
		said.select = middle(() => view.select({from: view.page.begin_ns, to: view.page.end_ns}));
		return said;`)
	t.Logf("milliseconds: %v", l.said)
	// Two processors that have other work draw it in 20 ms; a page that visits every block for each pixel takes seconds.
	for _, what := range []string{"draw", "zoomed", "search", "select"} {
		if ms := l.said[what].(float64); ms > 500 {
			t.Errorf("%s takes %.0f ms", what, ms)
		}
	}
	if strings.Contains(strings.Join(l.console, " "), "rror") || l.said["blocks"].(float64) < 1000 {
		t.Errorf("%v %q", l.said, l.console)
	}
}
