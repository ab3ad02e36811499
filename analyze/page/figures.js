"use strict";
// mtrace holds the functions that the scripts of several pages share.
const mtrace = {};

// duration writes nanoseconds as the report does.
mtrace.duration = function (ns) {
  const three = (x) => x < 9.995 ? x.toFixed(2) : x < 99.95 ? x.toFixed(1) : x.toFixed(0);
  const size = Math.abs(ns);
  if (size < 1e3) return Math.round(ns) + " ns";
  if (size < 999.5e3) return three(ns / 1e3) + " µs";
  if (size < 999.5e6) return three(ns / 1e6) + " ms";
  return three(ns / 1e9) + " s";
};

// unit returns the divisor and the name of the unit in which to write an instant of ns nanoseconds.
mtrace.unit = (ns) => (ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"]);

// instant writes a time since the begin of the trace, with as many digits as the length of the visible range
// requires: otherwise neighbouring instants would look the same.
mtrace.instant = function (ns, length) {
  const [unit, name] = mtrace.unit(ns), digits = Math.ceil(Math.log10(unit / Math.max(length, 1))) + 3;
  return (ns / unit).toFixed(Math.min(Math.max(digits, 0), Math.round(Math.log10(unit)))) + " " + name;
};

// percent writes a share (0 to 1) as the report does: "12%", "<1%".
mtrace.percent = (share) => (share > 0 && share < 0.01 ? "<1%" : Math.round(100 * share) + "%");

// button creates a button with an action.
mtrace.button = function (text, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", act);
  return button;
};

// scrolled puts a table into a box that can be scrolled, so that a wide table does not widen the page.
mtrace.scrolled = function (table) {
  const box = document.createElement("div");
  box.className = "scroll";
  box.append(table);
  return box;
};

// capture makes an element receive all events of a pointer until the pointer is released, even outside of the
// element. Tests send synthetic events, whose pointers cannot be captured; the error is ignored.
mtrace.capture = function (element, event) {
  try { element.setPointerCapture(event.pointerId); } catch { /* a synthetic event of a test */ }
};

// table creates an HTML table from rows of texts; the first row has the column heads.
mtrace.table = function (rows) {
  const table = document.createElement("table");
  rows.forEach((row, i) => {
    const line = table.insertRow();
    for (const text of row) {
      const cell = document.createElement(i === 0 ? "th" : "td");
      if (i === 0) cell.scope = "col";
      cell.textContent = text;
      line.append(cell);
    }
  });
  return table;
};

mtrace.palette = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#86bcb6",
    "#d37295", "#8cd17d", "#499894"];

// unfold opens all folded parts for printing.
mtrace.unfold = function () {
  const folded = [];
  addEventListener("beforeprint",
      () => { for (const d of document.querySelectorAll("details:not([open])")) { d.open = true; folded.push(d); } });
  addEventListener("afterprint", () => { for (const d of folded.splice(0)) d.open = false; });
};

// figures returns functions that add charts of uPlot to the element root, each with a table of its numbers. All
// charts are redrawn when the page's width or colour scheme changes.
mtrace.figures = function (root) {
  const plots = [], makers = [];
  const theme = () => {
    const style = getComputedStyle(root);
    return {ink: style.getPropertyValue("--ink").trim(), grid: style.getPropertyValue("--grid").trim()};
  };
  function figure(title, remark, plot, rows) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption"),
        at = document.createElement("div"), details = document.createElement("details"),
      summary = document.createElement("summary"), scroll = document.createElement("div");
    const name = document.createElement("b");
    name.textContent = title;
    caption.append(name, remark ? " " + remark : "");
    at.className = "plot";
    at.setAttribute("role", "img");
    at.setAttribute("aria-label", title + ": the table below has its numbers");
    summary.textContent = "as a table";
    details.className = "raw";
    scroll.className = "scroll";
    scroll.append(mtrace.table(rows));
    details.append(summary, scroll);
    figure.append(caption, at, details);
    root.append(figure);
    const make = () => {
      at.replaceChildren();
      const {ink, grid} = theme();
      const options = plot.options(ink, grid);
      options.width = Math.max(200, Math.floor(figure.clientWidth));
      options.height = plot.height || 190;
      plots[index] = new uPlot(options, plot.data, at);
    };
    const index = plots.push(null) - 1;
    makers.push(make);
  }
  const axis = (ink, grid, more) => ({stroke: ink, grid: {stroke: grid, width: 1}, ticks: {stroke: grid},
      font: "11px system-ui, sans-serif", ...more});

  const again = () => makers.forEach((make) => make());
  let width = root.clientWidth;
  new ResizeObserver(() => { if (root.clientWidth !== width) { width = root.clientWidth; again(); } }).observe(root);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  mtrace.plots = plots;
  return {figure, axis, draw: again};
};
