"use strict";
// This file makes tables of the report sortable by a click on a column head, and filterable. It also adds the list of
// contents, which marks the section that is visible.
mtrace.sizes = {
  ns: 1,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 6e10,
  h: 3.6e12,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  "%": 0.01,
  x: 1,
};

// valueOf returns the number in a cell, multiplied by its unit; -Infinity for an empty cell, null for other texts.
mtrace.valueOf = function (text) {
  if (text === "·" || text === "") return -Infinity;
  const m = /^([<−-]?)([\d,]*\.?\d+)\s*(ns|µs|ms|s|min|h|B|KiB|MiB|GiB|TiB|%|x)?(?![\w:.])/.exec(text);
  if (!m) return null;
  const n = Number(m[2].replaceAll(",", "")) * (mtrace.sizes[m[3]] || 1);
  return m[1] === "<" ? n / 2 : m[1] ? -n : n;
};

mtrace.sortable = function (table) {
  const heads = table.rows[0] ? [...table.rows[0].cells] : [],
    leastRows = 2,
    rowsToFilter = 8;
  if (
    table.className === "heat" ||
    heads.length < 2 ||
    !heads.every((h) => h.tagName === "TH") ||
    table.rows.length < leastRows + 1
  )
    return;
  // the rows of sums (tFoot) stay at the bottom
  const rows = [...table.rows].slice(1).filter((row) => row.parentNode !== table.tFoot),
    cell = (row, i) => (row.cells[i] ? row.cells[i].textContent.trim() : "");
  heads.forEach((head, i) => {
    if (!head.textContent.trim()) return;
    const button = mtrace.button(head.textContent, () => {
      const numbers = rows.every((r) => mtrace.valueOf(cell(r, i)) !== null);
      // the first click shows the largest number, or the alphabetically first text, at the top
      const down = head.ariaSort ? head.ariaSort === "ascending" : numbers;
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const by = (a, b) =>
        numbers ? mtrace.valueOf(cell(a, i)) - mtrace.valueOf(cell(b, i)) : cell(a, i).localeCompare(cell(b, i));
      rows.sort((a, b) => (down ? by(b, a) : by(a, b)) || 0);
      rows[0].parentNode.append(...rows);
    });
    button.title = "sort by this";
    head.replaceChildren(button);
  });
  if (rows.length < rowsToFilter) return;
  const box = document.createElement("input");
  box.type = "search";
  box.className = "filter";
  box.placeholder = "filter " + rows.length + " rows";
  box.ariaLabel = "filter the rows of the table";
  box.addEventListener("input", () => {
    const want = box.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(want);
  });
  table.parentNode.before(box);
};

mtrace.contents = function () {
  const heads = [...document.querySelectorAll("h2")];
  if (heads.length < 4) return;
  const list = document.createElement("nav"),
    links = new Map();
  list.className = "contents";
  list.ariaLabel = "contents";
  heads.forEach((head, i) => {
    head.id = head.id || "part-" + i;
    const link = document.createElement("a");
    link.textContent = head.firstChild.textContent.trim().split(":")[0];
    link.href = "#" + head.id;
    // The fragment of the address describes the timeline's view. So a click scrolls without changing the address.
    link.addEventListener("click", (e) => {
      e.preventDefault();
      head.scrollIntoView();
      follow();
    });
    links.set(head, link);
    list.append(link);
  });
  const first = document.querySelector("h1");
  first.before(list);
  for (const link of document.querySelectorAll(".goto a")) {
    link.addEventListener("click", (e) => {
      e.preventDefault();
      document.getElementById(link.hash.slice(1)).scrollIntoView();
    });
  }
  const follow = () => {
    const edge = list.offsetHeight + 60;
    let now = heads[0];
    for (const head of heads) if (head.getBoundingClientRect().top < edge) now = head;
    for (const [head, link] of links) {
      if (head !== now) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        list.scrollLeft = link.offsetLeft - list.clientWidth / 2;
      }
    }
  };
  addEventListener("scroll", () => requestAnimationFrame(follow), {passive: true});
  follow();
};

mtrace.tables = function () {
  for (const table of document.querySelectorAll(".scroll > table")) mtrace.sortable(table);
};
