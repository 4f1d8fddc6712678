// Views in three dimensions.

import assert from "node:assert/strict";

/** Opens every view, one after another and without closing any, and closes them again. Returns their number. */
export async function checkViews(page) {
  assert.equal(await page.evaluate(() => window.narscope.livingViews()), 0, "views before any was opened");
  const places = await page.locator(".space").all();
  await openAll(page, "details.network");
  assert.equal(await page.evaluate(() => window.narscope.livingViews()), 0, "views before any was opened");
  for (const place of places) {
    await show(page, place);
  }
  assert.equal(await page.evaluate(() => window.narscope.livingViews()), places.length, "views that live when all are open");
  // Those that scrolled away draw again when they come back.
  for (const place of [...places].reverse()) {
    await show(page, place);
  }
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) {
      details.open = false;
    }
  });
  await page.waitForFunction(() => window.narscope.livingViews() === 0);
  assert.equal(await page.locator(".space canvas").count(), 0, "canvases that remain when all views are closed");
  return places.length;
}

/** Everything that a reader can do with a view. */
export async function checkOneView(page) {
  await openAll(page, "details.network");
  const place = page.locator(".space").first();
  const first = await show(page, place);
  const canvas = place.locator("canvas");
  const changes = async (what, act) => {
    const before = await read(place);
    await act();
    await frame(page);
    assert.notEqual((await read(place)).sum, before.sum, `expected ${what} to change the view`);
  };
  const box = await canvas.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await changes("dragging", async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 160, y + 40, { steps: 4 });
    await page.mouse.up();
  });
  await page.mouse.move(0, 0);
  await canvas.focus();
  for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "+", "-"]) {
    await changes(key, () => canvas.press(key));
  }
  const outline = await canvas.evaluate((canvas) => getComputedStyle(canvas).outlineStyle);
  assert.equal(outline, "solid", "expected a visible focus");
  await changes("0", () => canvas.press("0"));
  assert.equal((await read(place)).sum, first.sum, "expected 0 to return to the start");
  await canvas.press("ArrowLeft");
  await place.getByRole("button", { name: "reset the view" }).click();
  await frame(page);
  assert.equal((await read(place)).sum, first.sum, "expected the button to return to the start");

  const [left, top] = await place.evaluate((place) => {
    const { canvas, screen } = window.narscope.viewIn(place);
    const { left, top } = canvas.getBoundingClientRect();
    return [left + screen[0], top + screen[1]];
  });
  await changes("pointing at a trajectory", () => page.mouse.move(left, top));
  assert.match(await place.locator(".space-tip").textContent(), /^graph \d+.*, step \d+/);
  await page.mouse.move(0, 0);

  const boxes = place.locator("input[type=checkbox]");
  assert((await boxes.count()) > 1, "expected boxes for steps or classes, and for lines");
  for (const box of await boxes.all()) {
    await changes("unticking", () => box.uncheck());
  }
  // What remains are the axes: numbers, names and grid.
  const { drawn } = await read(place);
  assert(drawn > 300 && drawn < first.drawn, `expected axes alone, found ${drawn} of ${first.drawn} pixels`);
  await closeAll(page);
}

/** Opens the view of a place, waits until it is drawn, and reads it. */
async function show(page, place) {
  await place.evaluate((place) => {
    place.closest("details").open = true;
    place.scrollIntoView({ block: "center" });
  });
  await place.locator("canvas").waitFor();
  await page.waitForFunction((place) => window.narscope.viewIn(place)?.canvas.width > 0, await place.elementHandle());
  await frame(page);
  const found = await read(place);
  assert(found.drawn > 500, `expected more than 500 drawn pixels, found ${found.drawn}`);
  assert(found.colours > 3, `expected several colours, found ${found.colours}`);
  return found;
}

export async function openAll(page, selector) {
  await page.evaluate((selector) => {
    for (const details of document.querySelectorAll(selector)) {
      details.open = true;
    }
  }, selector);
  await frame(page);
}

async function closeAll(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = false)));
}

/** Waits until the page was drawn. */
export function frame(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Reads a canvas: how many pixels are drawn, in how many colours, and a checksum. */
function read(place) {
  return place.evaluate((place) => {
    const canvas = place.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    let [drawn, sum] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 0) {
        drawn += 1;
        sum = (31 * sum + i + data[i] + 3 * data[i + 1] + 7 * data[i + 2]) % 1000003;
        colours.add((data[i] << 16) + (data[i + 1] << 8) + data[i + 2]);
      }
    }
    return { drawn, sum, colours: colours.size };
  });
}
