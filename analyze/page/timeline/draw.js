"use strict";
// mtrace.drawing draws the view on its canvas. Texts come from the traced program, so they are drawn or put into text
// nodes, never inserted as HTML.
mtrace.drawing = function (view) {
  const {page, root, canvas, scroller, xOf} = view,
    {before} = mtrace.levels;
  const pen = canvas.getContext("2d"),
    textSize = 11,
    style = getComputedStyle(root);
  const unknownWork = 14,
    failedWork = 15;
  let ink, paper, faint, line, alarm, accent;
  function colours() {
    const of = (name, paperName) => (view.printing ? paperName : style.getPropertyValue(name).trim());
    ink = of("--ink", "#1b1f24");
    paper = of("--paper", "#ffffff");
    faint = of("--faint", "#eceef1");
    line = of("--grid", "#d5d9de");
    alarm = of("--alarm", "#c8102e");
    accent = of("--accent", "#3880e2");
  }

  view.colour = function (shows, kind) {
    if (shows === "thread") return page.kinds[kind] ?
        page.kinds[kind].color : "#888888";
    if (kind === failedWork) return alarm || "#c8102e";
    return kind === unknownWork ? "#8a8f98" : mtrace.palette[kind % mtrace.palette.length];
  };

  // letters returns black or white for text on a colour, whichever has more contrast.
  const lettersOn = new Map();
  function letters(on) {
    if (!lettersOn.has(on)) {
      const part = (i) => {
        const x = parseInt(on.slice(i, i + 2), 16) / 255;
        return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
      };
      lettersOn.set(on, 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.18 ? "#000000" : "#ffffff");
    }
    return lettersOn.get(on);
  }

  // write draws a text and cuts off its end so that it fits into the width `room`.
  function write(text, x, y, room, color) {
    if (room < 14) return;
    const wide = textSize * 0.52;
    if (text.length * wide > room) text = text.slice(0, Math.max(1, Math.floor(room / wide) - 1)) + "…";
    pen.fillStyle = color;
    pen.fillText(text, x, y);
  }

  // drawCells draws the blocks that are too short to be drawn one by one. Each kind fills its share of the lane's
  // height. Cells that fall on the same pixel are summed first.
  function drawCells(lane, level, y, h) {
    const {cells, cellAt, start} = level,
      {left, right, gutter, width} = view,
      wide = level.cell_ns / view.pixel();
    const sums = new Float64Array(16);
    let column = -1,
      until = 0;
    const flush = () => {
      let bottom = y + h;
      for (let kind = 0; kind < 16; kind++) {
        if (sums[kind] === 0) continue;
        const part = Math.min(1, sums[kind]) * h;
        pen.fillStyle = view.colour(lane.shows, kind);
        pen.fillRect(column, bottom - part, until - column, part);
        bottom -= part;
        sums[kind] = 0;
      }
    };
    for (let i = Math.max(0, before(cellAt, left) - 1); i < cellAt.length && cellAt[i] < right; i++) {
      const x = xOf(cellAt[i]),
        a = Math.max(gutter, wide < 1 ? Math.floor(x) : x),
        b = Math.min(width, wide < 1 ? a + 1 : x + wide);
      if (b <= a) continue;
      if (a !== column) {
        flush();
        column = a;
        until = b;
      }
      for (let k = start[i] + 3; k < start[i] + 3 + 2 * cells[start[i] + 2]; k += 2)
        sums[cells[k]] += (cells[k + 1] / 255) * Math.min(1, wide);
    }
    flush();
  }

  function drawLane(row, y) {
    const [from, lane] = view.source(row.n),
      level = view.level(lane),
      h = row.height,
      per = 1 / view.pixel();
    const found = view.foundIn && view.foundIn(from),
      {left, right, gutter, width} = view;
    if (lane.shows === "thread") {
      pen.fillStyle = faint;
      const a = Math.max(gutter, xOf(lane.begin_ns)),
        b = Math.min(width, xOf(lane.end_ns));
      if (b > a) pen.fillRect(a, y, b - a, h);
    }
    if (found) pen.globalAlpha = 0.25;
    drawCells(lane, level, y, h);
    for (let i = Math.max(0, before(level.at, left) - 1); i < level.at.length && level.at[i] < right; i++) {
      const end = xOf(level.at[i] + level.length[i]),
        a = Math.max(gutter, xOf(level.at[i]));
      const b = Math.min(width, Math.max(a + 0.7, end));
      if (b <= a || end < gutter) continue;
      const fill = view.colour(lane.shows, level.kind[i]);
      if (found) pen.globalAlpha = found.has(lane, level, i) ? 1 : 0.2;
      pen.fillStyle = fill;
      pen.fillRect(a, y, b - a, h);
      if (level.length[i] * per > 6) {
        // make adjacent blocks distinguishable
        pen.fillStyle = paper;
        pen.fillRect(b - 0.5, y, 0.5, h);
      }
      if (b - a > 26 && h > 12) write(from.names[level.name[i]] || "", a + 3, y + h / 2 + 4, b - a - 6, letters(fill));
    }
    pen.globalAlpha = 1;
  }

  function drawSeries(row, y) {
    const s = view.seriesOf(row.series),
      h = row.height,
      {left, right, gutter, width} = view;
    let most = 1;
    for (const n of s.means) most = Math.max(most, n);
    pen.fillStyle = faint;
    pen.fillRect(gutter, y, width - gutter, h);
    pen.fillStyle = mtrace.palette[0];
    const first = Math.max(0, Math.floor((left - s.begin_ns) / s.bin_ns));
    const step = Math.max(1, Math.floor(view.pixel() / s.bin_ns));
    for (let i = first - (first % step); i < s.means.length && s.begin_ns + i * s.bin_ns < right; i += step) {
      let mean = 0,
        count = 0;
      for (let k = i; k < Math.min(i + step, s.means.length); k++, count++) mean += s.means[k];
      const a = Math.max(gutter, xOf(s.begin_ns + i * s.bin_ns));
      const b = Math.min(width, xOf(s.begin_ns + (i + step) * s.bin_ns)),
        part = (mean / count / most) * h;
      if (b > a) pen.fillRect(a, y + h - part, b - a + 0.5, part);
    }
    row.most = most;
  }

  function drawAxis() {
    const {left, right, gutter, width} = view;
    pen.fillStyle = paper;
    pen.fillRect(0, 0, width, view.axisHeight);
    const rough = (right - left) / Math.max(2, (width - gutter) / 110),
      power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough);
    const [unit, name] = mtrace.unit(right);
    const digits = Math.max(0, Math.ceil(-Math.log10(step / unit)));
    for (let at = Math.ceil(left / step) * step; at <= right; at += step) {
      const x = Math.round(xOf(at)) + 0.5;
      pen.fillStyle = line;
      pen.fillRect(x, view.axisHeight - 6, 1, view.height);
      pen.fillStyle = ink;
      if (x + 50 < width) pen.fillText((at / unit).toFixed(Math.min(digits, 9)) + " " + name, x + 3, 14);
    }
  }

  function drawLabels(row, y) {
    pen.fillStyle = paper;
    pen.fillRect(0, y, view.gutter, row.height);
    if (row.folded) return;
    let text = row.name;
    if (row.group) text = (view.rows[view.rows.length - 1] === row ? "▸ " : "▾ ") + row.name;
    if (row.series) text += " ≤ " + (row.most || 1).toFixed(row.most < 10 ? 1 : 0);
    if (row.pinned) text = "⇧ " + text;
    if (row.lane && row.lane.shows === "thread") {
      pen.fillStyle = view.colour("gpu", row.lane.color);
      pen.fillRect(0, y + 3, 5, row.height - 6);
    }
    if (row.lane && row.lane.hidden > 0) text += " +" + row.lane.hidden;
    if (row.lane && view.chosen && view.chosen.n === row.n) pen.font = "bold " + pen.font;
    write(text, 9, y + row.height / 2 + 4, row.group ? view.width - 12 : view.gutter - 12, ink);
    pen.font = textSize + "px system-ui, sans-serif";
  }

  function drawRows(rows) {
    for (const row of rows) {
      const y = view.yOf(row);
      if (y + row.height < 0 || y > view.height || row.group) continue;
      if (row.series) drawSeries(row, y);
      else drawLane(row, y);
    }
  }

  // drawRange shades the selected range.
  function drawRange() {
    const range = view.dragged || view.range;
    if (!range) return;
    const a = Math.max(view.gutter, xOf(range.from)),
      b = Math.min(view.width, xOf(range.to));
    if (b <= a) return;
    pen.fillStyle = accent;
    pen.globalAlpha = 0.18;
    pen.fillRect(a, 0, b - a, view.height);
    pen.globalAlpha = 1;
    pen.fillRect(a - 1, 0, 1.5, view.height);
    pen.fillRect(b, 0, 1.5, view.height);
  }

  function outline() {
    const own = view.chosenBlock(),
      row = view.chosen && view.rowOf.get(view.chosen.n);
    if (!own || !row) return;
    const a = Math.max(view.gutter, xOf(own.at)),
      b = Math.min(view.width, xOf(own.at + own.length));
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    if (b >= view.gutter && a <= view.width) pen.strokeRect(a, view.yOf(row), Math.max(2, b - a), row.height);
  }

  // size adapts the canvas to the page.
  view.size = function () {
    view.width = view.printing ? 1000 : scroller.clientWidth;
    view.height = view.printing ? view.total : Math.min(view.total, Math.max(220, Math.floor(innerHeight * 0.7)));
    view.gutter = view.width < 560 ? 84 : 168;
    scroller.style.height = view.height + "px";
    const sharp = Math.min(3, devicePixelRatio || 1);
    canvas.style.width = view.printing ? "100%" : view.width + "px";
    canvas.style.height = view.printing ? "auto" : view.height + "px";
    canvas.width = Math.round(view.width * sharp);
    canvas.height = Math.round(view.height * sharp);
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  };

  view.draw = function () {
    colours();
    pen.font = textSize + "px system-ui, sans-serif";
    pen.fillStyle = paper;
    pen.fillRect(0, 0, view.width, view.height);
    drawAxis();
    const pinned = view.rows.filter((r) => r.pinned),
      others = view.rows.filter((r) => !r.pinned);
    drawRows(others);
    const hint = view.drawFlows(pen, ink);
    view.drawMarks(pen, ink, alarm);
    outline();
    for (const row of others) drawLabels(row, view.yOf(row));
    if (pinned.length > 0) {
      pen.fillStyle = paper;
      pen.fillRect(0, view.axisHeight, view.width, view.pinned - view.axisHeight);
      drawRows(pinned);
      if (view.chosen && pinned.some((r) => r.n === view.chosen.n)) outline();
      for (const row of pinned) drawLabels(row, view.yOf(row));
      pen.fillStyle = ink;
      pen.fillRect(0, view.pinned - 2, view.width, 1);
    }
    drawRange();
    if (scroller.scrollTop > 0 && !view.printing) drawAxis();
    const length = view.right - view.left;
    root.querySelector(".range").textContent =
      mtrace.instant(Math.max(0, view.left), length) +
      " to " +
      mtrace.instant(view.right, length) +
      ": " +
      mtrace.duration(length) +
      "." +
      hint;
    view.tell("draw");
  };
};
