// The page's side of the engine: catalogue, slots, cancelling, a lost worker.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CorpusRequest, Engine, Problem, Result } from "../../src/engine/types.ts";
import { engine, Here, shipped } from "./parts.ts";

const NETWORK = "linear_pgn-42";
const ALGORITHM = "bellman_ford";
const CORPUS: CorpusRequest = {
  network: NETWORK,
  algorithm: ALGORITHM,
  graphs: 20,
  length: 8,
  seed: 1,
  points: "pooled",
};

function value<T>(result: Result<T>): T {
  if (!result.ok) {
    throw new Error(result.error);
  }
  return result.value;
}

function sentence<T>(result: Result<T>): string {
  assert(!result.ok);
  return result.error;
}

const problem = async (from: Engine, length = 8): Promise<Problem> =>
  value(await from.random(ALGORITHM, { length, seed: 1 }));

const request = (problem: Problem) => ({ network: NETWORK, algorithm: ALGORITHM, problem });

test("the catalogue has all of CLRS-30 and the networks; broken ones are listed with a sentence", async () => {
  const broken = { ...shipped(NETWORK), name: "broken", weights: new ArrayBuffer(16) };
  const { catalogue } = await engine([shipped(NETWORK), broken]);
  assert.equal(catalogue.algorithms.filter(({ inClrs30 }) => inClrs30).length, 30);
  assert.deepEqual(
    catalogue.networks.map(({ name }) => name),
    [NETWORK],
  );
  assert.equal(catalogue.networks[0]!.scores[0]!.algorithm, ALGORITHM);
  assert.match(catalogue.refused[0]!.error, /the network broken cannot be opened/);
});

test("a trace has typed arrays, and the network's answer equals it nearly everywhere", async () => {
  const own = await engine([shipped(NETWORK)]);
  const graph = await problem(own, 16);
  const trace = value(await own.trace(ALGORITHM, graph));
  const pi = trace.values.find(({ probe }) => probe.name === "pi")!;
  assert(pi.values instanceof Float64Array);
  const rollout = value(await own.rollout({ ...request(graph), logits: true }));
  const output = rollout.outputs[0]!;
  const last = output.values.slice(-16);
  const right = last.filter((node, place) => node === pi.values[place]).length;
  assert(right >= 15, `${right} of 16`);
  assert.equal(output.logits!.length, rollout.records * 16 * 16);
  assert.equal(rollout.states.length, rollout.records * 16 * rollout.hidden);
  assert.equal(rollout.milliseconds, 1);
});

test("a vector may be a typed array", async () => {
  const own = await engine([shipped(NETWORK)]);
  const interventions = [
    { kind: "add" as const, vector: new Float32Array(128).fill(0.5), steps: [1], nodes: "all" as const },
  ];
  const rollout = value(await own.rollout({ ...request(await problem(own)), interventions }));
  assert(rollout.distance!.total[1]! > 1);
});

test("of the requests that wait in a slot, only the newest is computed", async () => {
  const own = await engine([shipped(NETWORK)]);
  const graph = await problem(own);
  const waiting = { slot: "knob" };
  const results = await Promise.all([1, 2, 3, 4].map(() => own.rollout(request(graph), waiting)));
  assert.deepEqual(
    results.map((it) => it.ok),
    [true, false, false, true],
  );
  assert(!results[1]!.ok && results[1]!.cancelled);
});

test("a corpus reports progress, lets others pass, and can be given up", async () => {
  const own = await engine([shipped(NETWORK)]);
  const graph = await problem(own);
  const order: string[] = [];
  const shares: number[] = [];
  const computing = own.corpus(CORPUS, { onProgress: (share) => shares.push(share) });
  const tracing = own.trace(ALGORITHM, graph).then(() => order.push("trace"));
  const corpus = value(await computing);
  order.push("corpus");
  await tracing;
  assert.deepEqual(order, ["trace", "corpus"]);
  assert.deepEqual(shares, [0.4, 0.8, 1]);
  assert.equal(corpus.points.length, 3 * corpus.sample.length);
  const drawn = value(await own.rollout({ ...request(graph), corpus: corpus.id }));
  assert.equal(drawn.projection!.pooled.length, 3 * drawn.records);

  const abort = new AbortController();
  const given = own.corpus(CORPUS, { signal: abort.signal, onProgress: () => abort.abort() });
  const result = await given;
  assert(!result.ok && result.cancelled);
  assert.match(sentence(await own.corpusProblem(corpus.id + 1, 0)), /freed/);
});

test("a newer corpus of a slot replaces the older one", async () => {
  const own = await engine([shipped(NETWORK)]);
  const [older, newer] = await Promise.all([
    own.corpus(CORPUS, { slot: "latent" }),
    own.corpus({ ...CORPUS, seed: 2 }, { slot: "latent" }),
  ]);
  assert(!older!.ok && older!.cancelled);
  assert(newer!.ok);
});

test("a lost worker fails its request with a sentence and is replaced", async () => {
  // Requests: hello, open, random, rollout.
  const workers = [new Here(4), new Here()];
  const own = await engine([shipped(NETWORK)], { makeWorker: () => workers.shift()! });
  const graph = await problem(own);
  const restarted = new Promise<string>((resolve) => {
    own.onRestart = resolve;
  });
  assert.match(sentence(await own.rollout(request(graph))), /failed and was started again .*out of memory/);
  assert.match(await restarted, /out of memory/);
  assert((await own.rollout(request(graph))).ok);
});

test("a network of the user is added, or refused with a sentence", async () => {
  const own = await engine([]);
  const { config, weights } = shipped(NETWORK);
  assert.equal(value(await own.addNetwork("mine", config, weights)).name, "mine");
  assert.deepEqual(
    own.catalogue.networks.map(({ name }) => name),
    ["mine"],
  );
  assert.match(
    sentence(await own.addNetwork("bad", "processor_type = 'none'", weights)),
    /bad cannot be opened/,
  );
});
