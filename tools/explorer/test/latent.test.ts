import assert from "node:assert/strict";
import { test } from "node:test";
import type { Corpus } from "../src/engine/types.ts";
import { Camera, type Vector } from "../src/latent/camera.ts";
import { describePoint } from "../src/latent/cloud.ts";
import { spaceOf } from "../src/latent/space.ts";
import { intervention } from "../src/page/session.ts";
import { nearestPoint } from "../src/views/latent-pointer.ts";
import { startEngine } from "./fake-engine.ts";

async function corpus(): Promise<Corpus> {
  const started = await startEngine();
  assert(started.ok);
  const made = await started.value.corpus({
    network: "fake-1",
    algorithm: "bellman_ford",
    graphs: 6,
    length: 16,
    seed: 1,
    points: "pooled",
  });
  assert(made.ok);
  return made.value;
}

function near(a: number, b: number): void {
  assert(Math.abs(a - b) < 1e-3, `${a}, expected ${b}`);
}

test("a push of the mouse moves a point by as many pixels, from whichever side it is seen", () => {
  for (const isFlat of [true, false]) {
    const camera = new Camera();
    camera.isFlat = isFlat;
    camera.turn(0.4, -0.1);
    camera.fit([1, 0.5, 0.4], 600, 300);
    const start = camera.project([0, 0, 0]);
    const moved = camera.project(camera.unproject(12, -7));
    near(moved.x - start.x, 12);
    near(moved.y - start.y, -7);
  }
});

test("in two dimensions the third component does not matter", () => {
  const camera = new Camera();
  camera.fit([1, 1, 1], 400, 400);
  const at = (z: number) => camera.project([0.3, 0.2, z] as Vector);
  near(at(1).x, at(-1).x);
  near(at(1).y, at(-1).y);
});

test("the rotation keeps lengths", () => {
  const camera = new Camera();
  camera.isFlat = false;
  camera.turn(1.1, 0.7);
  for (const row of camera.rotation()) {
    near(Math.hypot(...row), 1);
  }
});

test("stored states fill a box around the origin, and lines join the steps of one graph", async () => {
  const stored = await corpus();
  const space = spaceOf(stored);
  assert.equal(Math.max(...space.half), 1);
  assert(space.points.every((value) => Math.abs(value) <= 1 + 1e-6));
  assert.equal(space.lines.length, 2 * 6 * 4);
  for (let at = 0; at < space.lines.length; at += 2) {
    assert.equal(stored.sample[space.lines[at]!], stored.sample[space.lines[at + 1]!]);
  }
});

test("the stored state nearest to the live one is of the same step", async () => {
  const stored = await corpus();
  const point = nearestPoint(stored, [...stored.points.subarray(3 * 7, 3 * 8)], stored.record[7]!);
  assert.equal(point, 7);
  assert.equal(describePoint(stored, point), "graph 1, step 3, 90 % right");
});

test("a move along components becomes a vector of hidden units", async () => {
  const stored = await corpus();
  const change = intervention({ kind: "move", amounts: [2, -1], steps: 3, nodes: "all" }, stored)!;
  assert(change.kind === "add" && change.steps !== "all");
  assert.deepEqual([change.steps, change.nodes, change.vector.length], [[3], "all", 8]);
  near(change.vector[0]!, 0.1);
});

test("a move waits for the components", () => {
  assert.equal(intervention({ kind: "move", amounts: [1], steps: 1, nodes: "all" }, null), null);
});
