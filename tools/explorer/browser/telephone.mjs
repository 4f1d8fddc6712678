// The page on a screen of 390 pixels.

import assert from "node:assert/strict";
import { settle } from "./app.mjs";

export async function checkTelephone(page) {
  await settle(page);
  for (const isOpen of [false, true]) {
    await page.evaluate((isOpen) => {
      for (const details of document.querySelectorAll("details")) {
        details.open = isOpen;
      }
    }, isOpen);
    const width = await page.evaluate(() => document.scrollingElement.scrollWidth);
    assert(width <= 390, `the page is ${width} pixels wide`);
  }
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button:not(.save button), select, summary")]
      .filter((element) => element.getClientRects().length > 0 && element.getBoundingClientRect().height < 24)
      .map((element) => element.textContent),
  );
  assert.deepEqual(small, [], "controls that a finger misses");
  await page.locator('#problem [data-node="1"]').tap();
  assert.match(await page.locator("#problem").textContent(), /node 1/);
}
