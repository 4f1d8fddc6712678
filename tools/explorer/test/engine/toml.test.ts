// Configurations of runs are read as they are written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readToml } from "../../src/engine/toml.ts";
import { shipped } from "./parts.ts";

test("a run's configuration is read", () => {
  const read = readToml(shipped("linear_pgn-42").config);
  assert(read.ok);
  const { algorithms, train_lengths, learning_rate, use_ln, processor_type, length_needle } = read.value;
  assert.deepEqual(algorithms, ["bellman_ford"]);
  assert.deepEqual(train_lengths, [4, 7, 11, 13, 16]);
  assert.equal(learning_rate, 0.001);
  assert.equal(use_ln, true);
  assert.equal(processor_type, "linear_pgn");
  assert.equal(length_needle, -8);
});

test("comments, several lines, both quotes and empty lists are read", () => {
  const text = `# a run
algorithms = [ # two
  "bfs", 'dfs',
]
freeze = []
init_from = "a # b \\"c\\"" # where from
train_steps = 10_000
`;
  assert.deepEqual(readToml(text), {
    ok: true,
    value: {
      algorithms: ["bfs", "dfs"],
      freeze: [],
      init_from: 'a # b "c"',
      train_steps: 10000,
    },
  });
});

test("anything else is an error with its line", () => {
  for (const line of ["[table]", "a = {b = 1}", "a = [1, 2", "a = 1 2", "a =", "a = b", 'a = "x']) {
    const read = readToml(`seed = 1\n${line}`);
    assert(!read.ok, line);
    assert.match(read.error, /in line 2: /);
  }
});
