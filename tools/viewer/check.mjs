// Tests reports in Chromium: node check.mjs [--screenshots FOLDER] REPORT.html…
//
// Whatever a page shows must work with all of its views open, on a desktop, on a telephone, in light and dark, from
// a file and without a network.

import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

import { checkPage } from "./browser/page.mjs";
import { checkPictures } from "./browser/pictures.mjs";
import { checkTelephone } from "./browser/telephone.mjs";
import { checkOneView, checkViews } from "./browser/views.mjs";

const MOST_BYTES = 10e6;
const { values, positionals } = parseArgs({
  options: { screenshots: { type: "string" } },
  allowPositionals: true,
});
assert(positionals.length > 0, "usage: node check.mjs [--screenshots FOLDER] REPORT.html…");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
try {
  for (const report of positionals) {
    await check(report);
  }
} finally {
  await browser.close();
}

async function check(report) {
  const bytes = statSync(report).size;
  assert(bytes < MOST_BYTES, `${report} has ${bytes} bytes, more than ${MOST_BYTES}`);
  const { page, problems, loading } = await open(report, { viewport: { width: 1200, height: 900 } });
  await checkPage(page);
  const count = await checkViews(page);
  if (count > 0) {
    await checkOneView(page);
  }
  const pictures = await checkPictures(page);
  await screenshot(page, report, "open");
  await page.close();

  const telephone = await open(report, {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  });
  await screenshot(telephone.page, report, "telephone");
  await checkTelephone(telephone.page);
  await telephone.page.close();

  for (const colorScheme of ["light", "dark"]) {
    const { page } = await open(report, { viewport: { width: 1200, height: 900 }, colorScheme });
    await screenshot(page, report, colorScheme);
    await page.close();
  }
  assert.deepEqual([...problems, ...telephone.problems], [], "console errors and network requests");
  process.stdout.write(
    `${report}: ${(bytes / 1e6).toFixed(1)} MB, interactive after ${loading} ms, ${pictures} pictures, ${count} views\n`,
  );
}

/** Opens a page, and collects what it must not do: errors and requests. */
async function open(report, options) {
  const address = pathToFileURL(report).href;
  const page = await browser.newPage(options);
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const isInside = request.url() === address || /^(data|blob):/.test(request.url());
    if (!isInside) {
      problems.push(`request of ${request.url()}`);
    }
  });
  await page.goto(address);
  const loading = await page.evaluate(() =>
    Math.round(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd),
  );
  return { page, problems, loading };
}

async function screenshot(page, report, name) {
  if (values.screenshots) {
    mkdirSync(values.screenshots, { recursive: true });
    const path = join(values.screenshots, `${basename(report, ".html")}-${name}.png`);
    await page.screenshot({ path, fullPage: true });
  }
}
