// Times the rollouts of requests: speed.mjs ROUNDS MODULE WEIGHTS REQUESTS. Prints milliseconds, the best of
// all rounds, as JSON.

import { readFileSync } from "node:fs";
import { decode, encode } from "../../src/engine/frame.ts";
import { Module } from "../../src/engine/module.ts";
import { readToml } from "../../src/engine/toml.ts";

const [rounds, wasm, weights, requests] = process.argv.slice(2);
const { config, measured } = JSON.parse(readFileSync(requests!, "utf8")) as {
  config: string;
  measured: { request: object }[];
};
const module = await Module.of(readFileSync(wasm!));
const read = readToml(config);
if (!read.ok) {
  throw new Error(read.error);
}
module.answer(encode({ ask: "open", name: "net", config: read.value }, readFileSync(weights!)));
const times = measured.map(({ request }) => {
  let best = Number.POSITIVE_INFINITY;
  // The first round compiles.
  for (let round = 0; round <= Number(rounds); round++) {
    const start = performance.now();
    decode(module.answer(encode(request)));
    best = Math.min(best, performance.now() - start);
  }
  return best;
});
process.stdout.write(JSON.stringify(times));
