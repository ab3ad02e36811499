"use strict";
// Draws the timeline of the page's document (mtrace.page/1): no level is computed here, they are chosen and drawn. All
// text of the document goes to the canvas or into text nodes. instant writes a time after the begin, as exactly as a
// stretch of some length needs.
mtrace.instant = function (ns, length) {
  const [unit, name] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  const digits = Math.ceil(Math.log10(unit / Math.max(length, 1))) + 3;
  return (ns / unit).toFixed(Math.min(Math.max(digits, 0), Math.round(Math.log10(unit)))) + " " + name;
};

const unknownWork = 14, failedWork = 15;

mtrace.timeline = function (page) {
  const root = document.getElementById("timeline");
  if (!root || page.lanes.length === 0) return;
  const canvas = root.querySelector("canvas"), scroller = root.querySelector(".scroller"), spacer = root.querySelector(".spacer");
  const status = root.querySelector("[role=status]"), tableAt = root.querySelector(".shown"), details = tableAt.closest("details");
  const pen = canvas.getContext("2d");
  const axisHeight = 24, gap = 3, textSize = 11;
  let left = page.begin_ns, right = Math.max(page.end_ns, page.begin_ns +
      1), width = 0, height = 0, gutter = 0, printing = false, queued = false;
  let chosen = null; // {lane, i}: a block
  let extra = null;  // {from, to, document, lanes}: what the server says of a part

  // rows are the lanes and, below the GPU's, the depth of queues.
  const rows = [];
  const levels = page.series.filter((s) => s.group === "queue");
  page.lanes.forEach((lane, n) => {
    rows.push({lane, n, height: {thread: 20, gpu: 18, scopes: 15}[lane.shows]});
    const next = page.lanes[n + 1];
    if (lane.shows === "gpu" && !(next &&
        next.shows === "gpu")) for (const series of levels) rows.push({series, height: 26});
  });
  let total = axisHeight;
  for (const row of rows) { row.top = total; total += row.height + gap; }
  const rowOfLane = new Map(rows.filter((r) => r.lane).map((r) => [r.n, r]));

  // decoded makes arrays of a level's lists, once.
  function decoded(level) {
    if (level.at) return level;
    const blocks = level.blocks, n = blocks.length / 5;
    Object.assign(level, {at: new Float64Array(n), length: new Float64Array(n), kind: new Uint8Array(n), name: new Int32Array(n), by: new Int32Array(n)});
    for (let i = 0, at = 0; i < n; i++) {
      at += blocks[5 * i];
      level.at[i] = at;
      level.length[i] = blocks[5 * i + 1];
      level.kind[i] = blocks[5 * i + 2];
      level.name[i] = blocks[5 * i + 3];
      level.by[i] = blocks[5 * i + 4];
    }
    const cellAt = [], start = [];
    for (let i = 0, at = level.first_ns; i < level.cells.length; i += 3 + 2 * level.cells[i + 2]) {
      at += level.cells[i] * level.cell_ns;
      cellAt.push(at);
      start.push(i);
    }
    level.cellAt = Float64Array.from(cellAt);
    level.start = Int32Array.from(start);
    return level;
  }

  // before is how many of an ascending list are before a value.
  function before(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }

  const pixel = () => (right - left) / Math.max(1, width - gutter);
  const xOf = (ns) => gutter + (ns - left) / (right - left) * (width - gutter);
  const nsOf = (x) => left + (x - gutter) / (width - gutter) * (right - left);

  // source is the document that has most of a lane in what is seen, and the lane in it.
  function source(n) {
    const more = extra && extra.from <= left && extra.to >= right && extra.lanes.get(page.lanes[n].key);
    return more ? [extra.document, more] : [page, page.lanes[n]];
  }

  const seriesOf = (row) => extra && extra.from <= left && extra.to >= right && extra.document.series.find((s) => s.group === row.series.group && s.name === row.series.name) || row.series;

  // levelOf is the coarsest level whose cells are not seen, or the finest.
  function levelOf(lane) {
    const most = pixel();
    for (let i = lane.levels.length - 1; i > 0; i--) if (lane.levels[i].cell_ns <= most) return decoded(lane.levels[i]);
    return decoded(lane.levels[0]);
  }

  const style = getComputedStyle(root);
  let ink, paper, faint, line, alarm;
  function colours() {
    const of = (name, paperName) => printing ? paperName : style.getPropertyValue(name).trim();
    ink = of("--ink", "#1b1f24"); paper = of("--paper", "#ffffff"); faint = of("--faint",
        "#eceef1"); line = of("--grid", "#d5d9de"); alarm = of("--alarm", "#c8102e");
  }

  function colour(shows, kind) {
    if (shows === "thread") return page.kinds[kind] ? page.kinds[kind].color : "#888888";
    if (kind === failedWork) return alarm;
    return kind === unknownWork ? "#8a8f98" : mtrace.palette[kind % mtrace.palette.length];
  }

  // letters is black or white, whichever is read better on a colour.
  const lettersOn = new Map();
  function letters(on) {
    if (!lettersOn.has(on)) {
      const part = (i) => { const x = parseInt(on.slice(i, i + 2), 16) / 255; return x <= 0.04045 ? x / 12.92 : ((x +
          0.055) / 1.055) ** 2.4; };
      lettersOn.set(on, 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.18 ? "#000000" : "#ffffff");
    }
    return lettersOn.get(on);
  }

  // write puts as much of a text as fits, from its begin.
  function write(text, x, y, room, color) {
    if (room < 14) return;
    const wide = textSize * 0.52;
    if (text.length * wide > room) text = text.slice(0, Math.max(1, Math.floor(room / wide) - 1)) + "…";
    pen.fillStyle = color;
    pen.fillText(text, x, y);
  }

  function drawLane(row, y) {
    const [from, lane] = source(row.n), level = levelOf(lane), h = row.height, per = 1 / pixel();
    if (lane.shows === "thread") {
      pen.fillStyle = faint;
      const a = Math.max(gutter, xOf(lane.begin_ns)), b = Math.min(width, xOf(lane.end_ns));
      if (b > a) pen.fillRect(a, y, b - a, h);
    }
    for (let i = Math.max(0, before(level.cellAt, left) - 1); i < level.cellAt.length && level.cellAt[i] < right; i++) {
      const cells = level.cells, at = level.start[i];
      const a = Math.max(gutter, xOf(level.cellAt[i])), b = Math.min(width,
          Math.max(xOf(level.cellAt[i] + level.cell_ns), a + 0.7));
      if (b <= a) continue;
      let bottom = y + h;
      for (let k = 0; k < cells[at + 2]; k++) {
        const part = cells[at + 4 + 2 * k] / 255 * h;
        pen.fillStyle = colour(lane.shows, cells[at + 3 + 2 * k]);
        pen.fillRect(a, bottom - part, b - a, part);
        bottom -= part;
      }
    }
    for (let i = Math.max(0, before(level.at, left) - 1); i < level.at.length && level.at[i] < right; i++) {
      const a = Math.max(gutter, xOf(level.at[i])), b = Math.min(width,
          Math.max(a + 0.7, xOf(level.at[i] + level.length[i])));
      if (b <= a || xOf(level.at[i] + level.length[i]) < gutter) continue;
      const fill = colour(lane.shows, level.kind[i]);
      pen.fillStyle = fill;
      pen.fillRect(a, y, b - a, h);
      if (level.length[i] * per > 6) { // neighbours are told apart
        pen.fillStyle = paper;
        pen.fillRect(b - 0.5, y, 0.5, h);
      }
      if (b - a > 26) write(from.names[level.name[i]] || "", a + 3, y + h / 2 + 4, b - a - 6, letters(fill));
    }
  }

  function drawSeries(row, y) {
    const s = seriesOf(row), h = row.height;
    let most = 1;
    for (const n of s.means) most = Math.max(most, n);
    pen.fillStyle = faint;
    pen.fillRect(gutter, y, width - gutter, h);
    pen.fillStyle = mtrace.palette[0];
    const first = Math.max(0, Math.floor((left - s.begin_ns) / s.bin_ns));
    const step = Math.max(1, Math.floor(pixel() / s.bin_ns));
    for (let i = first - first % step; i < s.means.length && s.begin_ns + i * s.bin_ns < right; i += step) {
      let mean = 0, count = 0;
      for (let k = i; k < Math.min(i + step, s.means.length); k++, count++) mean += s.means[k];
      const a = Math.max(gutter, xOf(s.begin_ns + i * s.bin_ns)), b = Math.min(width,
          xOf(s.begin_ns + (i + step) * s.bin_ns));
      const part = mean / count / most * h;
      if (b > a) pen.fillRect(a, y + h - part, b - a + 0.5, part);
    }
    row.most = most;
  }

  function drawAxis() {
    pen.fillStyle = paper;
    pen.fillRect(0, 0, width, axisHeight);
    const rough = (right - left) / Math.max(2, (width - gutter) / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough);
    const digits = Math.max(0, Math.ceil(-Math.log10(step / (right < 1e3 ? 1 : right < 1e6 ? 1e3 : right < 1e9 ? 1e6 :
        1e9))));
    const unit = right < 1e3 ? [1, "ns"] : right < 1e6 ? [1e3, "µs"] : right < 1e9 ? [1e6, "ms"] : [1e9, "s"];
    for (let at = Math.ceil(left / step) * step; at <= right; at += step) {
      const x = Math.round(xOf(at)) + 0.5;
      pen.fillStyle = line;
      pen.fillRect(x, axisHeight - 6, 1, height);
      pen.fillStyle = ink;
      if (x + 50 < width) pen.fillText((at / unit[0]).toFixed(Math.min(digits, 9)) + " " + unit[1], x + 3, 14);
    }
  }

  function drawLabels(row, y) {
    pen.fillStyle = paper;
    pen.fillRect(0, y, gutter, row.height);
    let text = row.series ? row.series.name + ", depth ≤ " + (row.most || 1).toFixed(row.most < 10 ? 1 :
        0) : row.lane.name;
    if (row.lane && row.lane.shows === "thread") {
      pen.fillStyle = colour("gpu", row.lane.color);
      pen.fillRect(0, y + 3, 5, row.height - 6);
    }
    if (row.lane && row.lane.hidden > 0) text += " +" + row.lane.hidden;
    write(text, 9, y + row.height / 2 + 4, gutter - 12, ink);
  }

  function visibleFlows() {
    const of = extra && extra.from <= left && extra.to >= right ? extra.flows : page.flows;
    return of.filter((f) => Math.max(f.w, f.e) >= left && f.c <= right);
  }

  function drawFlows(offset) {
    const list = visibleFlows(), own = chosen && chosenBlock();
    const some = list.length <= 300;
    pen.save();
    pen.beginPath();
    pen.rect(gutter, axisHeight, width - gutter, height - axisHeight);
    pen.clip();
    for (const f of list) {
      const its = own && (chosen.n === f.g && Math.abs(own.at - f.b) < 1 || chosen.n === f.f && f.c >= own.at &&
          f.c <= own.at + own.length ||
        chosen.n === f.t && f.w > own.at && f.w <= own.at + own.length);
      if (!some && !its) continue;
      const gpu = rowOfLane.get(f.g), from = rowOfLane.get(f.f), to = rowOfLane.get(f.t);
      pen.strokeStyle = ink;
      pen.globalAlpha = its ? 1 : 0.45;
      pen.lineWidth = its ? 2 : 1;
      if (from && gpu) arrow(xOf(f.c), from, xOf(f.b), gpu, offset);
      if (to && gpu) arrow(xOf(f.e), gpu, xOf(f.w), to, offset);
    }
    pen.restore();
    return some ? "" : " Arrows: zoom in, or choose a block.";
  }

  function arrow(x1, row1, x2, row2, offset) {
    const down = row1.top < row2.top;
    const y1 = row1.top + (down ? row1.height : 0) - offset, y2 = row2.top + (down ? 0 : row2.height) - offset;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2);
    pen.stroke();
    const back = down ? -6 : 6; // the curve ends upright
    pen.fillStyle = ink;
    pen.beginPath();
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 2.5, y2 + back);
    pen.lineTo(x2 + 2.5, y2 + back);
    pen.fill();
  }

  function drawMarks(offset) {
    for (const m of page.marks) {
      if (m.at_ns < left || m.at_ns > right) continue;
      const row = rowOfLane.get(m.lane), x = xOf(m.at_ns), y = (row ? row.top : axisHeight) - offset;
      if (y < axisHeight - 2) continue;
      pen.fillStyle = m.failed ? alarm : ink;
      pen.beginPath();
      pen.moveTo(x, y + 7);
      pen.lineTo(x - 4, y - 1);
      pen.lineTo(x + 4, y - 1);
      pen.fill();
    }
  }

  function chosenBlock() {
    const [from, lane] = source(chosen.n), level = levelOf(lane);
    const i = before(level.at, chosen.at);
    if (level.at[i] !== chosen.at) return null;
    return {at: level.at[i], length: level.length[i], kind: level.kind[i], name: from.names[level.name[i]], by: level.by[i], lane, from};
  }

  // size fits the canvas to the page.
  function size() {
    width = printing ? 1000 : scroller.clientWidth;
    height = printing ? total : Math.min(total, Math.max(220, Math.floor(innerHeight * 0.75)));
    gutter = width < 560 ? 84 : 168;
    scroller.style.height = height + "px";
    spacer.style.height = total + "px";
    const sharp = Math.min(3, devicePixelRatio || 1);
    canvas.style.width = printing ? "100%" : width + "px";
    canvas.style.height = printing ? "auto" : height + "px";
    canvas.width = Math.round(width * sharp);
    canvas.height = Math.round(height * sharp);
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  }

  function draw() {
    queued = false;
    colours();
    pen.font = textSize + "px system-ui, sans-serif";
    pen.fillStyle = paper;
    pen.fillRect(0, 0, width, height);
    drawAxis();
    const offset = printing ? 0 : scroller.scrollTop;
    for (const row of rows) {
      const y = row.top - offset;
      if (y + row.height < 0 || y > height) continue;
      if (row.series) drawSeries(row, y); else drawLane(row, y);
    }
    const hint = drawFlows(offset);
    drawMarks(offset);
    for (const row of rows) {
      const y = row.top - offset;
      if (y + row.height >= 0 && y <= height) drawLabels(row, y);
    }
    if (chosen) outline(offset);
    if (offset > 0) drawAxis();
    root.querySelector(".range").textContent = mtrace.instant(Math.max(0, left),
        right - left) + " to " + mtrace.instant(right,
            right - left) + ": " + mtrace.duration(right - left) + "." + hint;
    if (details.open || printing) fillTable();
    wantMore();
  }

  function outline(offset) {
    const own = chosenBlock(), row = rowOfLane.get(chosen.n);
    if (!own) return;
    const a = Math.max(gutter, xOf(own.at)), b = Math.min(width, xOf(own.at + own.length));
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    if (b >= gutter && a <= width) pen.strokeRect(a, row.top - offset, Math.max(2, b - a), row.height);
  }

  function redraw() { if (!queued) { queued = true; requestAnimationFrame(draw); } }

  // show makes a range of time what is seen.
  function show(from, to) {
    const whole = Math.max(page.end_ns - page.begin_ns, 1), least = Math.min(200, whole);
    let length = Math.min(Math.max(to - from, least), whole * 1.02);
    from = Math.min(Math.max(from, page.begin_ns - whole * 0.01), page.end_ns + whole * 0.01 - length);
    left = from;
    right = from + length;
    redraw();
  }
  const zoom = (by, around) => show(around - (around - left) * by, around + (right - around) * by);
  const pan = (by) => show(left + (right - left) * by, right + (right - left) * by);
  const all = () => show(page.begin_ns, page.end_ns);

  // laneText says what a block is.
  function blockText(own) {
    const what = own.lane.shows === "thread" && page.kinds[own.kind] ? page.kinds[own.kind].meaning || page.kinds[own.kind].name : "";
    const by = own.by >= 0 && own.from.lanes[own.by] ? ", committed by " + own.from.lanes[own.by].name : "";
    return own.lane.name + ": " + [own.name, what].filter(Boolean).join(", ") + by + (own.lane.shows === "gpu" &&
        own.kind === failedWork ? ", FAILED" : "") + ": " +
      mtrace.duration(own.length) + ", from " + mtrace.instant(own.at, own.length) + " to " + mtrace.instant(own.at +
          own.length, own.length);
  }

  function cellText(lane, level, i) {
    const at = level.start[i], cells = level.cells, parts = [];
    for (let k = 0; k < cells[at + 2]; k++) {
      const kind = cells[at + 3 + 2 * k];
      parts.push((lane.shows === "thread" && page.kinds[kind] ? page.kinds[kind].name : "work") + " " +
          Math.round(cells[at + 4 + 2 * k] / 2.55) + "%");
    }
    return lane.name + ": " + cells[at + 1] + " short ones in " + mtrace.duration(level.cell_ns) + " from " + mtrace.instant(level.cellAt[i], level.cell_ns) + " on: " + parts.join(", ");
  }

  // under says what is at a place of the canvas, and chooses it.
  function under(x, y, choose) {
    const at = nsOf(x), row = rows.find((r) => y >= r.top && y <= r.top + r.height);
    const mark = page.marks.find((m) => Math.abs(xOf(m.at_ns) - x) < 5 &&
        (!rowOfLane.get(m.lane) || Math.abs(rowOfLane.get(m.lane).top + 3 - y) < 8));
    if (mark) return (mark.failed ? "" : "mark ") + mark.name + ", at " + mtrace.instant(mark.at_ns, right - left);
    if (!row || x < gutter) return row && row.lane ? row.lane.name + ": " + row.lane.count + " in all" : "";
    if (row.series) {
      const s = seriesOf(row), n = s.means[Math.floor((at - s.begin_ns) / s.bin_ns)];
      return n === undefined ? "" : row.series.name + ": " + n.toFixed(2) + " command buffers in flight";
    }
    const [from, lane] = source(row.n), level = levelOf(lane), i = before(level.at, at + pixel()) - 1;
    if (i >= 0 && at <= level.at[i] + Math.max(level.length[i], 2 * pixel())) {
      if (choose) chosen = {n: row.n, at: level.at[i]};
      return blockText({at: level.at[i], length: level.length[i], kind: level.kind[i], name: from.names[level.name[i]], by: level.by[i], lane, from});
    }
    const c = before(level.cellAt, at + 1) - 1;
    if (c >= 0 && at <= level.cellAt[c] + level.cell_ns) return cellText(lane, level, c);
    return lane.name + (lane.shows === "thread" ? ": outside of Metal, at " : ": nothing, at ") + mtrace.instant(at,
        right - left);
  }

  // step goes to the next block of the chosen lane, or the one before, or to another lane.
  function step(lanes, blocks) {
    let n = chosen ? chosen.n : page.lanes.findIndex((l) => l.shows === "thread");
    if (lanes) n = Math.min(Math.max(n + lanes, 0), page.lanes.length - 1);
    if (n < 0) n = 0;
    const [, lane] = source(n), level = levelOf(lane);
    if (level.at.length === 0) { chosen = {n, at: NaN}; status.textContent = lane.name + ": all blocks are too short to be told apart here; zoom in"; return redraw(); }
    let i = chosen && !Number.isNaN(chosen.at) ? before(level.at, chosen.at) : before(level.at, left);
    i = Math.min(Math.max(i + blocks, 0), level.at.length - 1);
    chosen = {n, at: level.at[i]};
    if (level.at[i] < left || level.at[i] + level.length[i] > right) {
      const span = Math.max(right - left, level.length[i] * 1.2);
      show(level.at[i] + level.length[i] / 2 - span / 2, level.at[i] + level.length[i] / 2 + span / 2);
    }
    const row = rowOfLane.get(n);
    if (row.top - scroller.scrollTop < axisHeight) scroller.scrollTop = row.top - axisHeight;
    if (row.top + row.height - scroller.scrollTop > height) scroller.scrollTop = row.top + row.height - height;
    status.textContent = blockText(chosenBlock());
    redraw();
  }

  // fillTable puts what is seen into words: how long each kind took in each lane of a thread.
  function fillTable() {
    const used = page.kinds.map((k, i) => i).filter((i) => page.lanes.some((l) => l.shows === "thread" &&
        l.time_ns[i] > 0));
    const list = [["lane", "blocks"].concat(used.map((i) => page.kinds[i].name))];
    for (const lane of page.lanes) {
      if (lane.shows === "scopes") continue;
      const sums = new Float64Array(16);
      const level = levelOf(lane);
      let count = 0;
      for (let i = Math.max(0, before(level.at, left) - 1); i < level.at.length && level.at[i] < right; i++) {
        const time = Math.min(right, level.at[i] + level.length[i]) - Math.max(left, level.at[i]);
        if (time > 0) { sums[level.kind[i]] += time; count++; }
      }
      for (let i = Math.max(0, before(level.cellAt, left)); i < level.cellAt.length && level.cellAt[i] < right; i++) {
        const at = level.start[i], cells = level.cells;
        count += cells[at + 1];
        for (let k = 0; k < cells[at + 2]; k++) sums[cells[at + 3 + 2 * k]] += cells[at + 4 +
            2 * k] / 255 * level.cell_ns;
      }
      const whole = left <= page.begin_ns && right >= page.end_ns;
      list.push([lane.name, String(whole ? lane.count : count)].concat(used.map((i) => {
        const time = lane.shows === "gpu" ? 0 : whole ? lane.time_ns[i] : sums[i];
        return time > 0 ? mtrace.duration(time) : "·";
      })));
    }
    tableAt.replaceChildren(mtrace.table(list));
  }

  // wantMore asks the server, if there is one, for what the page has no room for.
  let asked = 0, abort = new AbortController();
  function wantMore() {
    if (!page.detail || printing) return;
    const covered = extra && extra.from <= left && extra.to >= right && (extra.to - extra.from) <= 8 * (right - left);
    const coarse = page.lanes.some((l) => l.levels[0].cell_ns > pixel()) || page.flows_of > 1 && right - left < (page.end_ns - page.begin_ns) / 20;
    if (covered || !coarse) return;
    clearTimeout(asked);
    asked = setTimeout(async () => {
      abort.abort(); // what is no longer wanted
      abort = new AbortController();
      const margin = (right - left) / 2, from = Math.max(page.begin_ns, left - margin), to = Math.min(page.end_ns,
          right + margin);
      try {
        const answer = await fetch("detail?from=" + Math.floor(from) + "&to=" + Math.ceil(to), {signal: abort.signal});
        if (!answer.ok) return;
        const more = await answer.json();
        const place = new Map(page.lanes.map((l, i) => [l.key,
            i])), at = (n) => n >= 0 && more.lanes[n] && place.has(more.lanes[n].key) ? place.get(more.lanes[n].key) : -1;
        const flows = more.flows.map((f) => ({...f, f: at(f.f), g: at(f.g), t: at(f.t)}));
        extra = {from, to, document: more, flows, lanes: new Map(more.lanes.map((l) => [l.key, l]))};
        root.dataset.details = String(Number(root.dataset.details || 0) + 1);
        redraw();
      } catch (e) {
        if (e.name === "AbortError") return;
        status.textContent = "mtrace view does not answer any more: this is what the page has";
        page.detail = false;
      }
    }, 120);
  }

  // Pointers: drag moves, drag on the axis or with shift chooses a range, two fingers zoom.
  const down = new Map();
  let range = null;
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    down.set(e.pointerId, e);
    range = e.shiftKey || e.offsetY < axisHeight ? [e.offsetX, e.offsetX] : null;
    canvas.focus();
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = down.get(e.pointerId);
    if (!last) {
      status.textContent = under(e.offsetX, e.offsetY + scroller.scrollTop, false);
      return;
    }
    if (down.size === 2) {
      const other = [...down.values()].find((d) => d.pointerId !== e.pointerId);
      const was = Math.abs(last.offsetX - other.offsetX), is = Math.abs(e.offsetX - other.offsetX);
      if (was > 5 && is > 5) zoom(was / is, nsOf((e.offsetX + other.offsetX) / 2));
    } else if (range) {
      range[1] = e.offsetX;
      redraw();
      requestAnimationFrame(() => {
        if (!range) return;
        pen.fillStyle = ink;
        pen.globalAlpha = 0.15;
        pen.fillRect(Math.min(...range), 0, Math.abs(range[1] - range[0]), height);
        pen.globalAlpha = 1;
      });
    } else {
      pan((last.offsetX - e.offsetX) / (width - gutter));
    }
    down.set(e.pointerId, e);
  });
  const up = (e) => {
    down.delete(e.pointerId);
    if (range && Math.abs(range[1] - range[0]) > 4) show(nsOf(Math.max(gutter, Math.min(...range))),
        nsOf(Math.max(...range)));
    range = null;
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("click", (e) => {
    chosen = null;
    status.textContent = under(e.offsetX, e.offsetY + scroller.scrollTop, true);
    redraw();
  });
  canvas.addEventListener("dblclick", (e) => zoom(0.25, nsOf(e.offsetX)));
  canvas.addEventListener("wheel", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) {
      e.preventDefault();
      zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) / 100), nsOf(Math.max(gutter, e.offsetX)));
    } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      pan(e.deltaX / (width - gutter));
    }
  }, {passive: false});
  const middle = () => (left + right) / 2;
  const keys = {ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => zoom(0.5,
      middle()), "=": () => zoom(0.5, middle()), "-": () => zoom(2, middle()),
    "0": all, Home: all, ArrowUp: () => step(-1, 0), ArrowDown: () => step(1, 0), ",": () => step(0,
        -1), ".": () => step(0, 1),
    Enter: () => { const own = chosen && chosenBlock(); if (own) show(own.at - own.length * 0.2, own.at +
        own.length * 1.2); },
    Escape: () => { chosen = null; status.textContent = ""; redraw(); }};
  canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  for (const button of root.querySelectorAll("button[data-key]")) button.addEventListener("click",
      () => keys[button.dataset.key]());
  scroller.addEventListener("scroll", redraw);
  details.addEventListener("toggle", redraw);
  new ResizeObserver(() => { if (!printing &&
      scroller.clientWidth !== width) { size(); redraw(); } }).observe(scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  const print = (on) => { printing = on; size(); draw(); };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  // An address that ends in #FROM-TO, in nanoseconds, shows that part.
  const linked = () => { const part = /^#(\d+)-(\d+)$/.exec(location.hash); if (part) show(Number(part[1]),
      Number(part[2])); };
  addEventListener("hashchange", linked);
  size();
  linked();
  draw();
  mtrace.seen = () => ({left, right, pixel: pixel(), chosen: chosen && chosenBlock() ? blockText(chosenBlock()) : ""});
  mtrace.show = show;
  mtrace.draw = draw;
};
