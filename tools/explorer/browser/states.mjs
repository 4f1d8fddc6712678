// The algorithm and the networks at one step, the scrubber, the matrix.

import assert from "node:assert/strict";
import { changes, frame, preset, settle, shown, step } from "./app.mjs";

const FIGURES = "#states figure";

export async function checkStates(page) {
  await preset(page, "paper, appendix E");
  await checkScrubber(page);
  await checkNode(page);
  await checkMatrix(page);
  await checkTwoNetworks(page);
}

async function checkScrubber(page) {
  const slider = page.getByLabel("step", { exact: true });
  await slider.focus();
  await page.keyboard.press("Home");
  await frame(page);
  assert.equal((await step(page)).now, 0);
  const seen = new Set();
  const { last } = await step(page);
  for (let now = 0; now <= last; now += 1) {
    seen.add((await shown(page, FIGURES)) + (await shown(page, `${FIGURES}:nth-child(2)`)));
    await page.keyboard.press("ArrowRight");
    await frame(page);
  }
  assert(seen.size >= last, `expected each of ${last} steps to look different, found ${seen.size}`);
  assert.equal((await step(page)).now, last);
  // From the end, playing starts again and stops at the end.
  await page.getByRole("button", { name: "play" }).click();
  await page.waitForFunction(() => /step [12] /.test(document.querySelector(".scrubber output").textContent));
  await page.getByRole("button", { name: "pause" }).click();
  await page.getByRole("button", { name: "step back" }).click();
  await page.getByRole("button", { name: "step on" }).click();
}

async function checkNode(page) {
  await page.keyboard.press("End");
  await page.locator(`${FIGURES}:nth-child(2) [data-node="4"]`).hover();
  await frame(page);
  const words = await page.locator("#states .detail").textContent();
  assert.match(words, /bellman_ford: node 4: pi_h/);
  assert.match(words, /margin [\d.]+ to \d+/, "expected the margin between the two best candidates");
  await page.locator(`${FIGURES}:nth-child(2) [data-node="6"]`).focus();
  await frame(page);
  assert.match(
    await page.locator("#states .detail").textContent(),
    /node 6/,
    "expected the focus to do what the mouse does",
  );
}

async function checkMatrix(page) {
  await changes(page, "the matrix", FIGURES, () => page.getByRole("button", { name: "matrix" }).click());
  assert((await page.locator(`${FIGURES} rect`).count()) > 20);
  const probes = await page
    .getByLabel("show")
    .locator("option")
    .evaluateAll((all) => all.map(({ value }) => value));
  for (const probe of probes) {
    await page.getByLabel("show").selectOption(probe);
    await settle(page);
    assert.equal(await page.locator(FIGURES).count(), 2, probe);
  }
  await page.getByRole("button", { name: "graph", exact: true }).click();
  await page.getByLabel("show").selectOption(probes[0]);
  await settle(page);
}

async function checkTwoNetworks(page) {
  const names = await page
    .getByLabel("compare with")
    .locator("option")
    .evaluateAll((all) => all.map(({ value }) => value));
  await page.getByLabel("compare with").selectOption(names[2]);
  await settle(page);
  assert.equal(await page.locator(FIGURES).count(), 3);
  assert(await page.locator("#curves .is-dashed").count(), "expected dashed curves of the second network");
  await page.getByLabel("compare with").selectOption("");
  await settle(page);
  assert.equal(await page.locator(FIGURES).count(), 2);
}
