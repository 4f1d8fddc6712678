// Changes of a graph. Each returns a new draft, so that undo can keep the old one.

import type { Edge, GraphDraft, GraphProblem, Place } from "./problem.ts";

const WEIGHT_OF_NEW_EDGES = 0.5;
const SMALLEST_WEIGHT = 0.01;

/** The index of the edge between two nodes, in an undirected graph in either direction; -1 if there is none. */
export function findEdge(graph: GraphProblem, from: number, to: number): number {
  return graph.edges.findIndex(
    ([a, b]) => (a === from && b === to) || (!graph.directed && a === to && b === from),
  );
}

/** Adds the edge between two nodes, or removes the one that is there. */
export function toggleEdge(draft: GraphDraft, from: number, to: number): GraphDraft {
  if (from === to) {
    return draft;
  }
  const at = findEdge(draft.problem, from, to);
  if (at >= 0) {
    return removeEdge(draft, at);
  }
  const isBackwards = !draft.problem.directed && from > to;
  const edge: Edge = isBackwards ? [to, from, WEIGHT_OF_NEW_EDGES] : [from, to, WEIGHT_OF_NEW_EDGES];
  return withEdges(draft, [...draft.problem.edges, edge]);
}

export function removeEdge(draft: GraphDraft, at: number): GraphDraft {
  return withEdges(
    draft,
    draft.problem.edges.filter((_, index) => index !== at),
  );
}

/** Sets a weight, to three decimals. */
export function setWeight(draft: GraphDraft, at: number, weight: number): GraphDraft {
  const rounded = Math.max(SMALLEST_WEIGHT, Math.round(weight * 1000) / 1000);
  return withEdges(
    draft,
    draft.problem.edges.map((edge, index) => (index === at ? [edge[0], edge[1], rounded] : edge)),
  );
}

export function moveNode(draft: GraphDraft, node: number, place: Place): GraphDraft {
  return { ...draft, places: draft.places.map((old, index) => (index === node ? inside(place) : old)) };
}

export function setSource(draft: GraphDraft, source: number): GraphDraft {
  return { ...draft, problem: { ...draft.problem, source } };
}

export function addNode(draft: GraphDraft, place: Place): GraphDraft {
  const { problem } = draft;
  const names = problem.names && { names: [...problem.names, String(problem.nodes)] };
  return {
    problem: { ...problem, nodes: problem.nodes + 1, ...names },
    places: [...draft.places, inside(place)],
  };
}

/** Removes a node with its edges; nodes after it move up by one. Two nodes always remain. */
export function removeNode(draft: GraphDraft, node: number): GraphDraft {
  const { problem } = draft;
  if (problem.nodes <= 2) {
    return draft;
  }
  const moved = (other: number) => (other > node ? other - 1 : other);
  const edges = problem.edges
    .filter(([from, to]) => from !== node && to !== node)
    .map(([from, to, weight]): Edge => [moved(from), moved(to), weight]);
  const names = problem.names && { names: problem.names.filter((_, index) => index !== node) };
  const source = problem.source === node ? 0 : moved(problem.source);
  return {
    problem: { ...problem, nodes: problem.nodes - 1, source, edges, ...names },
    places: draft.places.filter((_, index) => index !== node),
  };
}

/** Multiplies all weights: a symmetry of shortest paths. */
export function rescale(draft: GraphDraft, factor: number): GraphDraft {
  return withEdges(
    draft,
    draft.problem.edges.map(([from, to, weight]): Edge => [from, to, weight * factor]),
  );
}

function withEdges(draft: GraphDraft, edges: Edge[]): GraphDraft {
  return { ...draft, problem: { ...draft.problem, edges } };
}

function inside({ x, y }: Place): Place {
  const share = (value: number) => Math.round(1000 * Math.min(1, Math.max(0, value))) / 1000;
  return { x: share(x), y: share(y) };
}
