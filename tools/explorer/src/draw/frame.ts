// The frame that every picture of a problem shares: where its nodes are and how large they are.

import { circle } from "../problem/layout.ts";
import type { Draft, Place } from "../problem/problem.ts";
import { size } from "../problem/problem.ts";

export const WIDTH = 440;
export const HEIGHT = 320;
const MARGIN = 30;

/** A point of a picture, in its units. */
export interface Point {
  x: number;
  y: number;
}

/** Where the nodes of a problem are drawn. */
export function nodePoints(draft: Draft): Point[] {
  return sharesOf(draft).map(toPoint);
}

export function toPoint({ x, y }: Place): Point {
  return { x: MARGIN + x * (WIDTH - 2 * MARGIN), y: MARGIN + y * (HEIGHT - 2 * MARGIN) };
}

export function toPlace({ x, y }: Point): Place {
  return { x: (x - MARGIN) / (WIDTH - 2 * MARGIN), y: (y - MARGIN) / (HEIGHT - 2 * MARGIN) };
}

/** The radius of a node; nodes of a row do not touch. */
export function radius(draft: Draft): number {
  const nodes = size(draft.problem);
  const free = Math.max(6, Math.min(14, 90 / Math.sqrt(nodes) - 6));
  return isRow(draft) ? Math.max(3, Math.min(free, (WIDTH - 2 * MARGIN) / nodes / 2 - 1)) : free;
}

/** Whether nodes stand in a row, so that arrows between them are arcs. */
export function isRow({ problem }: Draft): boolean {
  return problem.kind === "array" || problem.kind === "text";
}

function sharesOf(draft: Draft): readonly Place[] {
  const { problem, places } = draft;
  if (problem.kind === "graph") {
    return places;
  }
  const nodes = size(problem);
  if (isRow(draft)) {
    return Array.from({ length: nodes }, (_, node) => ({ x: (node + 0.5) / nodes, y: 0.62 }));
  }
  return (problem.kind === "columns" && scattered(problem.columns)) || circle(nodes);
}

/** Points of a plane are drawn where they are. */
function scattered({ x, y }: Record<string, number[]>): Place[] | null {
  if (!x || !y) {
    return null;
  }
  const share = (values: number[]) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  };
  const [across, down] = [share(x), share(y)];
  return x.map((value, index) => ({ x: across(value), y: 1 - down(y[index] ?? 0) }));
}
