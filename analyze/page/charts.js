"use strict";
// mtrace.charts draws the charts of the page's document with uPlot. Each chart has a table of its numbers that can be
// opened.
mtrace.charts = function (page) {
  const root = document.getElementById("charts");
  if (!root) return;
  const {figure, axis, draw} = mtrace.figures(root);
  const bytes = (n) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let i = 0;
    for (; n >= 1023.5 && i < units.length - 1; i++) n /= 1024;
    return (i === 0 ? Math.round(n) : n.toPrecision(3)) + " " + units[i];
  };
  const powers = Array.from({length: 50}, (_, i) => 2 ** i);
  const shown = {share: (n) => Math.round(n * 100) + "%", bytes, "command buffers": (n) => n.toFixed(n < 10 ? 2 : 0)};

  // over draws a chart of several series over time on one time axis.
  function over(title, remark, list) {
    if (list.length === 0) return;
    const begin = page.begin_ns, end = page.end_ns;
    // at most about 240 bins, because more cannot be distinguished in the chart
    const finest = Math.max(...list.map((s) => s.bin_ns)), bin = finest * Math.ceil((end - begin) / finest / 240);
    const count = Math.ceil((end - begin) / bin);
    const times = Array.from({length: count}, (_, i) => begin + i * bin);
    const values = list.map((s) => {
      const sum = new Float64Array(count);
      const put = (at, length, n) => { // a bin of the series may overlap two bins of the chart, so divide it
        for (let i = Math.max(0, Math.floor((at - begin) / bin)); i < count && begin + i * bin < at + length; i++) {
          sum[i] += n * Math.max(0, Math.min(at + length, begin + (i + 1) * bin) - Math.max(at, begin + i * bin)) / bin;
        }
      };
      s.means.forEach((n, i) => put(s.begin_ns + i * s.bin_ns, s.bin_ns, n));
      const last = s.begin_ns + s.bin_ns * s.means.length;
      if (s.group === "memory" && last < end) put(last, begin + count * bin - last, s.means[s.means.length - 1]);
      return Array.from(sum);
    });
    const write = shown[list[0].unit], [unit, name] = mtrace.unit(end);
    const instant = (ns) => String(Number((ns / unit).toPrecision(6))) + " " + name;
    const plot = {data: [[...times, end], ...values.map((v) => [...v, v[count - 1]])], options: (ink, grid) => ({
      scales: {x: {time: false}, y: {range: (u, low, high) => list[0].unit === "share" ? [0, 1] : [0,
          Math.max(1, high * 1.08)]}},
      axes: [axis(ink, grid, {values: (u, all) => all.map((n) => instant(n)), space: 80}),
          axis(ink, grid, {values: (u, all) => all.map(write), size: 72, ...(list[0].unit === "bytes"
              ? {incrs: powers} : {})})],
      series: [{label: "time",
          value: (u, n) => n == null ? "" : mtrace.duration(n)},
          ...list.map((s, i) => ({label: s.name,
              value: (u, n) => n == null ? "" : write(n),
        stroke: mtrace.palette[i % mtrace.palette.length], fill: list.length === 1
            ? mtrace.palette[i] + "44" : undefined, width: 1.5, points: {show: false},
        paths: uPlot.paths.stepped({align: 1})}))],
      cursor: {drag: {x: true, y: false}}, legend: {live: true}})};
    const rows = [["from", ...list.map((s) => s.name)]], step = Math.max(1, Math.ceil(count / 24));
    for (let i = 0; i < count; i += step) {
      rows.push([mtrace.duration(times[i]),
          ...values.map((v) => { const part = v.slice(i, i + step); return write(part.reduce((a, b) => a + b,
              0) / part.length); })]);
    }
    figure(title, remark, plot, rows);
  }

  // lengthsBetween returns round durations between low and high for the ticks of a logarithmic axis. The more powers
  // of ten the axis spans, the fewer ticks per power.
  function lengthsBetween(low, high) {
    const list = [], steps = high / low > 1e3 ? [1] : high / low > 30 ? [1, 3] : [1, 2, 5];
    for (let power = 10 ** Math.floor(Math.log10(Math.max(low,
        1))); power <= high; power *= 10) for (const m of steps) if (m * power >= low &&
            m * power <= high) list.push(m * power);
    return list;
  }

  // lengths draws a histogram of durations.
  function lengths(h) {
    if (h.total === 0) return;
    const plot = {data: [h.bins.map((b) => Math.sqrt(b.from_ns * b.to_ns)), h.bins.map((b) => b.count)], options: (ink,
        grid) => ({
      scales: {x: {time: false, distr: 3, log: 10, range: (u, low, high) => [h.bins[0].from_ns / 1.5,
          h.bins[h.bins.length - 1].to_ns * 1.5]},
      y: {range: (u, low, high) => [0, Math.max(1, high * 1.08)]}},
      axes: [axis(ink, grid, {splits: (u, i, low, high) => lengthsBetween(low, high), filter: (u,
          all) => all, values: (u, all) => all.map(mtrace.duration)}),
        axis(ink, grid, {size: 64, values: (u, all) => all.map((n) => Number.isInteger(n) ? String(n) : "")})],
      series: [{label: "about",
          value: (u, n) => n == null ? "" : mtrace.duration(n)},
      {label: "command buffers",
          value: (u,
          n) => n == null ? "" : String(n),
              stroke: mtrace.palette[0], fill: mtrace.palette[0] + "aa",
        paths: uPlot.paths.bars({size: [0.9, 60], align: 0}), points: {show: false}}],
      cursor: {drag: {x: false, y: false}}})};
    const rows = [["from", "to", "count"], ...h.bins.map((b) => [mtrace.duration(b.from_ns), mtrace.duration(b.to_ns),
        String(b.count)])];
    figure(h.name, h.total + " in all", plot, rows);
  }

  const group = (name) => page.series.filter((s) => s.group === name);
  over("GPU busy", "share of the time in which the GPU worked", group("busy"));
  over("In flight", "mean number of command buffers that are committed and not completed", group("flight"));
  over("Memory", "GPU memory that the program had allocated", group("memory"));
  for (const h of page.histograms) lengths(h);
  draw(); // draw only when all elements are in the page, because charts need their width
};

{
  const page = JSON.parse(document.getElementById("page-data").textContent);
  mtrace.unfold();
  mtrace.tables();
  mtrace.contents();
  mtrace.timeline(page);
  mtrace.flame(page);
  mtrace.charts(page);
  document.documentElement.dataset.drawn = "yes";
}
