import assert from "node:assert/strict";
import test from "node:test";

import { Trajectories } from "../src/trajectories.js";

const positions = Buffer.from(Uint16Array.from([0, 1, 2, 65535, 0, 0, 3, 3, 3]).buffer).toString("base64");
const data = {
  axes: ["a", "b", "c"],
  low: [-1, 0, 10],
  unit: 0.5,
  lengths: [2, 1],
  positions,
  scores: [0.5, 1],
  classes: null,
};

test("positions are read as they were written", () => {
  const read = new Trajectories(data);
  assert.deepEqual([...read.positions], [-1, 0.5, 11, 32766.5, 0, 10, 0.5, 1.5, 11.5]);
  assert.deepEqual([...read.trajectory], [0, 0, 1]);
  assert.deepEqual([...read.step], [0, 1, 0]);
  assert.deepEqual(read.range(1), [0, 1.5]);
  assert.equal(read.groups, 2);
  assert.equal(read.describe(1), "graph 1, step 2, score 50.0 %");
});

test("points of a class are grouped by it", () => {
  const read = new Trajectories({ ...data, scores: null, classes: [3, 0] });
  assert.equal(read.groups, 4);
  assert.deepEqual([0, 1, 2].map((point) => read.group(point)), [3, 3, 0]);
  assert.equal(read.describe(2), "graph 1, image 2, step 1");
});
