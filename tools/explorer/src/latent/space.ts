// Stored states in a box around the origin: what the camera looks at.

import type { Corpus } from "../engine/types.ts";
import type { Vector } from "./camera.ts";

export interface Space {
  /** Coordinates, three per point. */
  points: Float32Array;
  /** Half edges of the box; the longest is 1. */
  half: Vector;
  /** From a corpus's coordinates into the box. */
  place: (coordinates: ArrayLike<number>, at: number, components: number) => Vector;
  /** Length of a corpus's unit in the box. */
  unit: number;
  /** Pairs of points that follow one another in a trajectory. */
  lines: Uint32Array;
  lastRecord: number;
}

export function spaceOf(corpus: Corpus): Space {
  const { components } = corpus;
  const count = corpus.record.length;
  const ranges = [0, 1, 2].map((axis) =>
    axis < components ? range(corpus.points, axis, components) : [0, 0],
  );
  const middle = ranges.map(([low, high]) => (low! + high!) / 2);
  const halves = ranges.map(([low, high]) => (high! - low!) / 2);
  const unit = 1 / (Math.max(...halves) || 1);
  const place: Space["place"] = (coordinates, at, columns) => {
    const axis = (index: number) =>
      index < columns ? (coordinates[at * columns + index]! - middle[index]!) * unit : 0;
    return [axis(0), axis(1), axis(2)];
  };
  const points = new Float32Array(3 * count);
  for (let point = 0; point < count; point += 1) {
    points.set(place(corpus.points, point, components), 3 * point);
  }
  const half = halves.map((edge) => Math.max(0.05, edge * unit)) as unknown as Vector;
  return {
    points,
    half,
    place,
    unit,
    lines: linesOf(corpus),
    lastRecord: corpus.record.reduce((a, b) => Math.max(a, b), 1),
  };
}

function range(points: Float32Array, axis: number, components: number): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = axis; at < points.length; at += components) {
    low = Math.min(low, points[at]!);
    high = Math.max(high, points[at]!);
  }
  return low <= high ? [low, high] : [0, 0];
}

function linesOf({ sample, record, node }: Corpus): Uint32Array {
  const last = new Map<number, number>();
  const pairs: number[] = [];
  for (let point = 0; point < record.length; point += 1) {
    // One trajectory per sample, or per node of a sample.
    const trajectory = sample[point]! * 4096 + node[point]! + 1;
    const before = last.get(trajectory);
    if (before !== undefined && record[point] === record[before]! + 1) {
      pairs.push(before, point);
    }
    last.set(trajectory, point);
  }
  return Uint32Array.from(pairs);
}
