// What goes wrong is a sentence on the page, and the page goes on.

import assert from "node:assert/strict";
import { notice, open, preset, settle } from "./app.mjs";

export async function checkFailures(browser, target) {
  await checkLostWorker(browser, target);
  await checkOwnNetwork(browser, target);
  await checkNoSimd(browser, target);
  await checkNoWebgl(browser, target);
}

async function checkLostWorker(browser, target) {
  const { page } = await open(browser, target);
  await settle(page);
  const [worker] = page.workers();
  await worker.evaluate(() =>
    setTimeout(() => {
      throw new Error("out of memory");
    }),
  );
  await notice(page).waitFor();
  assert.match(await notice(page).textContent(), /started again/);
  await notice(page).getByRole("button").click();
  await preset(page, "near-tie");
  assert.equal(await page.locator("#states figure").count(), 2, "expected the new worker to answer");
  await page.close();
}

async function checkOwnNetwork(browser, target) {
  const { page, problems } = await open(browser, target);
  await settle(page);
  await page.getByText("your own network…").click();
  const files = page.getByLabel("config.toml and best.safetensors of a run");
  await files.setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") }]);
  await notice(page).waitFor();
  assert.match(await notice(page).textContent(), /two files/);
  await notice(page).getByRole("button").click();
  await files.setInputFiles([
    { name: "config.toml", mimeType: "text/plain", buffer: Buffer.from('processor = "mpnn"') },
    {
      name: "best.safetensors",
      mimeType: "application/octet-stream",
      buffer: Buffer.from("corrupt weights"),
    },
  ]);
  await notice(page).waitFor();
  await preset(page, "near-tie");
  assert.equal(await page.locator("#states figure").count(), 2, "expected the page to go on");
  assert.deepEqual(problems, []);
  await page.close();
}

async function checkNoSimd(browser, target) {
  const { page, problems } = await open(browser, target, undefined, (page) =>
    page.addInitScript(() => {
      WebAssembly.validate = () => false;
    }),
  );
  await notice(page).waitFor();
  assert.match(await notice(page).textContent(), /SIMD/);
  assert.deepEqual(problems, []);
  await page.close();
}

async function checkNoWebgl(browser, target) {
  const { page, problems } = await open(browser, target, undefined, (page) =>
    page.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...others) {
        return kind === "webgl2" ? null : original.call(this, kind, ...others);
      };
    }),
  );
  await settle(page);
  assert.match(await page.locator("#latent").textContent(), /no WebGL/);
  assert.deepEqual(problems, []);
  await page.close();
}
