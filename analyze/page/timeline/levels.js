"use strict";
// Levels of lanes: the document has the blocks of each lane several times, each time with longer cells for what is
// shorter. No level is computed here, only chosen.
mtrace.levels = {};

// before is how many numbers of an ascending list are below a value.
mtrace.levels.before = function (list, value) {
  let low = 0,
    high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

// decoded makes arrays of a level's lists, once.
mtrace.levels.decoded = function (level) {
  if (level.at) return level;
  const width = 7,
    blocks = level.blocks,
    n = blocks.length / width;
  Object.assign(level, {
    at: new Float64Array(n),
    length: new Float64Array(n),
    kind: new Uint8Array(n),
    name: new Int32Array(n),
    by: new Int32Array(n),
    stack: new Int32Array(n),
    flow: new Int32Array(n),
  });
  for (let i = 0, k = 0, at = 0; i < n; i++) {
    at += blocks[k++];
    level.at[i] = at;
    level.length[i] = blocks[k++];
    level.kind[i] = blocks[k++];
    level.name[i] = blocks[k++];
    level.by[i] = blocks[k++];
    level.stack[i] = blocks[k++];
    level.flow[i] = blocks[k++];
  }
  const cellAt = [],
    start = [];
  for (let i = 0, at = level.first_ns; i < level.cells.length; i += 3 + 2 * level.cells[i + 2]) {
    at += level.cells[i] * level.cell_ns;
    cellAt.push(at);
    start.push(i);
  }
  level.cellAt = Float64Array.from(cellAt);
  level.start = Int32Array.from(start);
  return level;
};

// finest has every block of a lane that the document has.
mtrace.levels.finest = (lane) => mtrace.levels.decoded(lane.levels[0]);

// fitting is the coarsest level whose cells are no longer than a pixel, or the finest.
mtrace.levels.fitting = function (lane, pixel) {
  for (let i = lane.levels.length - 1; i > 0; i--) {
    if (lane.levels[i].cell_ns <= pixel) return mtrace.levels.decoded(lane.levels[i]);
  }
  return mtrace.levels.finest(lane);
};

// block is a block of a level, with its lane and the document that it is from.
mtrace.levels.block = function (from, lane, level, i) {
  return {
    at: level.at[i],
    length: level.length[i],
    kind: level.kind[i],
    name: from.names[level.name[i]] || "",
    by: level.by[i],
    stack: from.stacks[level.stack[i]] || [],
    flow: from.flows[level.flow[i]] || null,
    lane,
    from,
  };
};
