// Draws the plots of a sweep or a comparison. Its data is the document that --json writes, with curves computed in
// Go.
{
  const {sweep, diff, curves, parts, columns} = JSON.parse(document.getElementById("page-data").textContent);
  const {figure, axis, draw} = mtrace.figures(document.getElementById("charts"));
  const three = (n) => n == null ? "" : n === 0 ? "0" : n >= 999.5 ? Math.round(n).toString() : n.toPrecision(3);
  const percent = (share) => (100 * share).toFixed(1) + "%";
  const change = (ratio) => ratio == null ? "" : ratio >= 10 ?
      three(ratio) + " ×" : ratio <= 0.1
      ? "1/" +
          three(1 / ratio) : (ratio >= 1 ? "+" : "−") + Math.abs(100 * (ratio - 1)).toFixed(1) + "%";
  const cursor = {drag: {x: false, y: false}};
  const lined = [[], [8, 5], [2, 4]];

  // throughput draws the median, least and greatest throughput by number of threads, the fitted laws and perfect
  // scaling.
  function throughput(series, curves) {
    const rows = series.rows, xs = [...new Set([...rows.map((r) => r.threads), ...curves.threads])].sort((a,
        b) => a - b);
    const at = (of) => { const found = new Map(rows.map((r) => [r.threads, of(r)])); return xs.map((x) => found.has(x) ?
        found.get(x) : null); };
    const along = (values) => { const found = new Map(curves.threads.map((x, i) => [x,
        values[i]])); return xs.map((x) => found.has(x) ? found.get(x) : null); };
    const write = (u, n) => three(n), points = (color, width,
        size) => ({stroke: color, width, paths: () => null, points: {show: true, size, stroke: color, fill: size > 5
            ? color : undefined}});
    const plot = {height: 320, data: [xs, at((r) => r.ops_per_s), at((r) => r.min_ops_per_s),
        at((r) => r.max_ops_per_s), ...curves.lines.map((l) => along(l.values))], options: (ink, grid) => ({
      scales: {x: {time: false}, y: {range: (u, low, high) => [0,
          1.15 * Math.max(...rows.map((r) => r.max_ops_per_s))]}},
      axes: [axis(ink, grid, {splits: () => rows.map((r) => r.threads), values: (u,
          all) => all.map(String), label: "threads"}), axis(ink, grid, {size: 72, values: (u,
              all) => all.map(three), label: "operations a second"})],
      series: [{label: "threads",
          value: (u, n) => n == null ? "" : three(n)},
          {label: "median",
              value: write, ...points(mtrace.palette[0], 2, 9)},
              {label: "least",
                  value: write, ...points(mtrace.palette[0], 1, 5)},
        {label: "most",
            value: write, ...points(mtrace.palette[0], 1, 5)},
        ...curves.lines.map((l, i) => ({label: l.name,
            value: write, stroke: i === 0 ? ink : mtrace.palette[i],
            width: 1.5, dash: lined[i % lined.length], spanGaps: true, points: {show: false}}))],
      cursor})};
    figure((series.name ? series.name + ": " : "") + "Throughput",
        "operations per second: the median of the runs, with the smallest and the largest value", plot,
            [["threads", "median", "least", "most", "runs", "speed-up", "efficiency"],
      ...rows.map((r) => [String(r.threads), three(r.ops_per_s), three(r.min_ops_per_s), three(r.max_ops_per_s),
          String(r.runs), r.speedup.toFixed(2), percent(r.efficiency)])]);
  }

  // shares draws how the threads spent their time, as one stacked bar for each number of threads.
  function shares(times, parts) {
    const used = parts.filter((p) => times.some((t) => (t.shares[p.name] || 0) >= 0.005)), xs = times.map((_,
        i) => i), tops = [];
    used.reduce((below, p) => { const top = times.map((t, i) => below[i] +
        (t.shares[p.name] || 0)); tops.push(top); return top; }, times.map(() => 0));
    const plot = {height: 320, data: [xs, ...tops.toReversed()], options: (ink, grid) => ({
      scales: {x: {time: false, range: () => [-0.6, times.length - 0.4]}, y: {range: () => [0, 1]}},
      axes: [axis(ink, grid, {splits: () => xs, values: (u, all) => all.map((i) => times[i] ? String(times[i].threads) :
          ""), label: "threads"}), axis(ink, grid, {size: 64, values: (u, all) => all.map((n) => Math.round(100 * n) +
              "%")})],
      series: [{label: "threads",
          value: (u, i) => i == null ? "" : String(times[i].threads)},
          ...used.toReversed().map((p) => ({label: p.name,
              value: (u, n, s,
              i) => i == null ? "" : percent(times[i].shares[p.name] || 0),
        stroke: p.color, fill: p.color, paths: uPlot.paths.bars({size: [0.7, 80]}), points: {show: false}}))],
      cursor})};
    figure("Where the threads' time went", "shares of the time of all threads", plot,
        [["part", "meaning", ...times.map((t) => String(t.threads))],
      ...used.map((p) => [p.name, p.meaning, ...times.map((t) => percent(t.shares[p.name] || 0))])]);
  }

  // changes draws the ratios of the items that became slower or faster, with intervals, largest effect first. If
  // items are left out, a table has all of them.
  function changes(list) {
    const tested = list.filter((c) => c.ratio != null), moved = tested.filter((c) => c.status === "slower" ||
        c.status === "faster");
    const shown = (moved.length > 0 ? moved :
        tested).toSorted((a, b) => Math.abs(b.impact_ns) - Math.abs(a.impact_ns)).slice(0, 16);
    if (shown.length > 0) {
      const xs = shown.map((_, i) => i), only = (status) => shown.map((c) => c.status === status ? c.ratio : null);
      const all = shown.flatMap((c) => [c.ratio, c.ratio_low ?? c.ratio,
          c.ratio_high ?? c.ratio]).filter((r) => r > 0), far = Math.max(1.05, ...all.map((r) => Math.max(r, 1 / r)));
      const bars = (label, status, color) => ({label, value: (u,
          n) => change(n), stroke: color, fill: color + "aa", paths: uPlot.paths.bars({size: [0.6,
              60]}), fillTo: () => 1, points: {show: false}});
      const ends = (label, ink) => ({label, value: (u,
          n) => change(n), stroke: ink, paths: () => null, points: {show: true, size: 7, stroke: ink, width: 2}});
      const drawn = [["slower", "slower", "#c8102e"], ["faster", "faster", "#2e8b57"], ["the same", "same", "#888888"],
        ["too noisy to tell", "unclear", "#888888"]].filter(([, status]) => shown.some((c) => c.status === status));
      const plot = {height: 380, data: [xs, ...drawn.map(([, status]) => only(status)), shown.map((c) => c.ratio_low),
          shown.map((c) => c.ratio_high)], options: (ink, grid) => ({
        scales: {x: {time: false, range: () => [-0.6,
            shown.length - 0.4]}, y: {distr: 3, log: 2, range: () => [1 / (far * 1.1), far * 1.1]}},
        axes: [axis(ink, grid, {splits: () => xs, rotate: -50, size: 150, values: (u, all) => all.map((i) => shown[i] ?
            (shown[i].kind + " " + shown[i].name).slice(0, 24) : "")}),
          axis(ink, grid, {size: 72, splits: () => [1 / far, 1 / Math.sqrt(far), 1, Math.sqrt(far), far], filter: (u,
              all) => all, values: (u, all) => all.map(change)})],
        series: [{label: "what",
            value: (u, i) => i == null ? "" : shown[i].kind + " " + shown[i].name},
            ...drawn.map((d) => bars(...d)), ends("95% interval, from", ink), ends("95% interval, to", ink)],
        legend: {live: false}, cursor})};
      figure("What changed", "ratio of B to A, with its 95% interval; " + (shown.length < 2 ? "" :
          "the largest " + shown.length + " by their cost for the whole run; ") + columns, plot, table(shown));
      document.querySelector("#charts details").open = true; // open the table, because long names are cut in the chart
      document.querySelector("#charts table").className = "compared";
    }
    const rest = list.length - shown.length;
    if (rest > 0) {
      const details = document.createElement("details"), summary = document.createElement("summary"),
          scroll = document.createElement("div");
      summary.textContent = "All " + list.length + " that were compared";
      scroll.className = "scroll";
      const all = mtrace.table(table(list));
      all.className = "compared";
      scroll.append(all);
      details.append(summary, scroll);
      document.getElementById("charts").after(details);
    }
  }
  const results = {same: "the same", unclear: "too noisy to tell", untested: "not tested", added: "only in B",
    removed: "only in A"};
  const table = (list) => [["kind", "name", "result", "A", "B", "B to A", "95% interval", "time added per run", "note"],
      ...list.map((c) => [c.kind, c.name, results[c.status] || c.status, c.count_a === 0 ? "" :
          mtrace.duration(c.typical_a_ns), c.count_b === 0 ? "" : mtrace.duration(c.typical_b_ns),
    change(c.ratio), interval(c),
    added(c), note(c)])];
  // interval returns the 95% interval as text. It returns one number if both ends are equal when rounded, and "any" if
  // the interval is so wide that it excludes nothing.
  function interval(c) {
    if (c.ratio == null) return "";
    if (c.ratio_high > 1000 * c.ratio_low) return "any";
    const low = change(c.ratio_low), high = change(c.ratio_high);
    return low === high ? low : low + " to " + high;
  }
  // added returns the additional time of a run of B, with its sign; nothing if a change cannot be told from noise.
  const added = (c) => c.status === "unclear" || c.status === "untested" || c.impact_ns === 0 ? ""
      : (c.impact_ns < 0 ? "−" : "+") + mtrace.duration(Math.abs(c.impact_ns));
  // note returns the last column of the table: the change of the count, the part of the time that changed most, and
  // whether the change is minor.
  const note = (c) => [
    c.count_a !== c.count_b && (c.kind === "call" || c.kind === "kernel")
      ? "count " + c.count_a + " → " + c.count_b : "",
    c.because, c.minor ? "minor" : "", c.why].filter(Boolean).join(", ");

  mtrace.unfold();
  if (sweep) {
    sweep.series.forEach((s, i) => throughput(s, curves[i]));
    if (sweep.times) shares(sweep.times, parts);
  }
  if (diff) changes(diff.changes);
  draw();
  document.documentElement.dataset.drawn = "yes";
}
