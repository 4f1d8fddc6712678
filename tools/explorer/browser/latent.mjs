// The latent space, pushes, knobs and curves.

import assert from "node:assert/strict";
import { changes, drag, frame, list, middle, preset, settle, step } from "./app.mjs";

export async function checkLatent(page) {
  await preset(page, "paper, appendix E");
  await checkTurning(page);
  await checkLinks(page);
  await checkOrbits(page);
  await checkDragging(page);
}

/** The pixels of the stored states, as a number. */
async function pixels(page) {
  await frame(page);
  const bytes = await page.locator("#latent canvas").screenshot();
  return bytes.toString("base64");
}

async function checkTurning(page) {
  const canvas = page.locator("#latent canvas");
  const flat = await pixels(page);
  await page.getByRole("button", { name: "3-D" }).click();
  const start = await pixels(page);
  assert(start !== flat, "expected three dimensions to look different");
  await drag(page, [...(await corner(canvas))], 90, 30);
  const turned = await pixels(page);
  assert(turned !== start, "expected dragging to turn");
  await canvas.focus();
  await page.keyboard.press("ArrowLeft");
  assert((await pixels(page)) !== turned, "expected an arrow key to turn");
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "2-D" }).click();
  await page.getByRole("button", { name: "zoom in" }).click();
  await page.getByRole("button", { name: "reset the view" }).click();
  await page.mouse.move(0, 0);
  await list(page, "colour").selectOption("score");
  assert((await pixels(page)) !== flat, "expected other colours");
  await list(page, "colour").selectOption("step");
}

async function corner(canvas) {
  const box = await canvas.boundingBox();
  return [box.x + box.width - 40, box.y + 40];
}

/** Stored states lead to their graphs, and steps to stored states. */
async function checkLinks(page) {
  const before = await page.locator("#problem svg").evaluate((svg) => svg.outerHTML);
  const box = await page.locator("#latent canvas").boundingBox();
  let found = null;
  for (let row = 1; row < 20 && !found; row += 1) {
    for (let column = 1; column < 30 && !found; column += 1) {
      const at = [box.x + (column * box.width) / 30, box.y + (row * box.height) / 20];
      await page.mouse.move(...at);
      await frame(page);
      const words = await page.locator("#latent .detail").textContent();
      found = /^graph/.test(words) ? { at, words } : null;
    }
  }
  assert(found, "expected stored states under the mouse");
  assert.match(found.words, /^graph \d+, step \d+, \d+ % right/);
  await page.mouse.click(...found.at);
  await settle(page);
  const after = await page.locator("#problem svg").evaluate((svg) => svg.outerHTML);
  assert(after !== before, "expected the stored graph");
  const [, wanted] = /step (\d+)/.exec(found.words);
  assert.equal((await step(page)).now, Number(wanted), "expected its step");
  await preset(page, "near-tie");
  await page.keyboard.press("End");
  await changes(page, "the nearest stored graph", "#problem svg", () =>
    page.getByRole("button", { name: "nearest stored graph" }).click(),
  );
}

async function checkOrbits(page) {
  await list(page, "states").selectOption("nodes");
  await settle(page);
  const words = await page.locator("#latent canvas").getAttribute("aria-label");
  assert.match(words, /^\d+ states of \d+ graphs/);
  await list(page, "states").selectOption("pooled");
  await settle(page);
  for (const name of ["orbit: scaling", "orbit: reweighting"]) {
    await preset(page, name);
    assert.match(await page.locator("#latent canvas").getAttribute("aria-label"), /orbits of \d graph/);
  }
  assert.equal(await list(page, "colour").inputValue(), "cluster");
  await page.getByLabel("what").selectOption("cluster");
  await page.getByRole("button", { name: "push", exact: true }).click();
  await settle(page);
  assert.match(await page.locator(".pushes").textContent(), /along an orbit's direction/);
  await page.getByRole("button", { name: "take back" }).click();
  await settle(page);
}

/** Dragging the live state pushes the network; the undisturbed run stays visible. */
async function checkDragging(page) {
  await preset(page, "paper, appendix E");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await frame(page);
  await drag(page, await middle(page.locator("#latent .live-now")), 40, -30);
  await settle(page);
  assert.match(await page.locator(".pushes").textContent(), /all nodes: moved by .* at step 2/);
  assert.match(await page.locator("#curves").textContent(), /distance to undisturbed/);
  assert.equal(await page.locator("#latent polyline[stroke-dasharray]").count(), 1);
  await page.keyboard.press("x");
  await settle(page);
  assert.equal(await page.locator(".pushes li").count(), 0);
}

export async function checkPushes(page) {
  await preset(page, "paper, appendix E");
  for (const [what, when, where] of [
    ["noise", "all", "all"],
    ["zero", "one", "3"],
    ["pc 1", "one", "all"],
  ]) {
    await page.getByLabel("what").selectOption(what);
    await page.getByLabel("when").selectOption(when);
    await page.getByLabel("where").selectOption(where);
    await changes(page, `the push “${what}”`, "#curves .charts", () =>
      page.getByRole("button", { name: "push", exact: true }).click(),
    );
  }
  assert.equal(await page.locator(".pushes li").count(), 3);
  await page.locator("h1").click();
  await page.keyboard.press("x");
  await settle(page);
}

export async function checkKnobs(page) {
  await preset(page, "paper, appendix E");
  const turn = async (name, key, presses) => {
    await page.getByRole("slider", { name }).focus();
    for (let press = 0; press < presses; press += 1) {
      await page.keyboard.press(key);
    }
  };
  const { last } = await step(page);
  await changes(page, "steps beyond the end", "#curves .charts", () =>
    turn("steps beyond the end", "ArrowRight", 6),
  );
  assert.equal((await step(page)).last, last + 6);
  await changes(page, "the temperature", "#curves .charts", () => turn("temperature", "End", 1));
  assert.equal(await list(page, "aggregator").inputValue(), "softmax");
  await changes(page, "decay", "#curves .charts", () => turn("decay", "ArrowLeft", 10));
  await changes(page, "the threshold", "#curves .detail", () => turn("at rest below", "End", 1));
  await changes(page, "another aggregator", "#curves .charts", () =>
    list(page, "aggregator").selectOption("mean"),
  );
  const legend = await page.locator("#curves .legend").allTextContents();
  assert(
    legend.some((text) => /greedy/.test(text)),
    "expected the agreement with the faulty variants",
  );
  await page.locator("#knobs").getByRole("button", { name: "as trained" }).click();
  await settle(page);
  assert.equal((await step(page)).last, last);
}
