"use strict";
// mtrace.details shows the chosen block below the timeline: a description, the call's stack, its peer (the thread that
// holds the lock, sent the signal or committed the work), and its command buffer from creation to completion. Buttons
// move the view to each of these.
mtrace.details = function (view) {
  const {page, root, status} = view,
    box = root.querySelector(".chosen"),
    failedWork = 15;

  // peerWords returns the words that connect a block with its peer thread, such as "held by".
  function peerWords(own) {
    if (own.lane.shows === "gpu") return "committed by";
    const kind = page.kinds[own.kind] ? page.kinds[own.kind].name : "";
    return kind === "lock" ? "held by" : kind === "signal" ? "signalled by" : "waits for work of";
  }

  // text describes a block in one line.
  view.text = function (own) {
    const kind = own.lane.shows === "thread" && page.kinds[own.kind];
    const by = own.by >= 0 && own.from.lanes[own.by] ? ", " + peerWords(own) + " " + own.from.lanes[own.by].name : "";
    return (
      own.lane.name +
      ": " +
      [own.name, kind && (kind.meaning || kind.name)].filter(Boolean).join(", ") +
      by +
      (own.lane.shows === "gpu" &&
          own.kind === failedWork ? ", FAILED" : "") +
      ": " +
      mtrace.duration(own.length) +
      ", from " +
      mtrace.instant(own.at, own.length) +
      " to " +
      mtrace.instant(own.at + own.length, own.length)
    );
  };

  function cellText(lane, level, i) {
    const at = level.start[i],
      cells = level.cells,
      parts = [];
    for (let k = 0; k < cells[at + 2]; k++) {
      const kind = cells[at + 3 + 2 * k];
      parts.push(
        (lane.shows === "thread" &&
            page.kinds[kind] ? page.kinds[kind].name : "work") +
          " " +
          mtrace.percent(cells[at + 4 + 2 * k] / 255),
      );
    }
    return (
      lane.name +
      ": " +
      cells[at + 1] +
      " short ones in " +
      mtrace.duration(level.cell_ns) +
      " from " +
      mtrace.instant(level.cellAt[i], level.cell_ns) +
      " on: " +
      parts.join(", ")
    );
  }

  // under returns a text about the object at a point of the canvas: a mark, a block, a cell or a gap. If choose is
  // true, a block or lane at that point becomes the chosen one.
  view.under = function (x, y, choose) {
    const {before} = mtrace.levels,
      at = view.nsOf(x),
      row = view.rowAt(y),
      length = view.right - view.left;
    const mark = page.marks.find(
      (m) =>
        Math.abs(view.xOf(m.at_ns) - x) < 5 &&
        (!view.rowOf.get(m.lane) || Math.abs(view.yOf(view.rowOf.get(m.lane)) + 3 - y) < 8),
    );
    if (mark) return (mark.failed ? "" : "mark ") + mark.name + ", at " + mtrace.instant(mark.at_ns, length);
    if (row && row.group) return row.name + ": click to " + (row.open ? "fold" : "unfold");
    if (!row || x < view.gutter) {
      if (row && row.lane && choose) view.choose({n: row.n, at: NaN});
      return row && row.lane ? row.lane.name + ": " + row.lane.count + " in all" : "";
    }
    if (row.series) {
      const s = view.seriesOf(row.series),
        n = s.means[Math.floor((at - s.begin_ns) / s.bin_ns)];
      return n === undefined ? "" : row.series.name + ": " + n.toFixed(2) + " command buffers in flight";
    }
    const [from, lane] = view.source(row.n),
      level = view.level(lane),
      i = before(level.at, at + view.pixel()) - 1;
    if (i >= 0 && at <= level.at[i] + Math.max(level.length[i], 2 * view.pixel())) {
      if (choose) view.choose({n: row.n, at: level.at[i]});
      return view.text(mtrace.levels.block(from, lane, level, i));
    }
    const c = before(level.cellAt, at + 1) - 1;
    if (c >= 0 && at <= level.cellAt[c] + level.cell_ns) return cellText(lane, level, c);
    if (lane.shows === "gpu") return mtrace.idleText(view, lane, at, length);
    return (
      lane.name + (lane.shows === "thread" ? ": outside of Metal, at " : ": nothing, at ") + mtrace.instant(at, length)
    );
  };

  // life returns a table of the steps of command buffer f. Each row has the time since the previous step and a button
  // that moves the view to the step. `from` is the document that contains f.
  function life(f, from) {
    const n = (place) => view.placeOf(from, place);
    const steps = [
      ["created", f.o, -1],
      ["committed", f.c, n(f.f)],
      ["scheduled", f.s, -1],
      ["GPU begins", f.b, n(f.g)],
      ["GPU ends", f.e, n(f.g)],
      ["completion is notified", f.d, -1],
      ["a thread waits for it", f.u, n(f.t)],
      ["the wait returns", f.w, n(f.t)],
    ]
      .filter(([, at]) => at >= 0)
      .sort((a, b) => a[1] - b[1]);
    const table = document.createElement("table");
    table.className = "life";
    const length = steps.length > 1 ? steps[steps.length - 1][1] - steps[0][1] : 1;
    steps.forEach(([what, at, lane], i) => {
      const line = table.insertRow(),
        name = line.insertCell();
      if (lane >= 0)
        name.append(
          mtrace.button(what + (/^GPU/.test(what) ? "" : " in " + page.lanes[lane].name), () => view.goTo(lane, at)),
        );
      else name.textContent = what;
      line.insertCell().textContent = mtrace.instant(at, length);
      line.insertCell().textContent = i === 0 ? "" : "+" + mtrace.duration(at - steps[i - 1][1]);
      const bar = document.createElement("i"),
        part = line.insertCell();
      part.className = "lived";
      bar.style.marginLeft = 100 * (i === 0 ? 0 : (steps[i - 1][1] - steps[0][1]) / length) + "%";
      bar.style.width = (i === 0 ? 0 : (100 * (at - steps[i - 1][1])) / length) + "%";
      part.append(bar);
    });
    const box = document.createElement("div"),
      title = document.createElement("h4");
    title.textContent = "Command buffer " + (from.names[f.n] || "") + (from.names[f.q] ? " of " + from.names[f.q] : "");
    box.append(title, mtrace.scrolled(table));
    return box;
  }

  function stackOf(own) {
    const box = document.createElement("div"),
      title = document.createElement("h4"),
      list = document.createElement("ol");
    title.textContent = own.lane.shows === "gpu" ? "Committed from" : "Called from";
    for (const frame of own.stack) {
      const line = list.appendChild(document.createElement("li"));
      line.textContent = own.from.frames[frame];
    }
    box.append(title, list);
    return box;
  }

  // laneBox returns the details of lane n: buttons to pin, fold, hide and move it, and its statistics.
  function laneBox(n) {
    const item = view.items.find((i) => i.n === n),
      tools = document.createElement("p");
    for (const [what, words] of [
      ["pin", item.pinned ? "unpin" : "pin"],
      ["fold", item.folded ? "unfold" : "fold"],
      ["hide", "hide"],
      ["up", "move up"],
      ["down", "move down"],
    ]) {
      tools.append(
        mtrace.button(words, () => {
          view.act(item, what);
          if (what === "hide") view.choose(null);
          else view.tell("choose");
        }),
        " ",
      );
    }
    const length = page.end_ns - page.begin_ns;
    const stats = [{lane: item.lane, count: item.lane.count, sums: Float64Array.from(item.lane.time_ns)}];
    return [tools, mtrace.scrolled(mtrace.table(mtrace.laneRows(view, stats, length)))];
  }

  view.listeners.choose.push(() => {
    const own = view.chosenBlock();
    box.hidden = !view.chosen || (!own && !Number.isNaN(view.chosen.at));
    box.replaceChildren();
    view.tell("moved");
    if (box.hidden) return;
    const title = document.createElement("h3");
    if (!own) {
      title.textContent = page.lanes[view.chosen.n].name;
      box.append(title, ...laneBox(view.chosen.n));
      return;
    }
    status.textContent = view.text(own);
    const kind = own.lane.shows === "thread" && page.kinds[own.kind],
      line = document.createElement("p");
    title.textContent = (own.name || (kind ? kind.name : "block")) + ", " + mtrace.duration(own.length);
    line.append(page.lanes[view.chosen.n].name + (kind ? ", " +
        (kind.meaning || kind.name) : ""));
    const peer = view.placeOf(own.from, own.by);
    if (peer >= 0) {
      line.append(", " + peerWords(own) + " ");
      line.append(
        mtrace.button(page.lanes[peer].name, () => {
          const commit = own.flow && view.placeOf(own.from, own.flow.f) === peer;
          view.goTo(peer, commit ? own.flow.c : own.at);
        }),
      );
      line.lastChild.className = "peer";
    }
    const beside = document.createElement("div");
    beside.className = "beside";
    if (own.flow) beside.append(life(own.flow, own.from));
    if (own.stack.length > 0) beside.append(stackOf(own));
    box.append(title, line, beside);
  });
};
