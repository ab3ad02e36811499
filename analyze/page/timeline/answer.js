"use strict";
// mtrace.answer turns the lines of code in the verdict into links to the longest block in the timeline that was called
// there.
mtrace.answer = function (view) {
  for (const line of document.querySelectorAll(".answer .line")) mtrace.linkLine(view, line);
};

// linkLine makes the text of an element, a line of code, a link to the longest call there.
mtrace.linkLine = function (view, line) {
  const {page} = view, frame = page.frames.indexOf(line.textContent);
  if (frame < 0) return;
  const through = page.stacks.map((stack) => stack.includes(frame));
  let longest = null;
  page.lanes.forEach((lane, n) => {
    if (lane.shows !== "thread") return;
    const level = mtrace.levels.finest(lane);
    for (let i = 0; i < level.at.length; i++)
      if (through[level.stack[i]] && (!longest || level.length[i] > longest.length))
        longest = {n, at: level.at[i], length: level.length[i]};
  });
  if (!longest) return;
  const link = document.createElement("a");
  link.href = "#timeline-title";
  link.title = "the longest call there, " + mtrace.duration(longest.length) + ", in the timeline";
  link.append(...line.childNodes);
  link.addEventListener("click", (e) => {
    e.preventDefault();
    view.goTo(longest.n, longest.at);
    view.canvas.scrollIntoView({block: "center"});
    view.canvas.focus({preventScroll: true});
  });
  line.append(link);
};
