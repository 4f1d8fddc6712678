import assert from "node:assert/strict";
import { test } from "node:test";
import { addNode, moveNode, removeNode, rescale, setWeight, toggleEdge } from "../src/problem/graph.ts";
import type { GraphDraft } from "../src/problem/problem.ts";
import { refusal } from "../src/problem/problem.ts";

const MOST = 64;

function triangle(directed = false): GraphDraft {
  return {
    problem: {
      kind: "graph",
      nodes: 3,
      edges: [
        [0, 1, 0.5],
        [1, 2, 0.4],
      ],
      directed,
      source: 2,
    },
    places: [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 0.5, y: 1 },
    ],
  };
}

test("an edge is added with the smaller node first, and removed from either side", () => {
  const added = toggleEdge(triangle(), 2, 0);
  assert.deepEqual(added.problem.edges.at(-1), [0, 2, 0.5]);
  assert.deepEqual(toggleEdge(added, 0, 2), triangle());
  assert.deepEqual(toggleEdge(triangle(), 1, 1), triangle());
});

test("a directed graph may have both edges between two nodes", () => {
  assert.deepEqual(toggleEdge(triangle(true), 1, 0).problem.edges.at(-1), [1, 0, 0.5]);
});

test("removing a node removes its edges, renumbers the others and keeps the source", () => {
  const { problem, places } = removeNode(triangle(), 0);
  assert.deepEqual([problem.nodes, problem.edges, problem.source, places.length], [2, [[0, 1, 0.4]], 1, 2]);
});

test("removing the source makes node 0 the source", () => {
  assert.equal(removeNode(triangle(), 2).problem.source, 0);
});

test("nodes stay inside of the drawing, weights above zero", () => {
  assert.deepEqual(moveNode(triangle(), 1, { x: 2, y: -1 }).places[1], { x: 1, y: 0 });
  assert.equal(setWeight(triangle(), 0, -3).problem.edges[0]![2], 0.01);
});

test("whatever is done to a graph, the engine gets one that it accepts", () => {
  const edited = rescale(addNode(toggleEdge(triangle(), 0, 2), { x: 0.2, y: 0.2 }), 0.8);
  assert.equal(refusal(edited.problem, MOST), null);
  assert.deepEqual([edited.problem.nodes, edited.places.length], [4, 4]);
});

test("a NaN weight, a missing node and too many nodes are refused in a sentence", () => {
  const { problem } = triangle();
  assert.match(refusal({ ...problem, edges: [[0, 1, Number.NaN]] }, MOST)!, /weight NaN/);
  assert.match(refusal({ ...problem, edges: [[0, 7, 1]] }, MOST)!, /leaves the graph/);
  assert.match(refusal({ ...problem, nodes: 2000 }, MOST)!, /at most 64 nodes; this problem has 2000/);
  assert.match(refusal({ ...problem, source: 9 }, MOST)!, /source is node 9/);
  assert.match(refusal({ kind: "array", values: [1, Number.NaN] }, MOST)!, /Value 2 of the array is NaN/);
});
