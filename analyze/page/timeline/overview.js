"use strict";
// mtrace.overview draws a strip with the whole run, threads above and GPUs below, and marks the range that the
// timeline shows. A drag inside the mark moves it; a drag elsewhere selects another range.
mtrace.overview = function (view) {
  const {page, root} = view,
    strip = root.querySelector(".overview"),
    pen = strip.getContext("2d");
  const height = 46,
    threadsHeight = 30;
  let drawnFor = "",
    picture = null;
  const whole = () => Math.max(1, page.end_ns - page.begin_ns);
  const place = (ns) => ((ns - page.begin_ns) / whole()) * view.width;
  const instant = (x) => page.begin_ns + (x / Math.max(1, view.width)) * whole();

  // fill adds the time of each kind in a lane to the columns of the strip.
  function fill(columns, lane) {
    const level = mtrace.levels.fitting(lane, whole() / columns.length),
      per = columns.length / whole();
    const add = (at, length, kind) => {
      const first = Math.max(0, (at - page.begin_ns) * per),
        last = Math.min(columns.length, (at + length - page.begin_ns) * per);
      for (let c = Math.floor(first); c < last; c++) columns[c][kind] += Math.min(last, c + 1) - Math.max(first, c);
    };
    for (let i = 0; i < level.at.length; i++) add(level.at[i], level.length[i], level.kind[i]);
    for (let i = 0; i < level.cellAt.length; i++) {
      const at = level.start[i],
        cells = level.cells;
      for (let k = 0; k < cells[at + 2]; k++)
        add(level.cellAt[i], (level.cell_ns * cells[at + 4 + 2 * k]) / 255, cells[at + 3 + 2 * k]);
    }
  }

  function draw(shows, top, high) {
    const columns = Array.from({length: Math.max(1, Math.floor(view.width))}, () => new Float64Array(16));
    const lanes = page.lanes.filter((l) => l.shows === shows && !l.idle);
    for (const lane of lanes) fill(columns, lane);
    columns.forEach((kinds, x) => {
      let y = top + high;
      const all = kinds.reduce((a, b) => a + b, 0),
        scale = high / Math.max(lanes.length, all, 1);
      for (let kind = 0; kind < 16; kind++) {
        if (kinds[kind] === 0) continue;
        const part = kinds[kind] * scale;
        pen.fillStyle = view.colour(shows, kind);
        pen.fillRect(x, y - part, 1, part);
        y -= part;
      }
    });
  }

  view.listeners.draw.push(() => {
    if (view.width < 1) return; // the page is hidden: draw nothing
    const style = getComputedStyle(root),
      sharp = Math.min(3, devicePixelRatio || 1);
    const now = [view.width, sharp, style.getPropertyValue("--paper")].join();
    if (now !== drawnFor) {
      drawnFor = now;
      strip.width = Math.round(view.width * sharp);
      strip.height = Math.round(height * sharp);
      strip.style.height = height + "px";
      pen.setTransform(sharp, 0, 0, sharp, 0, 0);
      pen.fillStyle = style.getPropertyValue("--faint");
      pen.fillRect(0, 0, view.width, height);
      draw("thread", 0, threadsHeight);
      draw("gpu", threadsHeight + 2, height - threadsHeight - 2);
      picture = pen.getImageData(0, 0, strip.width, strip.height);
    }
    pen.putImageData(picture, 0, 0);
    const a = Math.max(0, place(view.left)),
      b = Math.min(view.width, Math.max(a + 2, place(view.right)));
    pen.fillStyle = style.getPropertyValue("--paper");
    pen.globalAlpha = 0.6;
    pen.fillRect(0, 0, a, height);
    pen.fillRect(b, 0, view.width - b, height);
    pen.globalAlpha = 1;
    pen.strokeStyle = style.getPropertyValue("--ink");
    pen.lineWidth = 2;
    pen.strokeRect(a + 1, 1, Math.max(1, b - a - 2), height - 2);
    strip.dataset.range = [a, b].map((x) => x.toFixed(1)).join();
  });

  let drag = null; // {from, inside, last}
  strip.addEventListener("pointerdown", (e) => {
    mtrace.capture(strip, e);
    const at = instant(e.offsetX);
    const inside = at >= view.left && at <= view.right && view.right - view.left < 0.98 * whole();
    drag = {from: at, inside, last: at, moved: false};
  });
  strip.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const at = instant(e.offsetX);
    drag.moved = drag.moved || Math.abs(place(at) - place(drag.from)) > 3;
    if (drag.inside) view.show(view.left + at - drag.last, view.right + at - drag.last);
    else if (drag.moved) view.show(Math.min(at, drag.from), Math.max(at, drag.from));
    drag.last = at;
  });
  strip.addEventListener("pointerup", () => {
    if (drag && !drag.moved && !drag.inside) {
      const half = (view.right - view.left) / 2;
      view.show(drag.from - half, drag.from + half);
    }
    drag = null;
  });
  strip.addEventListener("pointercancel", () => {
    drag = null;
  });
  strip.addEventListener("dblclick", view.all);
};
