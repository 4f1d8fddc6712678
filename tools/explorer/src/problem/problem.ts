// What the reader edits: the engine's problem, and where the nodes of a graph are drawn.

import type { Problem } from "../engine/types.ts";

export type GraphProblem = Extract<Problem, { kind: "graph" }>;
export type ArrayProblem = Extract<Problem, { kind: "array" }>;
export type ColumnsProblem = Extract<Problem, { kind: "columns" }>;
export type TextProblem = Extract<Problem, { kind: "text" }>;
export type Edge = GraphProblem["edges"][number];

/** A share of the drawing's width and height. */
export interface Place {
  x: number;
  y: number;
}

/** `places` is empty for problems that are not graphs. */
export interface Draft {
  problem: Problem;
  places: readonly Place[];
}

/** A draft that is a graph. */
export interface GraphDraft extends Draft {
  problem: GraphProblem;
}

export function isGraph(draft: Draft): draft is GraphDraft {
  return draft.problem.kind === "graph";
}

const LARGEST_WEIGHT = 1000;

/** The number of nodes that a network sees. */
export function size(problem: Problem): number {
  switch (problem.kind) {
    case "graph":
      return problem.nodes;
    case "array":
      return problem.values.length;
    case "columns":
      return Math.max(0, ...Object.values(problem.columns).map((column) => column.length));
    case "text":
      return problem.lines.reduce((sum, line) => sum + line.length, 0);
  }
}

/** Why a problem cannot be given to a network, as a sentence; `null` if it can. */
export function refusal(problem: Problem, most: number): string | null {
  const nodes = size(problem);
  if (nodes < 2) {
    return `A problem needs at least 2 nodes; this one has ${nodes}. Add some.`;
  }
  if (nodes > most) {
    return `The page takes at most ${most} nodes; this problem has ${nodes}. Use the command line for larger ones.`;
  }
  switch (problem.kind) {
    case "graph":
      return graphRefusal(problem);
    case "array":
      return numbersRefusal("array", problem.values);
    case "columns":
      return (
        Object.entries(problem.columns)
          .map(([name, column]) => numbersRefusal(`column “${name}”`, column))
          .find((sentence) => sentence !== null) ?? null
      );
    case "text":
      return null;
  }
}

function numbersRefusal(name: string, values: readonly number[]): string | null {
  const at = values.findIndex((value) => !Number.isFinite(value));
  return at < 0 ? null : `Value ${at + 1} of the ${name} is ${values[at]}; type a decimal number.`;
}

function graphRefusal({ nodes, edges, source }: GraphProblem): string | null {
  if (!Number.isInteger(source) || source < 0 || source >= nodes) {
    return `The source is node ${source}, but nodes are numbered from 0 to ${nodes - 1}.`;
  }
  for (const [from, to, weight] of edges) {
    if (![from, to].every((end) => Number.isInteger(end) && end >= 0 && end < nodes)) {
      return `The edge from ${from} to ${to} leaves the graph, whose nodes are numbered from 0 to ${nodes - 1}.`;
    }
    if (!Number.isFinite(weight) || weight <= 0 || weight > LARGEST_WEIGHT) {
      return `The edge from ${from} to ${to} has the weight ${weight}; weights are above 0 and at most ${LARGEST_WEIGHT}.`;
    }
  }
  return null;
}

/** The name of a node: its own or its number. */
export function nodeName(problem: Problem, node: number): string {
  return (problem.kind === "graph" && problem.names?.[node]) || String(node);
}
