// Problems that show something, for algorithms on graphs.

import type { RandomOptions } from "../engine/types.ts";
import type { Stored } from "../state/settings.ts";
import { circle, grid } from "./layout.ts";
import type { Edge, GraphDraft, Place } from "./problem.ts";

export interface Preset {
  name: string;
  /** What to look at. */
  summary: string;
  /** The problem itself, or how to sample it. */
  problem: GraphDraft | RandomOptions;
  /** Stored trajectories that belong to it. */
  stored?: Partial<Stored>;
}

/**
 * The graph of appendix E as its text describes it: which node is found at which step, and the three pairs of paths
 * whose lengths are nearly equal. The paper does not print its weights.
 */
const PAPER: Edge[] = [
  [0, 5, 0.45],
  [5, 6, 0.55],
  [4, 6, 0.6],
  [6, 7, 0.35],
  [6, 8, 0.35],
  [8, 9, 0.06],
  [2, 7, 0.05],
  [2, 9, 0.05],
  [2, 4, 0.29],
  [1, 7, 0.36],
  [1, 9, 0.38],
  [3, 9, 0.3],
];

const PAPER_PLACES: Place[] = [
  { x: 0, y: 0.5 },
  { x: 0.72, y: 0 },
  { x: 0.72, y: 0.55 },
  { x: 1, y: 0.8 },
  { x: 0.55, y: 0.76 },
  { x: 0.15, y: 0.5 },
  { x: 0.32, y: 0.5 },
  { x: 0.5, y: 0.22 },
  { x: 0.38, y: 1 },
  { x: 0.88, y: 0.62 },
];

const NEAR_TIE_PLACES: Place[] = [
  { x: 0, y: 0.5 },
  { x: 0.25, y: 0.1 },
  { x: 0.47, y: 0.1 },
  { x: 0.25, y: 0.9 },
  { x: 0.47, y: 0.9 },
  { x: 0.64, y: 0.5 },
  { x: 0.82, y: 0.5 },
  { x: 1, y: 0.5 },
];

/** From the source to node 5 lead two ways, of lengths 0.90 and 0.89. */
const NEAR_TIE: Edge[] = [
  [0, 1, 0.3],
  [1, 2, 0.35],
  [2, 5, 0.25],
  [0, 3, 0.4],
  [3, 4, 0.25],
  [4, 5, 0.24],
  [5, 6, 0.3],
  [6, 7, 0.2],
];

export function presets(): Preset[] {
  return [
    {
      name: "paper, appendix E",
      summary: "Nodes 4, 9 and 1 choose between two paths of nearly equal length.",
      problem: graph(10, PAPER, PAPER_PLACES),
    },
    {
      name: "near-tie",
      summary:
        "Two ways to node 5, of lengths 0.90 and 0.89. Drag the weight of 4–5 and watch the pointer flip.",
      problem: graph(8, NEAR_TIE, NEAR_TIE_PLACES),
    },
    {
      name: "right, then wrong",
      summary:
        "A sparse graph on which the network linear_pgn-42 finds every pointer and loses one in the last step.",
      problem: { length: 10, seed: 168, p: 0.5 },
    },
    {
      name: "long path",
      summary: "One step per node: distances leave the range of training.",
      problem: path(16),
    },
    { name: "star", summary: "One step suffices; then the state should rest.", problem: star(16) },
    {
      name: "grid of ties",
      summary: "All weights are equal: every shortest path has equals.",
      problem: ties(4),
    },
    {
      name: "orbit: scaling",
      summary: "Copies of one graph with all weights multiplied. Their states lie on a curve.",
      problem: { length: 16, seed: 1, family: "rescale", classes: 1 },
      stored: { family: "rescale", classes: 1, graphs: 100, p: null, seed: 1 },
    },
    {
      name: "orbit: reweighting",
      summary: "Copies of eight graphs that keep every shortest path. Each graph is a cluster.",
      problem: { length: 16, seed: 3, family: "reweight", classes: 8, p: 0.4 },
      stored: { family: "reweight", classes: 8, graphs: 160, p: 0.4, seed: 3 },
    },
  ];
}

function graph(nodes: number, edges: Edge[], places: Place[]): GraphDraft {
  return { problem: { kind: "graph", nodes, edges, directed: false, source: 0 }, places };
}

function path(nodes: number): GraphDraft {
  const edges = Array.from({ length: nodes - 1 }, (_, node): Edge => [node, node + 1, 0.3]);
  // Rows that turn at their ends, like a snake, so that neighbours are near each other.
  const columns = 4;
  const places = grid(nodes, columns).map(({ x, y }, node) =>
    Math.floor(node / columns) % 2 === 1 ? { x: 1 - x, y } : { x, y },
  );
  return graph(nodes, edges, places);
}

function star(nodes: number): GraphDraft {
  const edges = Array.from({ length: nodes - 1 }, (_, node): Edge => [0, node + 1, weight(node)]);
  return graph(nodes, edges, [{ x: 0.5, y: 0.5 }, ...circle(nodes - 1)]);
}

/** Weights between 0.1 and 0.9 without a pattern that the eye sees. */
function weight(index: number): number {
  return Math.round(100 * (0.1 + 0.8 * ((index * 0.618034) % 1))) / 100;
}

function ties(side: number): GraphDraft {
  const edges: Edge[] = [];
  for (let node = 0; node < side * side; node += 1) {
    if (node % side < side - 1) {
      edges.push([node, node + 1, 0.25]);
    }
    if (node + side < side * side) {
      edges.push([node, node + side, 0.25]);
    }
  }
  return graph(side * side, edges, grid(side * side, side));
}
