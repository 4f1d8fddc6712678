// Runs the tests of the engine in node: node test/engine/run.mjs
// Or times rollouts: node test/engine/run.mjs --speed ROUNDS MODULE WEIGHTS REQUESTS

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const HERE = "test/engine";
const OUT = "dist/engine";

async function bundle(entryPoints) {
  await build({
    entryPoints,
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
}

const [flag, ...words] = process.argv.slice(2);
if (flag === "--speed") {
  await bundle([`${HERE}/speed.ts`]);
  process.exitCode = spawnSync("node", [`${OUT}/speed.mjs`, ...words], { stdio: "inherit" }).status ?? 1;
} else {
  const tests = readdirSync(HERE).filter((name) => name.endsWith(".test.ts"));
  await bundle(tests.map((name) => `${HERE}/${name}`));
  const bundled = tests.map((name) => `${OUT}/${name.replace(/ts$/, "mjs")}`);
  process.exitCode = spawnSync("node", ["--test", ...bundled], { stdio: "inherit" }).status ?? 1;
}
