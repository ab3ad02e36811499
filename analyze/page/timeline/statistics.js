"use strict";
// This file computes statistics of a time range: the time of each kind of block in each lane, and the calls and
// kernels with the most time. It uses the timeline's most detailed level. There, blocks that are
// too short to draw are summed up in cells of equal length. Of a cell that is partly in the range, the time counts in
// proportion to that part; all of its blocks are counted.

// laneSums returns the time of each kind in a range of lane n, and the number of blocks. If the parameter `each` is
// given, it is called for every block, with the block's name and its time in the range.
mtrace.laneSums = function (view, n, from, to, each) {
  const {before, finest} = mtrace.levels,
    [source, lane] = view.source(n, from, to),
    level = finest(lane),
    sums = new Float64Array(16);
  let count = 0;
  for (let i = Math.max(0, before(level.at, from) - 1); i < level.at.length && level.at[i] < to; i++) {
    const time = Math.min(to, level.at[i] + level.length[i]) - Math.max(from, level.at[i]);
    if (time <= 0) continue;
    sums[level.kind[i]] += time;
    count++;
    if (each) each(source.names[level.name[i]], time);
  }
  for (let i = Math.max(0, before(level.cellAt, from) - 1); i < level.cellAt.length && level.cellAt[i] < to; i++) {
    const inside = Math.min(to, level.cellAt[i] + level.cell_ns) - Math.max(from, level.cellAt[i]);
    if (inside <= 0) continue;
    const at = level.start[i],
      cells = level.cells;
    count += cells[at + 1];
    for (let k = 0; k < cells[at + 2]; k++) sums[cells[at + 3 + 2 * k]] += (cells[at + 4 + 2 * k] / 255) * inside;
  }
  return {sums, count};
};

mtrace.statistics = function (view, from, to) {
  const {page} = view,
    whole = from <= page.begin_ns && to >= page.end_ns;
  const lanes = [],
    names = new Map();
  page.lanes.forEach((own, n) => {
    if (own.shows === "scopes") return;
    const add = (name, time) => {
      const key = own.shows + name,
        sum = names.get(key) || {name, shows: own.shows, time: 0, count: 0};
      sum.time += time;
      sum.count++;
      names.set(key, sum);
    };
    const {sums, count} = mtrace.laneSums(view, n, from, to, own.idle ? null : add);
    if (whole)
      own.time_ns.forEach((time, kind) => {
        sums[kind] = time;
      });
    lanes.push({lane: own, n, count: whole ? own.count : count, sums});
  });
  return {lanes, names: [...names.values()].sort((a, b) => b.time - a.time)};
};

// laneRows returns statistics of lanes as rows of a table, with one column for each kind that occurs. If length is
// given, each time is followed by its share of length.
mtrace.laneRows = function (view, lanes, length) {
  const {page} = view,
    used = page.kinds.map((k, i) => i).filter((i) => lanes.some((l) => l.lane.shows === "thread" && l.sums[i] > 0));
  const cell = (time) =>
    time <= 0 ? "·" : length ?
        mtrace.duration(time) + ", " + mtrace.percent(time / length) : mtrace.duration(time);
  return [
    ["lane", "blocks", "GPU"].concat(used.map((i) => page.kinds[i].name)),
    ...lanes.map(({lane, count, sums}) => {
      const gpu = lane.shows === "gpu" ? sums.reduce((a, b) => a + b, 0) : 0;
      return [lane.name, String(count), cell(gpu)].concat(used.map((i) => cell(lane.shows === "gpu" ? 0 : sums[i])));
    }),
  ];
};

// selection shows the statistics of the selected range below the timeline.
mtrace.selection = function (view) {
  const box = view.root.querySelector(".selection");
  view.listeners.range.push(() => {
    const range = view.range;
    box.hidden = !range;
    box.replaceChildren();
    view.tell("moved");
    if (!range) return;
    const length = range.to - range.from,
      {lanes, names} = mtrace.statistics(view, range.from, range.to);
    const title = document.createElement("h3");
    title.textContent =
      "Selected: " +
      mtrace.duration(length) +
      ", from " +
      mtrace.instant(range.from, length) +
      " to " +
      mtrace.instant(range.to, length);
    const tools = document.createElement("p");
    tools.append(
      mtrace.button("zoom to it", () => view.show(range.from, range.to)),
      " ",
      mtrace.button("clear", () => view.select(null)),
    );
    const busy = lanes.filter((l) => l.count > 0 && !l.lane.idle);
    const top = (shows, head) => [
      [head, "times", "time"],
      ...names
        .filter((n) => n.shows === shows)
        .slice(0, 6)
        .map((n) => [n.name || "(no name)", String(n.count), mtrace.duration(n.time)]),
    ];
    box.append(title, tools, mtrace.scrolled(mtrace.table(mtrace.laneRows(view, busy, length))));
    const beside = document.createElement("div");
    beside.className = "beside";
    for (const rows of [top("thread", "call"), top("gpu", "GPU work")])
      if (rows.length > 1) beside.append(mtrace.scrolled(mtrace.table(rows)));
    box.append(beside);
  });

  // the table for the visible range is computed only while it is open, because that takes long for large pages
  const tableAt = view.root.querySelector(".shown"),
    details = tableAt.closest("details");
  view.listeners.draw.push(() => {
    if (!details.open && !view.printing) return;
    tableAt.replaceChildren(mtrace.table(mtrace.laneRows(view, mtrace.statistics(view, view.left, view.right).lanes)));
  });
  details.addEventListener("toggle", view.redraw);
};
