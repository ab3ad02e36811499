"use strict";
// mtrace.timeline creates the timeline of the page: a view of the document (mtrace.page/1), and the parts that draw
// it and handle input.
mtrace.timeline = function (page) {
  const root = document.getElementById("timeline");
  if (!root || page.lanes.length === 0) return;
  const view = mtrace.view(page, root);
  for (const part of [
    mtrace.rows,
    mtrace.drawing,
    mtrace.arrows,
    mtrace.overview,
    mtrace.search,
    mtrace.selection,
    mtrace.details,
    mtrace.input,
    mtrace.address,
    mtrace.more,
    mtrace.answer,
  ])
    part(view);
  view.layout();
  view.size();
  new ResizeObserver(() => {
    if (view.printing || view.scroller.clientWidth === view.width) return;
    view.size();
    view.redraw();
  }).observe(view.scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", view.redraw);
  const print = (on) => {
    view.printing = on;
    view.size();
    view.draw();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  view.readAddress();
  view.draw();
  mtrace.seen = () => ({
    left: view.left,
    right: view.right,
    pixel: view.pixel(),
    range: view.range,
    lanes: view.rows.map((r) => r.name),
    chosen: view.chosenBlock() ? view.text(view.chosenBlock()) : "",
  });
  Object.assign(mtrace, {show: view.show, draw: view.draw, viewed: view});
};
