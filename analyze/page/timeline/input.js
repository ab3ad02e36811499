"use strict";
// mtrace.input handles pointers and keys. A drag selects a range; with Shift or with a finger it moves the view; two
// fingers zoom. A drag of a lane's label moves the lane.
mtrace.input = function (view) {
  const {page, root, canvas, scroller, status} = view,
    down = new Map();
  let drag = null; // {what: "range", "move" or "lane", x, y, moved}
  let quiet = false; // the click that ends a drag must not choose anything

  canvas.addEventListener("pointerdown", (e) => {
    mtrace.capture(canvas, e);
    down.set(e.pointerId, e);
    quiet = false;
    const item = e.offsetX < view.gutter && view.rowAt(e.offsetY);
    const move = e.shiftKey || e.button === 1 || e.pointerType === "touch";
    drag = {what: item ? "lane" : move ? "move" : "range", item, x: e.offsetX, y: e.offsetY, moved: false};
    if (e.offsetX < view.gutter && !item) drag = null;
    canvas.focus({preventScroll: true});
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = down.get(e.pointerId);
    if (!last) {
      status.textContent = view.under(e.offsetX, e.offsetY, false);
      return;
    }
    if (drag && Math.hypot(e.offsetX - drag.x, e.offsetY - drag.y) > 4) drag.moved = true;
    if (down.size === 2) {
      const other = [...down.values()].find((d) => d.pointerId !== e.pointerId);
      const was = Math.abs(last.offsetX - other.offsetX),
        is = Math.abs(e.offsetX - other.offsetX);
      if (was > 5 && is > 5) view.zoom(was / is, view.nsOf((e.offsetX + other.offsetX) / 2));
    } else if (drag && drag.what === "range" && drag.moved) {
      const xs = [drag.x, e.offsetX].map((x) => view.nsOf(Math.min(Math.max(x, view.gutter), view.width)));
      view.dragged = {from: Math.min(...xs), to: Math.max(...xs)};
      view.redraw();
    } else if (drag && drag.what === "move") {
      view.pan((last.offsetX - e.offsetX) / (view.width - view.gutter));
    } else if (drag && drag.what === "lane" && drag.moved) {
      const over = view.rowAt(e.offsetY);
      if (over && over !== drag.item && !over.group && !drag.item.group && !!over.pinned === !!drag.item.pinned) {
        view.place(drag.item, over, over.top > drag.item.top);
      }
    }
    down.set(e.pointerId, e);
  });
  const up = (e) => {
    down.delete(e.pointerId);
    quiet = Boolean(drag && drag.moved);
    if (view.dragged) {
      const range = view.dragged;
      view.dragged = null;
      view.select(range);
    }
    drag = null;
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", (e) => {
    view.dragged = null;
    up(e);
    view.redraw();
  });
  canvas.addEventListener("click", (e) => {
    if (quiet) return;
    const row = view.rowAt(e.offsetY);
    if (row && row.group) return view.act(row);
    view.choose(null);
    status.textContent = view.under(e.offsetX, e.offsetY, true);
  });
  canvas.addEventListener("dblclick", (e) => view.zoom(0.25, view.nsOf(e.offsetX)));
  canvas.addEventListener(
    "wheel",
    (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) {
        e.preventDefault();
        view.zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) / 100), view.nsOf(Math.max(view.gutter, e.offsetX)));
      } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        e.preventDefault();
        view.pan(e.deltaX / (view.width - view.gutter));
      }
    },
    {passive: false},
  );

  // step chooses another block. If blocks is 1 or −1, it is the next or previous block in the chosen lane. If lanes
  // is 1 or −1, it is a block in the next or previous visible lane.
  function step(lanes, blocks) {
    const order = view.rows.filter((r) => r.lane);
    if (order.length === 0) return;
    let place = order.findIndex((r) => (view.chosen ? r.n === view.chosen.n : r.lane.shows === "thread"));
    place = Math.min(Math.max(Math.max(place, 0) + lanes, 0), order.length - 1);
    const n = order[place].n,
      [, lane] = view.source(n),
      level = view.level(lane),
      {before} = mtrace.levels;
    view.reveal(n);
    if (level.at.length === 0) {
      view.choose({n, at: NaN});
      status.textContent = lane.name + ": the blocks are too short to be shown one by one; zoom in to choose one";
      return;
    }
    let i = before(level.at, view.chosen && !Number.isNaN(view.chosen.at) ? view.chosen.at : view.left);
    i = Math.min(Math.max(i + blocks, 0), level.at.length - 1);
    if (level.at[i] < view.left || level.at[i] + level.length[i] > view.right) {
      const span = Math.max(view.right - view.left, level.length[i] * 1.2),
        middle = level.at[i] + level.length[i] / 2;
      view.show(middle - span / 2, middle + span / 2);
    }
    view.choose({n, at: level.at[i]});
  }
  const middle = () => (view.left + view.right) / 2;
  const chosenItem = (what) => () => {
    const item = view.chosen && view.items.find((i) => i.n === view.chosen.n);
    if (item) view.act(item, what);
  };
  const enter = () => {
    const own = view.chosenBlock();
    if (own) view.show(own.at - own.length * 0.2, own.at + own.length * 1.2);
    else if (view.range) view.show(view.range.from, view.range.to);
  };
  const keys = {
    ArrowLeft: () => view.pan(-0.2),
    ArrowRight: () => view.pan(0.2),
    "+": () => view.zoom(0.5, middle()),
    "=": () => view.zoom(0.5, middle()),
    "-": () => view.zoom(2, middle()),
    0: view.all,
    Home: view.all,
    ArrowUp: () => step(-1, 0),
    ArrowDown: () => step(1, 0),
    ",": () => step(0, -1),
    ".": () => step(0, 1),
    Enter: enter,
    z: () => view.range && view.show(view.range.from, view.range.to),
    s: () => view.select({from: view.left, to: view.right}),
    "/": () => view.focusSearch(),
    n: () => view.next(1),
    N: () => view.next(-1),
    p: chosenItem("pin"),
    f: chosenItem("fold"),
    h: chosenItem("hide"),
    "[": chosenItem("up"),
    "]": chosenItem("down"),
    Escape: () => {
      view.choose(null);
      view.select(null);
      status.textContent = "";
    },
  };
  canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  for (const button of root.querySelectorAll("button[data-key]"))
    button.addEventListener("click", () => keys[button.dataset.key]());
  scroller.addEventListener("scroll", view.redraw);
};
