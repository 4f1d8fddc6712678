// The box around the trajectories: a grid on the three sides that lie behind them, and along three of its
// edges the numbers and the names of the axes.

import { ticks } from "./ticks.js";

/** Ticks along the longest edge. */
const TICKS = 5;
const SHORTEST_EDGE = 30;

export class Axes {
  constructor(names, ranges, toBox) {
    const longest = Math.max(...ranges.map(([low, high]) => high - low));
    this.axes = ranges.map(([low, high], axis) => {
      const count = Math.max(2, Math.round((TICKS * (high - low)) / longest));
      const values = ticks(low, high, count);
      return { name: names[axis], ticks: values.map((value) => ({ value, at: toBox(axis, value) })) };
    });
  }

  /** Draws the sides of the box that are behind everything. */
  drawGrid(context, camera, colour) {
    const back = behind(camera);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (let side = 0; side < 3; side += 1) {
      for (const axis of [0, 1, 2].filter((other) => other !== side)) {
        const along = 3 - side - axis;
        const ends = [-camera.half[axis], camera.half[axis]];
        for (const at of [...ends, ...this.axes[axis].ticks.map((tick) => tick.at)]) {
          const from = [];
          from[side] = back[side] * camera.half[side];
          from[axis] = at;
          const to = [...from];
          from[along] = -camera.half[along];
          to[along] = camera.half[along];
          segment(context, camera.project(...from), camera.project(...to));
        }
      }
    }
    context.stroke();
  }

  /** Writes names and numbers along one edge per axis, outside of the box. */
  drawLabels(context, camera, { text, font }) {
    Object.assign(context, { strokeStyle: text, fillStyle: text, textAlign: "center", textBaseline: "middle" });
    const edges = this.axes.map((axis, index) => ({ ...axis, ...edge(camera, index), isUpright: index === 2 }));
    const labels = new Labels(context, camera);
    // Names first: they matter more than a number in the same place.
    context.font = `600 ${font}`;
    edges.forEach((it) => drawName(labels, it));
    context.font = font;
    edges.forEach((it) => drawNumbers(labels, it));
  }
}

function drawName(labels, { name, from, to, outwards, isUpright }) {
  if (isUpright) {
    // Above the edge, where there is room even on a telephone.
    labels.write(name, to, [0, -1], 14);
  } else {
    // Beyond the numbers, and the farther the more the edge slants.
    const slant = Math.abs(outwards[0] * outwards[1]) * labels.halfWidth(name);
    const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    labels.write(name, middle, outwards, 33 + slant);
  }
}

function drawNumbers(labels, { ticks, at, from, to, outwards }) {
  const { context } = labels;
  context.beginPath();
  segment(context, from, to);
  context.stroke();
  // Seen from its end, an edge has no room for numbers.
  if (Math.hypot(to[0] - from[0], to[1] - from[1]) < SHORTEST_EDGE) {
    return;
  }
  for (const tick of ticks) {
    const place = at(tick.at);
    context.beginPath();
    segment(context, place, [place[0] + 4 * outwards[0], place[1] + 4 * outwards[1]]);
    context.stroke();
    labels.writeIfFree(String(tick.value).replace("-", "−"), place, outwards, 13);
  }
}

/** Texts that do not overlap. */
class Labels {
  constructor(context, camera) {
    Object.assign(this, { context, width: 2 * camera.centre[0], taken: [] });
  }

  halfWidth(text) {
    return this.context.measureText(text).width / 2;
  }

  /** Writes a text at a distance from a place, or as much higher or lower as is necessary. */
  write(text, [x, y], direction, distance) {
    const step = direction[1] < 0 ? -6 : 6;
    for (let shift = 0; !this.writeIfFree(text, [x, y + shift], direction, distance); shift += step);
  }

  writeIfFree(text, place, direction, distance) {
    const half = this.halfWidth(text);
    const y = place[1] + distance * direction[1];
    // A text grows away from the box, but stays on the canvas.
    const x = place[0] + (distance + half) * direction[0];
    const middle = Math.max(half + 3, Math.min(this.width - half - 3, x));
    const box = { left: middle - half - 3, right: middle + half + 3, top: y - 9, bottom: y + 9 };
    const isFree = !this.taken.some((other) => overlap(box, other));
    if (isFree) {
      this.taken.push(box);
      this.context.fillText(text, middle, y);
    }
    return isFree;
  }
}

/** Per axis, the sign of the side that is farther from the camera. */
function behind(camera) {
  return camera.position().map((x) => (x > 0 ? -1 : 1));
}

/** The edge along which an axis is labelled: where a side in front meets one behind. */
function edge(camera, axis) {
  const corner = corners(camera, axis).map((sign, other) => sign * camera.half[other]);
  const at = (value) => camera.project(...corner.map((x, other) => (other === axis ? value : x)));
  const [from, to] = [at(-camera.half[axis]), at(camera.half[axis])];
  return { at, from, to, outwards: away(camera, from, to) };
}

/** The signs of the sides that meet at the edge of an axis. */
function corners(camera, axis) {
  const back = behind(camera);
  if (axis < 2) {
    return [-back[0], -back[1], back[2]];
  }
  // Of the two upright edges at the outline, the left one.
  const left = ([x, y]) => camera.project(x * camera.half[0], y * camera.half[1], 0)[0];
  const upright = [
    [back[0], -back[1], 0],
    [-back[0], back[1], 0],
  ];
  return upright.sort((a, b) => left(a) - left(b))[0];
}

/** The direction at right angles to an edge that leads away from the centre of the box. */
function away(camera, from, to) {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(x, y) || 1;
  const normal = [y / length, -x / length];
  const [cx, cy] = camera.project(0, 0, 0);
  const isInwards = normal[0] * (cx - from[0]) + normal[1] * (cy - from[1]) > 0;
  return isInwards ? normal.map((x) => -x) : normal;
}

function segment(context, from, to) {
  context.moveTo(from[0], from[1]);
  context.lineTo(to[0], to[1]);
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
