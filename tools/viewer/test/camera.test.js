import assert from "node:assert/strict";
import test from "node:test";

import { Camera, DISTANCE } from "../src/camera.js";

const corners = ([x, y, z]) =>
  [-x, x].flatMap((a) => [-y, y].flatMap((b) => [-z, z].map((c) => [a, b, c])));

test("the box stays inside the canvas from every side", () => {
  for (const half of [[1, 1, 1], [1, 0.2, 0.1], [0.1, 0.3, 1]]) {
    for (let turns = 0; turns < 60; turns += 1) {
      const camera = new Camera(half);
      camera.turn(0.7 * turns, Math.sin(turns) * 2);
      camera.fit(400, 300, 20);
      for (const corner of corners(half)) {
        const [x, y] = camera.project(...corner);
        assert.ok(x >= 19 && x <= 381 && y >= 0 && y <= 300, `${half} after ${turns}: ${x}, ${y}`);
      }
    }
  }
});

test("the camera's position is where things become large", () => {
  const camera = new Camera([1, 1, 1]);
  camera.fit(100, 100, 10);
  const towards = camera.position().map((x) => x / DISTANCE);
  const [x, y, size] = camera.project(...towards);
  assert.ok(Math.abs(x - 50) < 1e-9 && Math.abs(y - 50) < 1e-9);
  assert.ok(Math.abs(size - DISTANCE / (DISTANCE - 1)) < 1e-9);
});

test("nothing turns over the top, and reset returns to the start", () => {
  const camera = new Camera([1, 1, 1]);
  const start = { ...camera };
  camera.turn(1, 100);
  assert.ok(camera.elevation < Math.PI / 2);
  camera.zoomBy(1000);
  assert.equal(camera.zoom, 20);
  camera.reset();
  assert.deepEqual({ ...camera }, start);
});
