// The page on a screen of 390 pixels.

import assert from "node:assert/strict";

import { openAll } from "./views.mjs";

/** Figures must not be smaller than in print. */
const SMALLEST = 0.99;

export async function checkTelephone(page) {
  for (const selector of ["nothing", "details:not(:has(> .space))", "details"]) {
    await openAll(page, selector);
    const { width, screen } = await page.evaluate(() => ({
      width: document.scrollingElement.scrollWidth,
      screen: innerWidth,
    }));
    assert(width <= 390 && screen <= 390, `the page is ${width} pixels wide, the window ${screen}`);
  }
  const outside = await page.evaluate(() =>
    [...document.querySelectorAll("td.verdict")].filter((cell) => {
      const { left, right, width } = cell.getBoundingClientRect();
      return cell.textContent !== "" && (width === 0 || left < 0 || right > innerWidth);
    }).length,
  );
  assert.equal(outside, 0, "verdicts outside of the screen");
  const small = await page.evaluate(
    (smallest) =>
      [...document.querySelectorAll("img.picture")]
        .filter((image) => image.getBoundingClientRect().width < smallest * image.naturalWidth)
        .map((image) => image.alt),
    SMALLEST,
  );
  assert.deepEqual(small, [], "pictures smaller than in print");
}
