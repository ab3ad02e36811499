"use strict";
// A view is the state of the timeline: the visible time range, the chosen block and the selected range. The other
// files in this folder draw the view, and change it on user input.
mtrace.view = function (page, root) {
  const {before, finest, fitting, block} = mtrace.levels;
  const view = {
    page,
    root,
    canvas: root.querySelector(".scroller canvas"),
    scroller: root.querySelector(".scroller"),
    status: root.querySelector("[role=status]"),
    left: page.begin_ns,
    right: Math.max(page.end_ns, page.begin_ns + 1),
    width: 0,
    height: 0,
    gutter: 0,
    axisHeight: 24,
    printing: false,
    chosen: null, // {n, at}: the block of lane n that begins at the instant at; if at is NaN, the lane itself
    range: null, // {from, to}: selected by dragging
    find: "", // the search text
    extra: null, // {from, to, document, lanes}: more detail for a range, from the server
    listeners: {choose: [], range: [], draw: [], moved: []},
  };

  view.tell = (event) => view.listeners[event].forEach((f) => f());
  view.pixel = () => (view.right - view.left) / Math.max(1, view.width - view.gutter);
  view.xOf = (ns) => view.gutter + ((ns - view.left) / (view.right - view.left)) * (view.width - view.gutter);
  view.nsOf = (x) => view.left + ((x - view.gutter) / (view.width - view.gutter)) * (view.right - view.left);

  const covers = (from, to) => view.extra && view.extra.from <= from && view.extra.to >= to;

  // source returns the document that has the most detail of lane n in a time range, and the lane in that document:
  // the server's extra document if that covers the range, else the page's own.
  view.source = function (n, from = view.left, to = view.right) {
    const more = covers(from, to) && view.extra.lanes.get(page.lanes[n].key);
    return more ? [view.extra.document, more] : [page, page.lanes[n]];
  };
  view.level = (lane) => fitting(lane, view.pixel());
  view.flows = () => (covers(view.left, view.right) ? view.extra.flows : page.flows);
  view.seriesOf = (series) =>
    (covers(view.left, view.right) &&
      view.extra.document.series.find((s) => s.group === series.group && s.name === series.name)) ||
    series;

  // placeOf converts lane n of a document to the index of the same lane in the page's document; −1 if there is none.
  const places = new Map(page.lanes.map((lane, n) => [lane.key, n]));
  view.placeOf = function (from, n) {
    if (!(n >= 0) || !from.lanes[n]) return -1;
    return places.has(from.lanes[n].key) ? places.get(from.lanes[n].key) : -1;
  };

  // blockAt returns the block of lane n that contains an instant; null if there is none. If exactly is true, the
  // block must begin at that instant.
  view.blockAt = function (n, at, exactly) {
    const sources = [view.source(n, at, at), [page, page.lanes[n]]];
    for (const [from, lane] of sources) {
      const level = finest(lane),
        i = before(level.at, at);
      if (level.at[i] === at) return block(from, lane, level, i);
      if (!exactly && i > 0 && at <= level.at[i - 1] + level.length[i - 1]) return block(from, lane, level, i - 1);
    }
    return null;
  };
  view.chosenBlock = () =>
    view.chosen && !Number.isNaN(view.chosen.at) ? view.blockAt(view.chosen.n, view.chosen.at, true) : null;

  let queued = false;
  view.redraw = function () {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      view.draw();
    });
  };

  // show makes a time range visible.
  view.show = function (from, to) {
    const whole = Math.max(page.end_ns - page.begin_ns, 1),
      least = Math.min(200, whole);
    const length = Math.min(Math.max(to - from, least), whole * 1.02);
    from = Math.min(Math.max(from, page.begin_ns - whole * 0.01), page.end_ns + whole * 0.01 - length);
    view.left = from;
    view.right = from + length;
    view.tell("moved");
    view.redraw();
  };
  view.zoom = (by, around) => view.show(around - (around - view.left) * by, around + (view.right - around) * by);
  view.pan = function (by) {
    const length = view.right - view.left;
    view.show(view.left + length * by, view.right + length * by);
  };
  view.all = () => view.show(page.begin_ns, page.end_ns);

  // choose makes a block or a lane the chosen one; null chooses none.
  view.choose = function (chosen) {
    view.chosen = chosen;
    view.tell("choose");
    view.redraw();
  };

  // goTo chooses the block of lane n at an instant, and zooms so that the block is visible and large enough.
  view.goTo = function (n, at) {
    const own = view.blockAt(n, at);
    view.reveal(n);
    if (!own) return view.choose({n, at: NaN});
    const seen = view.right - view.left;
    const span = Math.max(own.length * 1.2, Math.min(seen, Math.max(own.length * 60, 1000)));
    const middle = own.at + own.length / 2;
    if (own.at < view.left || own.at + own.length > view.right || span < seen)
      view.show(middle - span / 2, middle + span / 2);
    view.choose({n, at: own.at});
  };

  // select selects a time range, or none.
  view.select = function (range) {
    view.range = range;
    view.tell("range");
    view.redraw();
  };
  return view;
};
