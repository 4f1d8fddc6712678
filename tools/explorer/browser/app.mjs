// Opens the explorer and reads what it shows.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

export const DESKTOP = { viewport: { width: 1400, height: 900 } };
export const TELEPHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

/** The explorer at an address or in a file, and what it must not do: errors, requests elsewhere. */
export async function open(browser, target, options = DESKTOP, before = async () => {}) {
  const address = /^(https?|file):/.test(target) ? target : pathToFileURL(target).href;
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error.stack)));
  page.on("request", (request) => {
    const url = request.url();
    const isOwn = url.startsWith("http")
      ? new URL(url).origin === new URL(address).origin
      : url.split("#")[0] === address.split("#")[0];
    if (!isOwn && !/^(data|blob):/.test(url)) {
      problems.push(`request of ${url}`);
    }
  });
  await before(page);
  await page.goto(address);
  return { page, problems, address };
}

/** Waits until everything on the page belongs to the settings, the stored graphs too. */
export async function settle(page) {
  await frame(page);
  await page.waitForFunction(() => document.querySelector("main[aria-busy=false] #states svg"), null, {
    timeout: 60_000,
  });
  await page.waitForFunction(
    () => !/^Running/.test(document.querySelector("#latent .detail").textContent),
    null,
    {
      timeout: 120_000,
    },
  );
  await page.waitForFunction(() => document.querySelector("main[aria-busy=false]"), null, {
    timeout: 60_000,
  });
  await frame(page);
}

/** Two frames: one that asks for drawing and one that draws. */
export async function frame(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** What a part of the page shows, as markup. */
export function shown(page, selector) {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => element.outerHTML);
}

/** Checks that an act changes what a part of the page shows. */
export async function changes(page, what, selector, act) {
  const before = await shown(page, selector);
  await act();
  await settle(page);
  assert((await shown(page, selector)) !== before, `expected ${what} to change ${selector}`);
}

/** The step of the scrubber, and the last one. */
export async function step(page) {
  const words = await page.locator(".scrubber output").textContent();
  const [, now, last] = /step (\d+) of (\d+)/.exec(words);
  return { now: Number(now), last: Number(last) };
}

/** Shows a preset. */
export async function preset(page, name) {
  await page.getByLabel("preset").selectOption(name);
  await settle(page);
}

/** A list to choose from. */
export function list(page, name) {
  return page.getByRole("combobox", { name, exact: true });
}

/** The middle of an element. */
export async function middle(locator) {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Drags from one place by some pixels. */
export async function drag(page, [x, y], dx, dy) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 3 });
  await page.mouse.move(x + dx, y + dy, { steps: 3 });
  await page.mouse.up();
}

export function notice(page) {
  return page.locator(".notice:not([hidden])");
}
