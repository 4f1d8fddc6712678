// What concerns the whole page: links, saving, keys, the tour, names for those who do not see it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { changes, frame, notice, open, preset, settle, shown, step } from "./app.mjs";

export async function checkLink(browser, page) {
  await preset(page, "near-tie");
  await page.getByRole("button", { name: "matrix" }).click();
  await page.getByRole("slider", { name: "decay" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "step on" }).click();
  await settle(page);
  await page.waitForTimeout(500);
  const views = [
    "#problem svg",
    "#states .pictures",
    "#curves .charts",
    "#latent .overlay",
    ".scrubber output",
  ];
  const wanted = await Promise.all(views.map((view) => shown(page, view)));
  const again = await open(browser, page.url());
  await settle(again.page);
  for (const [index, view] of views.entries()) {
    assert.equal(await shown(again.page, view), wanted[index], `expected the link to reproduce ${view}`);
  }
  assert.deepEqual(again.problems, []);
  await again.page.close();
  const damaged = await open(browser, `${again.address.split("#")[0]}#damaged`);
  await settle(damaged.page);
  assert.deepEqual(damaged.problems, []);
  await damaged.page.close();
  await page.getByRole("button", { name: "graph", exact: true }).click();
  await page.locator("#knobs").getByRole("button", { name: "as trained" }).click();
  await settle(page);
}

export async function checkSaving(page) {
  for (const button of await page.locator(".save button").all()) {
    const label = await button.getAttribute("aria-label");
    const download = page.waitForEvent("download");
    await button.click();
    const saved = await download;
    const bytes = readFileSync(await saved.path());
    if (label.endsWith("SVG")) {
      const text = bytes.toString();
      assert.match(text, /^<svg/, label);
      assert(!text.includes("var(--"), `${label}: expected colours instead of variables`);
    } else {
      assert.equal(bytes.toString("latin1", 1, 4), "PNG", label);
      assert(bytes.length > 2000, `${label} is empty: ${bytes.length} bytes`);
    }
  }
}

export async function checkKeys(page) {
  await preset(page, "paper, appendix E");
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await frame(page);
  const { now, last } = await step(page);
  assert.equal(now, last);
  await page.keyboard.press("ArrowLeft");
  await frame(page);
  assert.equal((await step(page)).now, last - 1);
  await changes(page, "m", "#states .pictures", () => page.keyboard.press("m"));
  await page.keyboard.press("m");
  await page.keyboard.press("d");
  await frame(page);
  assert.equal(await page.getByRole("button", { name: "3-D" }).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("d");
  await page.keyboard.press("?");
  assert(await page.getByRole("dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
}

export async function checkTour(page) {
  await page.getByRole("button", { name: "guided tour" }).click();
  const titles = [];
  for (;;) {
    await settle(page);
    titles.push(await page.locator(".tour h2").textContent());
    assert.equal(await notice(page).count(), 0, `${titles.at(-1)}: ${await notice(page).allTextContents()}`);
    const next = page.locator(".tour .primary");
    const isLast = (await next.textContent()) === "finish";
    const title = titles.at(-1);
    await next.click();
    if (isLast) {
      break;
    }
    await page.waitForFunction((old) => document.querySelector(".tour h2").textContent !== old, title);
  }
  assert.equal(titles.length, 6);
  assert(await page.locator(".tour").isHidden());
}

/** Every control has a name, and the Tab key reaches every part. */
export async function checkAccess(page) {
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, textarea, svg[role], canvas")]
      .filter((element) => element.getClientRects().length > 0)
      .filter(
        (element) =>
          !(
            element.getAttribute("aria-label") ||
            element.labels?.[0]?.textContent.trim() ||
            element.textContent.trim()
          ),
      )
      .map((element) => element.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, [], "controls without a name");
  await page.locator("h1").click();
  const reached = new Set();
  for (let press = 0; press < 220; press += 1) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(
        () =>
          document.activeElement.closest(".panel, .scrubber, .top")?.className.split(" ")[0] +
          (document.activeElement.closest(".panel")?.id ?? ""),
      ),
    );
  }
  for (const part of [
    "top",
    "panelproblem",
    "panelstates",
    "panellatent",
    "panelpushes",
    "panelknobs",
    "panelcurves",
    "scrubber",
  ]) {
    assert(reached.has(part), `expected the Tab key to reach ${part}; it reached ${[...reached].join(", ")}`);
  }
}
