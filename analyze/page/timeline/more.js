"use strict";
// mtrace.more requests more detail of the visible range from the server of mtrace view, if that server serves the
// page and the page has too little detail.
mtrace.more = function (view) {
  const {page, root} = view;
  let asked = 0,
    abort = new AbortController();

  async function ask() {
    abort.abort(); // the previous request is obsolete
    abort = new AbortController();
    const margin = (view.right - view.left) / 2;
    const from = Math.max(page.begin_ns, view.left - margin),
      to = Math.min(page.end_ns, view.right + margin);
    try {
      const answer = await fetch("detail?from=" + Math.floor(from) + "&to=" + Math.ceil(to), {signal: abort.signal});
      if (!answer.ok) return;
      const more = await answer.json(),
        at = (n) => view.placeOf(more, n);
      const flows = more.flows.map((f) => ({...f, f: at(f.f), g: at(f.g), t: at(f.t)}));
      view.extra = {from, to, document: more, flows, lanes: new Map(more.lanes.map((l) => [l.key, l]))};
      root.dataset.details = String(Number(root.dataset.details || 0) + 1);
      view.redraw();
    } catch (e) {
      if (e.name === "AbortError") return;
      view.status.textContent = "mtrace view does not answer any more: the page shows the detail that it already has";
      page.detail = false;
    }
  }

  view.listeners.draw.push(() => {
    if (!page.detail || view.printing) return;
    const {extra, left, right} = view,
      length = right - left;
    const covered = extra && extra.from <= left && extra.to >= right && extra.to - extra.from <= 8 * length;
    const coarse =
      page.lanes.some((l) => l.levels[0].cell_ns > view.pixel()) ||
      (page.flows_of > 1 && length < (page.end_ns - page.begin_ns) / 20);
    if (covered || !coarse) return;
    clearTimeout(asked);
    asked = setTimeout(ask, 120);
  });
};
