"use strict";
// mtrace.arrows draws arrows from each commit to its GPU work and on to the return of the wait. Triangles show marks
// and failed command buffers.
mtrace.arrows = function (view) {
  const {page} = view,
    mostAtOnce = 300;

  // belongs reports whether flow f (a command buffer) belongs to the chosen block `own`: it is the block's own command
  // buffer, or it was committed during the block.
  function belongs(f, own) {
    return (
      own.flow === f ||
      (view.chosen.n === f.g && Math.abs(own.at - f.b) < 1) ||
      (view.chosen.n === f.f && f.c >= own.at && f.c <= own.at + own.length)
    );
  }

  view.drawFlows = function (pen, ink) {
    const own = view.chosenBlock(),
      {xOf, rowOf} = view;
    const list = view.flows().filter((f) => Math.max(f.w, f.e) >= view.left && f.c <= view.right);
    const some = list.length <= mostAtOnce;
    pen.save();
    pen.beginPath();
    pen.rect(view.gutter, view.axisHeight, view.width - view.gutter, view.height - view.axisHeight);
    pen.clip();
    for (const f of list) {
      const its = own && belongs(f, own);
      if (!some && !its) continue;
      const gpu = rowOf.get(f.g),
        from = rowOf.get(f.f),
        to = rowOf.get(f.t);
      pen.strokeStyle = ink;
      pen.fillStyle = ink;
      pen.globalAlpha = its ? 1 : list.length > 40 ? 0.25 : 0.45;
      pen.lineWidth = its ? 2 : 1;
      if (from && gpu) arrow(pen, xOf(f.c), from, xOf(f.b), gpu);
      if (to && gpu) arrow(pen, xOf(f.e), gpu, xOf(f.w), to);
    }
    pen.restore();
    return some ? "" : " Zoom in or choose a block to see arrows.";
  };

  function arrow(pen, x1, row1, x2, row2) {
    const down = view.yOf(row1) < view.yOf(row2);
    const y1 = view.yOf(row1) + (down ? row1.height : 0),
      y2 = view.yOf(row2) + (down ? 0 : row2.height);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2);
    pen.stroke();
    const back = down ? -6 : 6; // shift the control points, so that the curve begins and ends vertically
    pen.beginPath();
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 2.5, y2 + back);
    pen.lineTo(x2 + 2.5, y2 + back);
    pen.fill();
  }

  view.drawMarks = function (pen, ink, alarm) {
    for (const m of page.marks) {
      if (m.at_ns < view.left || m.at_ns > view.right) continue;
      const row = view.rowOf.get(m.lane),
        x = view.xOf(m.at_ns),
        y = row ? view.yOf(row) : view.axisHeight;
      if (y < view.axisHeight - 2) continue;
      pen.fillStyle = m.failed ? alarm : ink;
      pen.beginPath();
      pen.moveTo(x, y + 7);
      pen.lineTo(x - 4, y - 1);
      pen.lineTo(x + 4, y - 1);
      pen.fill();
    }
  };
};
