// Tests a report in Chromium: node check.mjs REPORT.html [SCREENSHOT.png]
//
// The page must load without console errors and without network requests. Its 3D views must draw, rotate
// when dragged, hide unticked groups and show a tooltip for the point under the pointer. Its pictures must
// follow the colour scheme.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, screenshot] = process.argv.slice(2);
assert(report, "usage: node check.mjs REPORT.html [SCREENSHOT.png]");
const address = pathToFileURL(report).href;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ],
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const errors = [];
  const requests = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("data:")) {
      requests.push(request.url());
    }
  });
  await page.goto(address);

  const count = await page.locator(".space").count();
  assert(count > 0, "expected at least one 3D view in the report");
  await page.locator("details:has(.space)").first().evaluate((details) => (details.open = true));
  const space = page.locator(".space").first();
  const canvas = space.locator("canvas");
  await canvas.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => window.narscopeViews[0].canvas.width > 300);

  // Reads the canvas: the number of drawn pixels and a checksum of the picture.
  const readCanvas = () =>
    page.evaluate(() => {
      const { canvas } = window.narscopeViews[0];
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let drawn = 0;
      let sum = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 0) {
          drawn += 1;
          sum = (31 * sum + i + data[i] + 3 * data[i + 1] + 7 * data[i + 2]) % 1000003;
        }
      }
      return { drawn, sum };
    });

  const first = await readCanvas();
  assert(first.drawn > 500, `expected more than 500 drawn pixels, found ${first.drawn}`);

  const box = await canvas.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 160, y + 40, { steps: 4 });
  await page.mouse.up();
  const rotated = await readCanvas();
  assert.notEqual(rotated.sum, first.sum, "expected dragging to rotate the view");

  // The last point is drawn on top of all others.
  const position = await page.evaluate(() => {
    const view = window.narscopeViews[0];
    const { cloud, members } = view.groups.at(-1);
    const point = cloud.localToWorld(view.camera.position.clone().set(...members.at(-1).place)).project(view.camera);
    const { left, top, width, height } = view.canvas.getBoundingClientRect();
    return [left + ((point.x + 1) / 2) * width, top + ((1 - point.y) / 2) * height];
  });
  await page.mouse.move(...position);
  const tip = space.locator(".space-tip");
  assert(await tip.isVisible(), "expected a tooltip for the point under the pointer");
  assert.match(await tip.textContent(), /^graph \d+.*, step \d+/);

  const boxes = space.locator("input[type=checkbox]");
  assert((await boxes.count()) > 2, "expected checkboxes for steps or classes");
  await boxes.first().uncheck();
  const hidden = await readCanvas();
  assert(hidden.drawn < rotated.drawn, "expected unticked lines to be hidden");

  // Open every view.
  for (const details of await page.locator("details:has(.space)").all()) {
    await details.evaluate((details) => (details.open = true));
  }
  assert.equal(await page.evaluate(() => window.narscopeViews.length), count, "number of views that were created");

  // Every picture must have been decoded.
  const broken = await page.evaluate(
    () => [...document.images].filter((image) => !image.complete || image.naturalWidth === 0).length,
  );
  assert.equal(broken, 0, "pictures that could not be shown");

  // Pictures must follow the colour scheme: red channel of the first pixel of a picture.
  const background = (scheme) =>
    page.emulateMedia({ colorScheme: scheme }).then(() =>
      page.evaluate(async () => {
        const image = new Image();
        image.src = document.querySelector("img.picture").src;
        await image.decode();
        const context = document.createElement("canvas").getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, 1, 1).data[0];
      }),
    );
  assert.equal(await background("light"), 255, "expected white pictures in the light colour scheme");
  const dark = await background("dark");
  assert(dark < 64, `expected dark pictures in the dark colour scheme, found ${dark} of 255`);
  await page.emulateMedia({ colorScheme: null });
  if (screenshot) {
    await page.screenshot({ path: screenshot, fullPage: true });
  }
  assert.deepEqual(errors, [], "console errors");
  assert.deepEqual(requests, [], "network requests");
  process.stdout.write(`${report}: ${count} views draw, rotate and hide; no errors, no requests\n`);
} finally {
  await browser.close();
}
