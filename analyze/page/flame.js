"use strict";
// mtrace.flame draws flame graphs of waits, GPU time and calls. A function's width is its share of the time, and the
// functions that it calls are below it. A click on a function shows it at full width.
mtrace.flame = function (page) {
  const root = document.getElementById("flame");
  if (!root) return;
  const titles = {wait: "waits", gpu: "GPU time", api: "calls"},
    rowHeight = 20;
  const graph = root.querySelector(".graph"),
    said = root.querySelector("[role=status]"),
    find = root.querySelector("input"),
    kinds = root.querySelector(".kinds");

  // decoded builds the tree of functions from the flat list of nodes in the document.
  function decoded(flame) {
    const path = [],
      nodes = [];
    for (let i = 0; i < flame.nodes.length; i += 3) {
      const [depth, name, total] = flame.nodes.slice(i, i + 3),
        parent = path[depth - 1] || null;
      const node = {
        depth,
        name: flame.names[name],
        total,
        parent,
        children: [],
        from: parent ? parent.from + parent.used : 0,
        used: 0,
      };
      if (parent) {
        parent.children.push(node);
        parent.used += total;
      }
      path[depth] = node;
      nodes.push(node);
    }
    return nodes;
  }
  const trees = new Map(page.flames.map((f) => [f.kind, decoded(f)]));
  let kind = page.flames[0].kind,
    top = trees.get(kind)[0];

  const words = (node) =>
    node.name +
    ": " +
    mtrace.duration(node.total) +
    ", " +
    mtrace.percent(node.total / trees.get(kind)[0].total) +
    " of all " +
    titles[kind];
  // hue returns the hue of a function's colour: the same for all functions of that name.
  function hue(name) {
    let h = 7;
    for (const c of name) h = (h * 31 + c.codePointAt(0)) >>> 0;
    return h % 360;
  }

  function draw() {
    const want = find.value.trim().toLowerCase(),
      least = top.total / Math.max(200, graph.clientWidth);
    const above = [];
    for (let n = top.parent; n; n = n.parent) above.push(n);
    const shown = trees
      .get(kind)
      .filter(
        (n) =>
          above.includes(n) ||
          (n.depth >= top.depth && n.from >= top.from && n.from + n.total <= top.from + top.total && n.total >= least),
      );
    let found = 0,
      deepest = 0;
    graph.replaceChildren(
      ...shown.map((n) => {
        const box = mtrace.button(n.name, () => {
          top = n;
          draw();
        });
        const whole = above.includes(n),
          part = whole ? 1 : n.total / top.total;
        const hit = want && n.name.toLowerCase().includes(want);
        if (hit && !above.includes(n)) {
          let inner = n.parent;
          while (inner && !inner.name.toLowerCase().includes(want)) inner = inner.parent;
          if (!inner) found += n.total; // the time of a recursive call is included in the outer call's
        }
        box.style.left = whole ? "0" : (100 * (n.from - top.from)) / top.total +
            "%";
        box.style.width = 100 * part + "%";
        box.style.top = n.depth * rowHeight + "px";
        box.style.background = want && !hit ? "hsl(0 0% 85%)" : "hsl(" + hue(n.name) + " 60% 75%)";
        box.title = words(n);
        box.dataset.total = n.total;
        deepest = Math.max(deepest, n.depth);
        return box;
      }),
    );
    graph.style.height = (deepest + 1) * rowHeight + "px";
    said.textContent = want
      ? "“" +
        want +
        "”: " +
        mtrace.duration(found) +
        ", " +
        mtrace.percent(found / trees.get(kind)[0].total) +
        " of all " +
        titles[kind]
      : words(top);
    for (const button of kinds.children) button.ariaPressed = String(button.dataset.kind === kind);
  }
  for (const flame of page.flames) {
    const button = mtrace.button(titles[flame.kind], () => {
      kind = flame.kind;
      top = trees.get(kind)[0];
      draw();
    });
    button.dataset.kind = flame.kind;
    kinds.append(button);
  }
  graph.addEventListener("pointerover", (e) => {
    if (e.target.title) said.textContent = e.target.title;
  });
  find.addEventListener("input", draw);
  new ResizeObserver(() => draw()).observe(root);
  draw();
};
