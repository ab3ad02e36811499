"use strict";
// The document has the blocks of each lane at several levels of detail: coarser levels sum up short blocks in longer
// cells. mtrace.levels decodes them and selects the level to draw; it computes no new ones.
mtrace.levels = {};

// before returns how many numbers of an ascending list are less than value.
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

// decoded converts the flat lists of a level to typed arrays, when the level is first used.
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

// finest returns the most detailed level that the document has of a lane.
mtrace.levels.finest = (lane) => mtrace.levels.decoded(lane.levels[0]);

// fitting returns the coarsest level whose cells are no longer than one pixel; `pixel` is the number of nanoseconds
// per pixel. If there is none, it returns the finest level.
mtrace.levels.fitting = function (lane, pixel) {
  for (let i = lane.levels.length - 1; i > 0; i--) {
    if (lane.levels[i].cell_ns <= pixel) return mtrace.levels.decoded(lane.levels[i]);
  }
  return mtrace.levels.finest(lane);
};

// block returns block i of a level as an object, with its lane and with `from`, the document that contains it.
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
