// The text of a page: contents, links, words.

import assert from "node:assert/strict";

export async function checkPage(page) {
  const { twice, dead } = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    const links = [...document.querySelectorAll("a[href^='#']")].map((link) => link.getAttribute("href").slice(1));
    return {
      twice: ids.filter((id, index) => ids.indexOf(id) !== index),
      dead: links.filter((id) => !ids.includes(id)),
    };
  });
  assert.deepEqual(twice, [], "ids that two elements have");
  assert.deepEqual(dead, [], "links to nowhere");

  const text = await page.evaluate(() => {
    const copy = document.body.cloneNode(true);
    copy.querySelectorAll("script, pre").forEach((other) => other.remove());
    return copy.textContent;
  });
  assert(!text.includes("`"), "expected no raw backticks");

  const empty = await page.evaluate(() =>
    [...document.querySelectorAll("table")].flatMap((table) =>
      [...table.tHead.rows[0].cells]
        .filter((_, column) => [...table.tBodies[0].rows].every((row) => row.cells[column].textContent === ""))
        .map((cell) => cell.textContent),
    ),
  );
  assert.deepEqual(empty, [], "columns without a text");

  const figures = await page.evaluate(() =>
    [...document.querySelectorAll("figcaption b:first-child")].map((caption) => caption.textContent.split(".")[0]),
  );
  for (const [prefix, pattern] of [["Figure ", /^Figure \d/], ["Figure S", /^Figure S\d/]]) {
    const numbers = figures.filter((figure) => pattern.test(figure));
    assert.deepEqual(numbers, numbers.map((_, index) => `${prefix}${index + 1}`), "numbers of figures");
  }

  // The bar of contents stays, and marks what is being read.
  const last = page.locator("main > section").last();
  await last.evaluate((section) => section.scrollIntoView());
  await page.waitForFunction(
    () => document.querySelector(".contents [aria-current]").hash === `#${[...document.querySelectorAll("main > section")].at(-1).id}`,
  );
  const bar = await page.locator(".contents").boundingBox();
  assert.equal(Math.round(bar.y), 0, "expected the contents at the top of the window");
  await page.evaluate(() => scrollTo(0, 0));
}
