import assert from "node:assert/strict";
import { test } from "node:test";
import { presets } from "../src/problem/presets.ts";
import type { GraphDraft } from "../src/problem/problem.ts";
import { differs, layers, probesOf, readRun, readTrace } from "../src/state/reading.ts";
import { describeNode } from "../src/views/describe.ts";
import { startEngine } from "./fake-engine.ts";

const draft = presets()[1]!.problem as GraphDraft;

async function runs() {
  const started = await startEngine();
  assert(started.ok);
  const trace = await started.value.trace("bellman_ford", draft.problem);
  const run = await started.value.rollout({
    network: "fake-1",
    algorithm: "bellman_ford",
    problem: draft.problem,
  });
  assert(trace.ok && run.ok);
  return { trace: trace.value, run: run.value };
}

test("the picture of an algorithm shows pointers as arrows, masks as filled nodes, numbers below", async () => {
  const { trace } = await runs();
  const shown = layers(probesOf(trace), "");
  assert.deepEqual([shown.arrows?.name, shown.fill?.name, shown.numbers?.name], ["pi_h", "msk", "d"]);
  assert.equal(layers(probesOf(trace), "pi").arrows?.name, "pi");
});

test("a wrong pointer differs at its node and only there", async () => {
  const { trace, run } = await runs();
  const last = trace.records - 1;
  const [truth, shown] = [readTrace(trace, "pi_h", last)!, readRun(run, "pi_h", last)!];
  const wrong = Array.from({ length: trace.nodes }, (_, node) => node).filter((node) =>
    differs(truth, shown, node),
  );
  assert.deepEqual(wrong, [trace.nodes - 1]);
});

test("beyond its end a trace keeps its last step", async () => {
  const { trace } = await runs();
  const last = readTrace(trace, "d", trace.records - 1)!;
  assert.deepEqual(readTrace(trace, "d", trace.records + 20)!.values, last.values);
});

test("a node is described with its margin and with what the algorithm says", async () => {
  const { trace, run } = await runs();
  const last = trace.records - 1;
  const words = describeNode(
    {
      draft,
      layers: layers(probesOf(trace), ""),
      isNetwork: true,
      truth: (probe) => readTrace(trace, probe, last),
      shown: (probe) => readRun(run, probe, last),
    },
    trace.nodes - 1,
  );
  assert.match(words, /^node 7: pi_h 7, margin 0\.25 to 0, the algorithm says 6/);
});

test("values that are not scored never differ", async () => {
  const { run } = await runs();
  const shown = readRun(run, "msk", 1)!;
  const truth = { ...shown, values: shown.values.map(() => -1) };
  assert.equal(differs(truth, shown, 0), false);
});
