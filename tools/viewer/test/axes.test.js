import assert from "node:assert/strict";
import test from "node:test";

import { Axes } from "../src/axes.js";
import { Camera } from "../src/camera.js";

const NAMES = ["component 1", "component 2", "component 3"];
const [WIDTH, HEIGHT] = [360, 350];

/** Records the texts that are written on a canvas. */
function written(camera, axes) {
  const texts = [];
  const context = {
    beginPath() {},
    moveTo() {},
    lineTo() {},
    stroke() {},
    measureText: (text) => ({ width: 7 * text.length }),
    fillText: (text, x, y) => texts.push({ text, x, y, half: 3.5 * text.length }),
  };
  camera.fit(WIDTH, HEIGHT, 50);
  axes.drawLabels(context, camera, { text: "black", font: "12px sans-serif" });
  return texts;
}

test("from every side, all axes have their name, some have numbers, and nothing is cut off", () => {
  for (let turns = 0; turns < 200; turns += 1) {
    const half = [1, 0.3 + 0.7 * Math.abs(Math.sin(turns)), 0.2];
    const axes = new Axes(NAMES, half.map((x) => [-4 * x, 4 * x]), (_, value) => value / 4);
    const camera = new Camera(half);
    camera.turn(0.31 * turns, 0.4 * Math.sin(turns));
    const texts = written(camera, axes);
    const names = texts.map(({ text }) => text).filter((text) => NAMES.includes(text));
    assert.deepEqual(names, NAMES, `after ${turns} turns`);
    assert.ok(texts.length > 5, `after ${turns} turns: ${texts.length} texts`);
    for (const { text, x, half } of texts) {
      assert.ok(x - half >= 0 && x + half <= WIDTH, `${text} after ${turns} turns: ${x} ± ${half}`);
    }
  }
});
