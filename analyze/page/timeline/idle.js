"use strict";
// This file makes the text that appears when the pointer is on a gap in the lane of a GPU. The text says how long the
// GPU is idle, and what the thread that commits the next work does meanwhile.

// idleGap returns the time around the instant `at` in which no lane of the GPU has work. by is the index of the lane
// of the thread that commits the next work, or −1. The result is null if another lane of the same GPU has work at
// that instant.
mtrace.idleGap = function (view, lane, at) {
  const {page} = view,
    {before, finest} = mtrace.levels,
    gap = {from: page.begin_ns, to: page.end_ns, by: -1, first: true, last: true};
  const device = (l) => l.key.replace(/ \d+$/, "");
  let work = false;
  page.lanes.forEach((l, n) => {
    if (l.shows !== "gpu" || device(l) !== device(lane)) return;
    const [from, own] = view.source(n, at, at),
      level = finest(own);
    const limit = (begins, endOf, byOf) => {
      const next = before(begins, at + 1);
      if (next > 0) {
        work ||= endOf(next - 1) > at;
        gap.first = false;
        gap.from = Math.max(gap.from, endOf(next - 1));
      }
      if (next < begins.length) {
        gap.last = false;
        if (begins[next] < gap.to) {
          gap.to = begins[next];
          gap.by = byOf(next);
        }
      }
    };
    limit(
      level.at,
      (i) => level.at[i] + level.length[i],
      (i) => view.placeOf(from, level.by[i]),
    );
    limit(
      level.cellAt,
      (c) => level.cellAt[c] + level.cell_ns,
      () => -1,
    );
  });
  return work || gap.to <= gap.from ? null : gap;
};

// idleText states the gap in a line.
mtrace.idleText = function (view, lane, at, length) {
  const gap = mtrace.idleGap(view, lane, at);
  if (!gap) return lane.name + ": nothing in this row, at " + mtrace.instant(at, length);
  const idle = gap.to - gap.from;
  let text = lane.name + ": idle for " + mtrace.duration(idle);
  if (gap.first) text += " before the first work";
  else if (gap.last) text += " after the last work";
  text += ", from " + mtrace.instant(gap.from, idle) + " to " + mtrace.instant(gap.to, idle);
  if (gap.by < 0) return text;
  const {kinds, lanes} = view.page,
    from = Math.max(gap.from, lanes[gap.by].begin_ns); // before its lane begins, the thread's activity is unknown
  if (from >= gap.to) return text;
  const {sums} = mtrace.laneSums(view, gap.by, from, gap.to);
  const did = [...sums].map((time, kind) => ({time, words: kinds[kind] && (kinds[kind].meaning || kinds[kind].name)}));
  const inCalls = did.reduce((all, d) => all + d.time, 0);
  did.push({time: gap.to - from - inCalls, words: "outside of Metal"});
  const most = did.filter((d) => d.words && d.time >= (gap.to - from) / 20).sort((a, b) => b.time - a.time);
  if (most.length === 0) return text;
  return (
    text +
    "; meanwhile " +
    lanes[gap.by].name +
    ", which commits the next work: " +
    most.map((d) => mtrace.duration(d.time) + " " + d.words).join("; ")
  );
};
