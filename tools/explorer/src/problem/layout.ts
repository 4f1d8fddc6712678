// Where nodes are drawn: on a circle, in a grid, or where springs along the edges pull them. Places are shares of
// the drawing's width and height; the same graph always gets the same places.

import type { Problem } from "../engine/types.ts";
import type { Edge, Place } from "./problem.ts";

const ROUNDS = 220;

/** Places for a problem; none unless it is a graph. */
export function placesOf(problem: Problem): Place[] {
  return problem.kind === "graph" ? springs(problem.nodes, problem.edges) : [];
}

export function circle(nodes: number): Place[] {
  return Array.from({ length: nodes }, (_, node) => {
    const angle = (2 * Math.PI * node) / nodes - Math.PI / 2;
    return { x: 0.5 + 0.5 * Math.cos(angle), y: 0.5 + 0.5 * Math.sin(angle) };
  });
}

export function grid(nodes: number, columns: number): Place[] {
  const rows = Math.ceil(nodes / columns);
  return Array.from({ length: nodes }, (_, node) => ({
    x: columns > 1 ? (node % columns) / (columns - 1) : 0.5,
    y: rows > 1 ? Math.floor(node / columns) / (rows - 1) : 0.5,
  }));
}

/** Fruchterman and Reingold's springs from a circle; dense graphs stay on the circle, where every edge is visible. */
export function springs(nodes: number, edges: readonly Edge[]): Place[] {
  const places = circle(nodes);
  const isDense = edges.length > 3 * nodes;
  if (nodes < 4 || isDense) {
    return places;
  }
  const ideal = 0.9 / Math.sqrt(nodes);
  for (let round = 0; round < ROUNDS; round += 1) {
    const forces = places.map(() => ({ x: 0, y: 0 }));
    repel(places, forces, ideal);
    attract(places, forces, edges, ideal);
    const longest = 0.12 * (1 - round / ROUNDS);
    places.forEach((place, node) => {
      const force = forces[node]!;
      const length = Math.hypot(force.x, force.y) || 1;
      const share = Math.min(longest, length) / length;
      place.x += force.x * share;
      place.y += force.y * share;
    });
  }
  return stretched(places);
}

function repel(places: readonly Place[], forces: Place[], ideal: number): void {
  places.forEach((place, node) => {
    places.forEach((other, index) => {
      const [dx, dy] = [place.x - other.x, place.y - other.y];
      const square = dx * dx + dy * dy;
      if (index !== node && square > 0) {
        forces[node]!.x += (dx / square) * ideal * ideal;
        forces[node]!.y += (dy / square) * ideal * ideal;
      }
    });
  });
}

function attract(places: readonly Place[], forces: Place[], edges: readonly Edge[], ideal: number): void {
  for (const [from, to] of edges) {
    const [dx, dy] = [places[to]!.x - places[from]!.x, places[to]!.y - places[from]!.y];
    const pull = Math.hypot(dx, dy) / ideal;
    forces[from]!.x += dx * pull;
    forces[from]!.y += dy * pull;
    forces[to]!.x -= dx * pull;
    forces[to]!.y -= dy * pull;
  }
}

/** Stretches places so that they fill the drawing. */
function stretched(places: readonly Place[]): Place[] {
  const range = (values: number[]) => [Math.min(...values), Math.max(...values)] as const;
  const [left, right] = range(places.map(({ x }) => x));
  const [top, bottom] = range(places.map(({ y }) => y));
  return places.map(({ x, y }) => ({
    x: right > left ? (x - left) / (right - left) : 0.5,
    y: bottom > top ? (y - top) / (bottom - top) : 0.5,
  }));
}
