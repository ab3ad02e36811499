"use strict";
// mtrace.answer turns each line of code in the verdict into a link to a block of the timeline: to the call at that line
// that the report names, such as a call of a lock's holder during a wait. If the report names none, the link leads to
// the longest call at that line.
mtrace.answer = function (view) {
  for (const line of document.querySelectorAll(".answer .line")) mtrace.linkLine(view, line);
};

// linkLine turns the text of an element, a line of code, into a link to a call at that line. If the element names a
// thread and an instant, the link leads to that thread's call at that instant. If the page lacks that call, it leads to
// the thread's longest call at the line.
mtrace.linkLine = function (view, line) {
  const {page} = view, frame = page.frames.indexOf(line.textContent);
  if (frame < 0) return;
  const through = page.stacks.map((stack) => stack.includes(frame));
  const thread = line.dataset.thread,
    at = Number(line.dataset.at);
  let longest = null,
    chosen = null;
  page.lanes.forEach((lane, n) => {
    if (lane.shows !== "thread" ||
        (thread && thread !== lane.pid + " " + lane.tid)) return;
    const own = thread && view.blockAt(n, at, true);
    if (own && own.stack.includes(frame)) chosen = {n, at, length: own.length};
    const level = mtrace.levels.finest(lane);
    for (let i = 0; i < level.at.length; i++)
      if (through[level.stack[i]] && (!longest || level.length[i] > longest.length))
        longest = {n, at: level.at[i], length: level.length[i]};
  });
  const target = chosen || longest;
  if (!target) return;
  const link = document.createElement("a");
  link.href = "#timeline-title";
  link.title = (chosen ? "a call of the lock's holder there during a wait, " : "the longest call there, ") +
    mtrace.duration(target.length) +
    ", in the timeline";
  link.append(...line.childNodes);
  link.addEventListener("click", (e) => {
    e.preventDefault();
    view.goTo(target.n, target.at);
    view.canvas.scrollIntoView({block: "center"});
    view.canvas.focus({preventScroll: true});
  });
  line.append(link);
};
