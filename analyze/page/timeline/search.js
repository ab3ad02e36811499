"use strict";
// The search finds calls, kernels, labels, scopes, marks, threads, parts of a thread's time, and functions on stacks
// if a word in their name begins with the search text. Matches keep their colour; all other blocks fade.

// startsWord reports whether a word in text begins with want, which must be in lower case. "lock" matches
// "pthread_mutex_lock" and "tryLock", but not "clock_nanosleep".
mtrace.startsWord = function (text, want) {
  const letter = /[\p{L}\p{N}]/u,
    lower = text.toLowerCase();
  for (let at = lower.indexOf(want); at >= 0; at = lower.indexOf(want, at + 1)) {
    if (at === 0 || !letter.test(text[at - 1]) || !letter.test(text[at])) return true;
    if (/[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(text.slice(at - 1, at + 2)) && /\p{Lu}/u.test(text[at]))
      return true;
  }
  return false;
};

mtrace.search = function (view) {
  const {page, root} = view,
    box = root.querySelector("input[type=search]");
  const results = root.querySelector(".results"),
    said = root.querySelector(".hits"),
    mostNames = 12;
  let hits = [],
    found = new WeakMap(),
    at = -1;

  // foundIn returns which names, kinds of blocks, frames and stacks of a document match the search text, by index;
  // null if there is no search text.
  view.foundIn = function (from) {
    if (!view.find) return null;
    if (!found.has(from)) {
      const want = view.find.toLowerCase(),
        matches = (text) => mtrace.startsWord(text, want);
      const names = from.names.map(matches),
        kinds = page.kinds.map((k) => matches(k.name)),
        frames = from.frames.map(matches);
      const stacks = from.stacks.map((stack) => stack.some((frame) => frames[frame]));
      const has = (lane, level, i) =>
        names[level.name[i]] || stacks[level.stack[i]] || (lane.shows === "thread" && kinds[level.kind[i]]);
      found.set(from, {names, kinds, frames, stacks, has});
    }
    return found.get(from);
  };

  // titleOf returns the name under which the results list a matching block: its own name, the part of the thread's
  // time, or the innermost matching function of its stack.
  function titleOf(matches, lane, level, i) {
    if (matches.names[level.name[i]]) return page.names[level.name[i]];
    if (lane.shows === "thread" && matches.kinds[level.kind[i]]) {
      const kind = page.kinds[level.kind[i]].name,
        name = page.names[level.name[i]];
      return name ? kind + ": " + name : kind;
    }
    return page.frames[page.stacks[level.stack[i]].find((frame) => matches.frames[frame])];
  }

  // look searches the whole run for a text. It does not find blocks that are so short that the page has only their
  // sums, without their names.
  view.look = function (text) {
    view.find = text.trim();
    found = new WeakMap();
    hits = [];
    at = -1;
    const matches = view.foundIn(page),
      sums = new Map(),
      want = view.find.toLowerCase();
    const items = [],
      commits = new Set(page.flows.map((f) => f.f));
    // list matches in threads that commit command buffers first; other threads, such as a driver's, are less
    // interesting
    const after = page.lanes.map((lane, n) => lane.shows === "thread" && commits.size > 0 && !commits.has(n));
    if (matches) {
      page.lanes.forEach((lane, n) => {
        if (lane.shows !== "scopes" && mtrace.startsWord(lane.name, want)) {
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
          if (!matches.has(lane, level, i)) continue;
          hits.push({n, at: level.at[i]});
          const title = titleOf(matches, lane, level, i),
            key = Number(after[n]) + title;
          const sum = sums.get(key) || {title, after: after[n], count: 0, time: 0, n, first: level.at[i]};
          sum.count++;
          sum.time += level.length[i];
          sums.set(key, sum);
        }
      });
      for (const m of page.marks) {
        if (mtrace.startsWord(m.name, want) && m.lane >= 0) {
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
      for (const sum of [...sums.values()].sort((a, b) => a.after - b.after || b.time - a.time)) {
        items.push({
          title: sum.title,
          said:
            sum.count + " times, " +
                mtrace.duration(sum.time) + (sum.after ? ", in threads that commit nothing" : ""),
          go: () => view.goTo(sum.n, sum.first),
        });
      }
      hits.sort((a, b) => after[a.n] - after[b.n] || a.at - b.at);
    }
    results.hidden = items.length === 0;
    results.replaceChildren(
      ...items.slice(0, mostNames).map((item) => {
        const line = document.createElement("li");
        line.append(mtrace.button(item.title, item.go), " " + item.said);
        return line;
      }),
    );
    if (hits.length > 0) said.textContent = hits.length + " found";
    else said.textContent = matches && items.length === 0 ? "nothing found" : "";
    view.tell("moved");
    view.redraw();
  };
  view.zoomTo = (ns) => {
    const half = (view.right - view.left) / 2;
    view.show(ns - half, ns + half);
  };

  // next moves the view to the next match, or to the previous one if by is −1.
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
