"use strict";
// Search finds calls, kernels, labels, scopes, marks and threads by a part of their name. What is found keeps its
// colour, everything else fades.
mtrace.search = function (view) {
  const {page, root} = view,
    box = root.querySelector("input[type=search]");
  const results = root.querySelector(".results"),
    said = root.querySelector(".hits"),
    mostNames = 12;
  let hits = [],
    found = new WeakMap(),
    at = -1;

  // foundIn is the set of a document's names that match; null when nothing is searched for.
  view.foundIn = function (from) {
    if (!view.find) return null;
    if (!found.has(from)) {
      const want = view.find.toLowerCase();
      found.set(
        from,
        new Set(from.names.map((n, i) => (n.toLowerCase().includes(want) ? i : -1)).filter((i) => i >= 0)),
      );
    }
    return found.get(from);
  };

  // look searches the whole run, of which the page has blocks down to a length.
  view.look = function (text) {
    view.find = text.trim();
    found = new WeakMap();
    hits = [];
    at = -1;
    const names = view.foundIn(page),
      byName = new Map(),
      want = view.find.toLowerCase();
    const items = [];
    if (names) {
      page.lanes.forEach((lane, n) => {
        if (lane.shows !== "scopes" && lane.name.toLowerCase().includes(want)) {
          items.push({
            title: lane.name,
            said: {gpu: "GPU", thread: "thread"}[lane.shows],
            go: () => {
              view.reveal(n);
              view.choose({n, at: NaN});
            },
          });
        }
        const level = mtrace.levels.finest(lane);
        for (let i = 0; i < level.at.length; i++) {
          if (!names.has(level.name[i])) continue;
          hits.push({n, at: level.at[i]});
          const sum = byName.get(level.name[i]) || {count: 0, time: 0, first: hits.length - 1};
          sum.count++;
          sum.time += level.length[i];
          byName.set(level.name[i], sum);
        }
      });
      for (const m of page.marks) {
        if (m.name.toLowerCase().includes(want) && m.lane >= 0) {
          items.push({
            title: m.name,
            said: m.failed ? "failed" : "mark",
            go: () => {
              view.reveal(m.lane);
              view.zoomTo(m.at_ns);
            },
          });
        }
      }
      for (const [name, sum] of [...byName].sort((a, b) => b[1].time - a[1].time)) {
        const {n, at: first} = hits[sum.first];
        items.push({
          title: page.names[name],
          said: sum.count + " times, " + mtrace.duration(sum.time),
          go: () => view.goTo(n, first),
        });
      }
      hits.sort((a, b) => a.at - b.at);
    }
    results.hidden = items.length === 0;
    results.replaceChildren(
      ...items.slice(0, mostNames).map((item) => {
        const line = document.createElement("li");
        line.append(mtrace.button(item.title, item.go), " " + item.said);
        return line;
      }),
    );
    said.textContent = !names ? "" : hits.length > 0 ? hits.length + " found" : items.length > 0 ? "" : "nothing found";
    view.tell("moved");
    view.redraw();
  };
  view.zoomTo = (ns) => {
    const half = (view.right - view.left) / 2;
    view.show(ns - half, ns + half);
  };

  // next goes to the next hit, or the one before.
  view.next = function (by) {
    if (hits.length === 0) return;
    if (at < 0) at = by > 0 ? hits.findIndex((h) => h.at >= view.left) - 1 : hits.length;
    at = (at + by + hits.length) % hits.length;
    view.goTo(hits[at].n, hits[at].at);
    said.textContent = at + 1 + " of " + hits.length;
  };
  box.addEventListener("input", () => view.look(box.value));
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter") {
      e.preventDefault();
      view.next(e.shiftKey ? -1 : 1);
    }
    if (e.key === "Escape") {
      box.value = "";
      view.look("");
      view.canvas.focus();
    }
  });
  for (const button of root.querySelectorAll("button[data-find]")) {
    button.addEventListener("click", () => view.next(Number(button.dataset.find)));
  }
  view.focusSearch = () => box.focus();
};
