import assert from "node:assert/strict";
import { test } from "node:test";
import { circle, grid, springs } from "../src/problem/layout.ts";
import type { Edge } from "../src/problem/problem.ts";

const path = (nodes: number) => Array.from({ length: nodes - 1 }, (_, node): Edge => [node, node + 1, 1]);

test("places are shares of the drawing, and the same every time", () => {
  const places = springs(12, path(12));
  assert.deepEqual(places, springs(12, path(12)));
  for (const { x, y } of places) {
    assert(x >= 0 && x <= 1 && y >= 0 && y <= 1, `${x}, ${y}`);
  }
});

test("springs bring neighbours nearer to each other than others", () => {
  const places = springs(12, path(12));
  const distance = (a: number, b: number) =>
    Math.hypot(places[a]!.x - places[b]!.x, places[a]!.y - places[b]!.y);
  const joined = path(12).map(([from, to]) => distance(from, to));
  assert(Math.max(...joined) < distance(0, 11));
});

test("no two nodes share a place", () => {
  for (const places of [circle(64), grid(64, 8), springs(64, path(64)), springs(20, [])]) {
    const distinct = new Set(places.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`));
    assert.equal(distinct.size, places.length);
  }
});
