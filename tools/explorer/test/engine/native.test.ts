// The module predicts what the same code predicts natively: crates/narscope-web/tests/fixtures.rs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Predicted, RolloutRequest } from "../../src/engine/types.ts";
import { engine, memoryOf } from "./parts.ts";

const FIXTURES = "test/engine/fixtures";
const TOLERANCE = 1e-5;

interface Expected {
  probe: string;
  kind: string;
  values: (number | null)[];
}

interface Case {
  request: RolloutRequest;
  records: number;
  hints: Expected[];
  outputs: Expected[];
  lastStates: number[];
}

/** Choices are equal, numbers up to rounding; null stands for NaN. */
function assertAgree(
  found: ArrayLike<number>,
  expected: (number | null)[],
  kind: string,
  where: string,
): void {
  assert.equal(found.length, expected.length, where);
  const tolerance = kind === "scalar" ? TOLERANCE : 0;
  expected.forEach((value, place) => {
    const own = found[place]!;
    const agrees = value === null ? Number.isNaN(own) : Math.abs(own - value) <= tolerance;
    assert(agrees, `${where} at ${place}: expected ${value}, found ${own}`);
  });
}

for (const processor of ["linear_pgn", "mpnn", "triplet_gmpnn"]) {
  test(`${processor} predicts as natively, for ten algorithms`, async () => {
    const { config, cases } = JSON.parse(readFileSync(`${FIXTURES}/${processor}.json`, "utf8")) as {
      config: string;
      cases: Case[];
    };
    const weights = memoryOf(`${FIXTURES}/${processor}.safetensors`);
    const { rollout } = await engine([{ name: processor, config, test: null, weights }]).then((it) => ({
      rollout: it.rollout.bind(it),
    }));
    assert.equal(cases.length, 10);
    for (const { request, records, hints, outputs, lastStates } of cases) {
      const answer = await rollout(request);
      assert(answer.ok, answer.ok ? "" : answer.error);
      const { value } = answer;
      assert.equal(value.records, records);
      const compare = (found: Predicted[], expected: Expected[]) =>
        expected.forEach(({ probe, kind, values }, index) => {
          assert.equal(found[index]!.probe.name, probe);
          assertAgree(found[index]!.values, values, kind, `${request.algorithm} ${probe}`);
        });
      compare(value.hints, hints);
      compare(value.outputs, outputs);
      assertAgree(
        value.states.slice(-lastStates.length),
        lastStates,
        "scalar",
        `${request.algorithm} states`,
      );
    }
  });
}
