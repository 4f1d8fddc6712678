// Arrows between nodes, which end at their rims.

import { type Attributes, svg } from "./element.ts";
import type { Point } from "./frame.ts";

const HEAD = 8;

export interface Arrow {
  from: Point;
  to: Point;
  /** Radius of the nodes at both ends. */
  rim: number;
  /** How far the arrow bends to its left, as a share of its length. */
  bend: number;
}

/** A line with a head at its end. */
export function arrow({ from, to, rim, bend }: Arrow, attributes: Attributes): SVGElement {
  const middle = bendPoint(from, to, bend);
  const start = towards(from, middle, rim);
  const tip = towards(to, middle, rim + 1);
  const base = towards(tip, middle, HEAD);
  const [dx, dy] = [(tip.x - base.x) / HEAD, (tip.y - base.y) / HEAD];
  const wing = (side: number) => `${number(base.x - side * dy * 4.5)} ${number(base.y + side * dx * 4.5)}`;
  const { stroke, ...others } = attributes;
  return svg(
    "g",
    others,
    svg("path", {
      d: `M${pair(start)}Q${pair(middle)} ${pair(base)}`,
      fill: "none",
      stroke,
      "stroke-width": attributes["stroke-width"],
    }),
    svg("path", { d: `M${pair(tip)}L${wing(1)}L${wing(-1)}Z`, fill: stroke, stroke: "none" }),
  );
}

/** The point that bends a line between two others. */
export function bendPoint(from: Point, to: Point, bend: number): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return { x: (from.x + to.x) / 2 + 2 * bend * dy, y: (from.y + to.y) / 2 - 2 * bend * dx };
}

/** The point at a distance from one towards another. */
export function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(1, distance / length);
  return { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) };
}

export function pair({ x, y }: Point): string {
  return `${number(x)} ${number(y)}`;
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}
