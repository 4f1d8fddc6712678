// Bundles the page and the worker: node build.mjs [FOLDER]. The same sources always give the same bytes.
// The engine itself (engine.wasm) comes from `cargo xtask explorer`.

import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const folder = process.argv[2] ?? "../../crates/narscope/explorer";
const common = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning" };
const script = { ...common, format: "iife", target: "es2022" };

await mkdir(folder, { recursive: true });
await Promise.all([
  build({ ...script, entryPoints: ["src/main.ts"], outfile: join(folder, "page.js") }),
  build({ ...script, entryPoints: ["src/engine/worker.ts"], outfile: join(folder, "worker.js") }),
  build({ ...common, entryPoints: ["src/page.css"], outfile: join(folder, "page.css") }),
  copyFile("index.html", join(folder, "index.html")),
]);
