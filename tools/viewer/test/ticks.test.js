import assert from "node:assert/strict";
import test from "node:test";

import { ticks } from "../src/ticks.js";

test("ticks are round and inside the range", () => {
  assert.deepEqual(ticks(-1.23, 4.9, 5), [-1, 0, 1, 2, 3, 4]);
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-0.3, 0.3, 6), [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  assert.deepEqual(ticks(120, 480, 3), [200, 300, 400]);
  assert.ok(!Object.is(ticks(-1, 1, 2)[1], -0));
});

test("a range of one value has one tick", () => {
  assert.deepEqual(ticks(2, 2, 5), [2]);
});

test("every range has at least one tick, and not many more than wanted", () => {
  for (let seed = 1; seed < 2000; seed += 1) {
    const low = 50 * Math.sin(seed);
    const span = 10 ** (3 * Math.sin(7 * seed));
    for (const count of [2, 5]) {
      const found = ticks(low, low + span, count);
      assert.ok(found.length >= 1 && found.length <= 1.5 * count + 1, `${low}, ${span}: ${found}`);
      assert.ok(found.every((tick) => tick >= low - 1e-6 * span && tick <= low + span * (1 + 1e-6)), `${found}`);
    }
  }
});
