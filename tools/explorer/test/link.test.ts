import assert from "node:assert/strict";
import { test } from "node:test";
import { presets } from "../src/problem/presets.ts";
import { type Draft, refusal } from "../src/problem/problem.ts";
import { begin, change } from "../src/state/history.ts";
import { fromFragment, toFragment } from "../src/state/link.ts";
import { KNOBS, type Settings, STORED } from "../src/state/settings.ts";

const MOST = 64;
const draft = presets()[0]!.problem as Draft;

const settings: Settings = {
  algorithm: "bellman_ford",
  draft: begin(draft),
  networks: ["a", "b"],
  knobs: { ...KNOBS, aggregator: "softmax", temperature: 0.3, extraSteps: 4 },
  pushes: [
    { kind: "move", amounts: [1, -2], steps: 3, nodes: "all" },
    { kind: "cluster", cluster: 2, amount: 1.5, steps: "all", nodes: 4 },
    { kind: "noise", scale: 0.1, seed: 7, steps: "all", nodes: "all" },
    { kind: "zero", steps: 1, nodes: 2 },
  ],
  stored: { ...STORED, family: "reweight", points: "nodes" },
  position: 3,
  isPlaying: false,
  view: "matrix",
  probe: "pi_h",
  node: 4,
  dimensions: 3,
  colour: "cluster",
};
const others: Settings = {
  ...settings,
  algorithm: "bfs",
  knobs: KNOBS,
  pushes: [],
  position: 0,
  view: "links",
  dimensions: 2,
};

test("a link reproduces all settings", () => {
  assert.deepEqual(fromFragment(`#${toFragment(settings)}`, others, MOST), settings);
});

test("a link holds the problem as it is, not its history", () => {
  const [first, second] = [{ problem: { kind: "array" as const, values: [1, 2] }, places: [] }, draft];
  const edited = { ...settings, draft: change(begin<Draft>(first), second) };
  assert.deepEqual(fromFragment(toFragment(edited), others, MOST)!.draft, begin(draft));
});

test("names of nodes survive whatever they contain", () => {
  const problem = {
    kind: "graph" as const,
    nodes: 2,
    edges: [[0, 1, 1]] as [number, number, number][],
    directed: false,
    source: 0,
    names: ["<img onerror=x>", "Łódź 🚋"],
  };
  const named = {
    ...settings,
    draft: begin<Draft>({
      problem,
      places: [
        { x: 0, y: 0 },
        { x: 1, y: 1 },
      ],
    }),
  };
  assert.deepEqual(fromFragment(toFragment(named), others, MOST)!.draft.now.problem, problem);
});

test("a fragment of another page is not read as a link", () => {
  for (const fragment of ["", "#", "#latent", "#%%%", `#${btoa("[1,2]")}`, `#${btoa('{"version":99}')}`]) {
    assert.equal(fromFragment(fragment, others, MOST), null, fragment);
  }
});

test("damaged parts of a link are replaced by defaults", () => {
  const damaged = {
    version: 1,
    algorithm: 3,
    networks: "all",
    problem: { kind: "graph", nodes: 2000, edges: [], directed: false, source: 0 },
    knobs: { aggregator: "evil", temperature: "hot", extraSteps: 1e9 },
    pushes: [{ kind: "explode" }, { kind: "zero" }],
    position: -5,
  };
  const read = fromFragment(btoa(JSON.stringify(damaged)), others, MOST)!;
  assert.equal(read.algorithm, others.algorithm);
  assert.deepEqual(read.networks, others.networks);
  assert.deepEqual(read.draft, others.draft);
  assert.deepEqual(read.knobs, { ...KNOBS, extraSteps: 1000 });
  assert.deepEqual(read.pushes, [{ kind: "zero", steps: "all", nodes: "all" }]);
  assert.equal(read.position, 0);
});

test("every preset is a problem that the engine accepts", () => {
  for (const { name, problem } of presets()) {
    if ("problem" in problem) {
      assert.equal(refusal(problem.problem, MOST), null, name);
      assert.equal(problem.places.length, problem.problem.nodes, name);
    }
  }
});
