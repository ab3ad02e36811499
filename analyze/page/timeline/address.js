"use strict";
// mtrace.address keeps the fragment of the page's address equal to the view: #FROM-TO in nanoseconds since the begin,
// then the chosen block, the selected range and the search text. Opening such an address shows that view.
mtrace.address = function (view) {
  const {page} = view,
    span = (from, to) => Math.round(from) + "-" + Math.round(to);
  let last = location.hash,
    timer = 0;

  function written() {
    const parts = [];
    if (view.left > page.begin_ns || view.right < page.end_ns) parts.push(span(view.left, view.right));
    if (view.chosen && !Number.isNaN(view.chosen.at))
      parts.push("block=" + encodeURIComponent(page.lanes[view.chosen.n].key) + "@" + view.chosen.at);
    if (view.range) parts.push("range=" + span(view.range.from, view.range.to));
    if (view.find) parts.push("find=" + encodeURIComponent(view.find));
    return parts.length > 0 ? "#" + parts.join("&") : "";
  }
  function write() {
    timer = 0;
    const now = written();
    if (now === last) return;
    last = now;
    try {
      history.replaceState(null, "", now || location.pathname + location.search);
    } catch {
      /* a page that has no address */
    }
  }
  view.listeners.moved.push(() => {
    if (!timer) timer = setTimeout(write, 150);
  });

  function read() {
    const numbers = (text) => {
      const m = /^(\d+)-(\d+)$/.exec(text);
      return m && [Number(m[1]), Number(m[2])];
    };
    for (const part of location.hash.slice(1).split("&")) {
      const [name, value] = part.includes("=") ? part.split("=") : ["", part],
        two = numbers(value);
      if (name === "" && two) view.show(...two);
      if (name === "range" && two) view.select({from: two[0], to: two[1]});
      const block = name === "block" && /^(.*)@(\d+)$/.exec(value);
      if (block) {
        const n = page.lanes.findIndex((l) => l.key === decodeURIComponent(block[1]));
        if (n >= 0) {
          view.reveal(n);
          view.choose({n, at: Number(block[2])});
        }
      }
      if (name === "find") {
        view.root.querySelector("input[type=search]").value = decodeURIComponent(value);
        view.look(decodeURIComponent(value));
      }
    }
  }
  addEventListener("hashchange", () => {
    if (location.hash !== last) {
      last = location.hash;
      read();
    }
  });
  view.readAddress = read;
  view.writeAddress = write;
};
