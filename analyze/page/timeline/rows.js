"use strict";
// mtrace.rows manages the rows of the timeline: the lanes, and below the lanes of a GPU the depths of queues. The
// user can fold, hide, pin and reorder rows. Threads that only waited for signals are at first hidden behind one row.
mtrace.rows = function (view) {
  const {page, root, scroller} = view,
    spacer = root.querySelector(".spacer"),
    gap = 3;
  const heights = {thread: 20, gpu: 18, scopes: 15};
  view.items = [];
  const depths = page.series.filter((s) => s.group === "queue");
  page.lanes.forEach((lane, n) => {
    view.items.push({lane, n, name: lane.name, full: heights[lane.shows], idle: lane.idle});
    const next = page.lanes[n + 1];
    if (lane.shows === "gpu" && !(next && next.shows === "gpu")) {
      for (const series of depths) view.items.push({series, name: "depth of " + series.name, full: 26});
    }
  });
  const idle = view.items.filter((i) => i.idle),
    group = {group: true, full: 18, open: false};
  if (idle.length > 0) view.items.push(group);
  group.name = idle.length + (idle.length === 1 ? " thread" : " threads") + " that only waited for signals";

  // layout computes the position of each visible row, pinned rows first.
  view.layout = function () {
    const shown = view.items.filter((i) => !i.hidden && (!i.idle || group.open || i.pinned));
    const rows = shown.filter((i) => i.pinned),
      others = shown.filter((i) => !i.pinned);
    const last = others.filter((i) => i.idle || i.group).sort((a, b) => (b.group ? 1 : 0) - (a.group ? 1 : 0));
    let at = view.axisHeight;
    const put = (item) => {
      item.top = at;
      item.height = item.folded ? 6 : item.full;
      at += item.height + gap;
    };
    rows.forEach(put);
    view.pinned = at;
    others
      .filter((i) => !i.idle && !i.group)
      .concat(last)
      .forEach((item) => {
        put(item);
        rows.push(item);
      });
    view.rows = rows;
    view.total = at;
    view.rowOf = new Map(rows.filter((r) => r.lane).map((r) => [r.n, r]));
    spacer.style.height = view.total + "px";
    fill();
  };
  const offset = () => (view.printing ? 0 : scroller.scrollTop);

  // yOf returns the vertical position of a row on the canvas; rowAt returns the row at a vertical position.
  view.yOf = (row) => (row.pinned ? row.top : row.top - offset());
  view.rowAt = (y) =>
    view.rows.find((r) => (r.pinned || y >= view.pinned) && y >= view.yOf(r) && y <= view.yOf(r) + r.height);

  // reveal scrolls a lane into view.
  view.reveal = function (n) {
    const item = view.items.find((i) => i.n === n);
    if (item.idle) group.open = true;
    item.hidden = false;
    view.changed();
    if (item.pinned) return;
    if (item.top - scroller.scrollTop < view.pinned) scroller.scrollTop = item.top - view.pinned;
    if (item.top + item.height - scroller.scrollTop > view.height)
      scroller.scrollTop = item.top + item.height - view.height;
  };

  // act performs an action on a row: "pin", "fold", "hide", "up" or "down". For the row that stands for idle threads,
  // it shows or hides the rows of these threads.
  view.act = function (item, what) {
    if (item.group) group.open = !group.open;
    else if (what === "pin") item.pinned = !item.pinned;
    else if (what === "fold") item.folded = !item.folded;
    else if (what === "hide") item.hidden = !item.hidden;
    else move(item, what === "up" ? -1 : 1);
    view.changed();
  };
  function move(item, by) {
    const at = view.rows.indexOf(item),
      other = view.rows[at + by];
    if (at >= 0 && other && !other.group && !!other.pinned === !!item.pinned) view.place(item, other, by > 0);
  }

  // place moves a row next to another row: before it, or after it if behind is true.
  view.place = function (item, other, behind) {
    view.items.splice(view.items.indexOf(item), 1);
    view.items.splice(view.items.indexOf(other) + (behind ? 1 : 0), 0, item);
    view.changed();
  };

  // The list of lanes below the timeline offers the actions on rows to users without a mouse.
  const list = root.querySelector(".lanes ul"),
    summary = root.querySelector(".lanes summary");
  const actions = {pin: "pin", fold: "fold", up: "move up", down: "move down"};
  function fill() {
    const hidden = view.items.filter((i) => i.hidden).length,
      folded = view.items.filter((i) => i.folded).length;
    summary.textContent =
      "Lanes" +
      [
        [hidden, " hidden"],
        [folded, " folded"],
        [group.open ? 0 : idle.length, " idle"],
      ]
        .filter(([n]) => n > 0)
        .map(([n, what]) => ", " + n + what)
        .join("");
    if (list.childElementCount === view.items.length) {
      view.items.forEach((item, i) => {
        if (list.children[i].of !== item) list.insertBefore(item.line, list.children[i]);
      });
    } else {
      list.replaceChildren(...view.items.map(lineOf));
    }
    for (const item of view.items) {
      if (item.box) item.box.checked = !item.hidden;
      for (const what of ["pin", "fold"])
        if (item[what + "Button"])
          item[what + "Button"].ariaPressed = String(!!item[what === "pin" ? "pinned" : "folded"]);
    }
  }
  function lineOf(item) {
    const line = document.createElement("li");
    line.of = item;
    item.line = line;
    if (item.group) {
      line.append(mtrace.button(item.name, () => view.act(item)));
      return line;
    }
    const label = document.createElement("label");
    item.box = document.createElement("input");
    item.box.type = "checkbox";
    item.box.addEventListener("change", () => view.act(item, "hide"));
    label.append(item.box, item.name);
    line.append(label);
    for (const what of Object.keys(actions)) {
      const button = mtrace.button({pin: "⇧", fold: "≡", up: "↑", down: "↓"}[what], () => view.act(item, what));
      button.ariaLabel = button.title = actions[what] + " " + item.name;
      if (what === "pin" || what === "fold") item[what + "Button"] = button;
      line.append(button);
    }
    return line;
  }

  view.changed = function () {
    view.layout();
    view.size();
    view.redraw();
  };
};
