// Tests the explorer in Chromium: node browser/check.mjs [--screenshots FOLDER] [--only NAME] ADDRESS|FILE.html…
//
// Give it the address that `narscope explore` prints, or a file of `narscope explore --export`. Everything that a
// reader can do is done by real clicks and keys.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { DESKTOP, open, settle, TELEPHONE } from "./app.mjs";
import { checkFailures } from "./failures.mjs";
import { checkKnobs, checkLatent, checkPushes } from "./latent.mjs";
import { checkOtherKinds, checkProblem } from "./problem.mjs";
import { checkStates } from "./states.mjs";
import { checkTelephone } from "./telephone.mjs";
import { checkAccess, checkKeys, checkLink, checkSaving, checkTour } from "./whole.mjs";

const { values, positionals } = parseArgs({
  options: { screenshots: { type: "string" }, only: { type: "string" } },
  allowPositionals: true,
});
assert(
  positionals.length > 0,
  "usage: node browser/check.mjs [--screenshots FOLDER] [--only NAME] ADDRESS|FILE.html…",
);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
  ],
});
try {
  for (const target of positionals) {
    await check(target);
  }
} finally {
  await browser.close();
}

async function check(target) {
  const checks = {
    problem: checkProblem,
    states: checkStates,
    latent: checkLatent,
    pushes: checkPushes,
    knobs: checkKnobs,
    link: (page) => checkLink(browser, page),
    saving: checkSaving,
    keys: checkKeys,
    access: checkAccess,
    tour: checkTour,
    kinds: checkOtherKinds,
    telephone: checkTelephone,
  };
  for (const [name, run] of Object.entries(checks)) {
    if (values.only === undefined || values.only === name) {
      const { page, problems } = await open(browser, target, name === "telephone" ? TELEPHONE : DESKTOP);
      await settle(page);
      report(target, name, await run(page));
      assert.deepEqual(problems, [], "console errors and requests elsewhere");
      await page.context().close();
    }
  }
  if (values.only === undefined || values.only === "failures") {
    report(target, "failures", await checkFailures(browser, target));
  }
  if (values.screenshots) {
    await screenshots(target);
  }
}

function report(target, name, found) {
  process.stdout.write(`${target}: ${name} ${found ? JSON.stringify(found) : "ok"}\n`);
}

async function screenshots(target) {
  mkdirSync(values.screenshots, { recursive: true });
  for (const [screen, options] of Object.entries({ desktop: DESKTOP, telephone: TELEPHONE })) {
    for (const colorScheme of ["light", "dark"]) {
      const { page } = await open(browser, target, { ...options, colorScheme });
      await settle(page);
      // As high as the page, so that the scrubber at the bottom covers nothing.
      const height = await page.evaluate(() => document.scrollingElement.scrollHeight);
      await page.setViewportSize({ width: options.viewport.width, height });
      await settle(page);
      await page.screenshot({ path: join(values.screenshots, `${screen}-${colorScheme}.png`) });
      await page.close();
    }
  }
}
