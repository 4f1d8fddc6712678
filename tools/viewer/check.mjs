// Opens a report in a real browser and uses it: node check.mjs REPORT.html [SCREENSHOT.png]
//
// It must load without a console error and without a request, draw in three dimensions, turn when it
// is dragged, hide what is unticked, name a point that the pointer is over, and be dark where screens are.

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
  assert(count > 0, "the report has something in three dimensions");
  await page.locator("details:has(.space)").first().evaluate((details) => (details.open = true));
  const space = page.locator(".space").first();
  const canvas = space.locator("canvas");
  await canvas.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => window.narscopeViews[0].canvas.width > 300);

  // What is drawn: how many pixels are not empty, and a sum that changes with the picture.
  const look = () =>
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

  const first = await look();
  assert(first.drawn > 500, `something is drawn, found ${first.drawn} pixels`);

  const box = await canvas.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 160, y + 40, { steps: 4 });
  await page.mouse.up();
  const turned = await look();
  assert.notEqual(turned.sum, first.sum, "dragging turns the picture");

  // The last point that was added is drawn over all others.
  const place = await page.evaluate(() => {
    const view = window.narscopeViews[0];
    const { cloud, members } = view.groups.at(-1);
    const point = cloud.localToWorld(view.camera.position.clone().set(...members.at(-1).place)).project(view.camera);
    const { left, top, width, height } = view.canvas.getBoundingClientRect();
    return [left + ((point.x + 1) / 2) * width, top + ((1 - point.y) / 2) * height];
  });
  await page.mouse.move(...place);
  const tip = space.locator(".space-tip");
  assert(await tip.isVisible(), "a point under the pointer has a name");
  assert.match(await tip.textContent(), /^graph \d+.*, step \d+/);

  const boxes = space.locator("input[type=checkbox]");
  assert((await boxes.count()) > 2, "there are steps or classes to hide");
  await boxes.first().uncheck();
  const hidden = await look();
  assert(hidden.drawn < turned.drawn, "unticked lines are not drawn");

  // Every view opens.
  for (const details of await page.locator("details:has(.space)").all()) {
    await details.evaluate((details) => (details.open = true));
  }
  assert.equal(await page.evaluate(() => window.narscopeViews.length), count, "all views are there");

  // Every picture has been decoded.
  const broken = await page.evaluate(
    () => [...document.images].filter((image) => !image.complete || image.naturalWidth === 0).length,
  );
  assert.equal(broken, 0, "pictures that could not be shown");

  // Pictures are as light or dark as the reader's screen: the red of their first pixel.
  const ground = (scheme) =>
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
  assert.equal(await ground("light"), 255, "pictures are white by day");
  const night = await ground("dark");
  assert(night < 64, `pictures are dark by night, found ${night} of 255`);
  await page.emulateMedia({ colorScheme: null });
  if (screenshot) {
    await page.screenshot({ path: screenshot, fullPage: true });
  }
  assert.deepEqual(errors, [], "console errors");
  assert.deepEqual(requests, [], "requests");
  process.stdout.write(`${report}: ${count} views draw, turn and hide; no error, no request\n`);
} finally {
  await browser.close();
}
