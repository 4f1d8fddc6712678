// Pictures: shown, saved, light and dark.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { frame, openAll } from "./views.mjs";

/** Opens and checks all pictures. Returns their number. */
export async function checkPictures(page) {
  await openAll(page, "details:not(:has(> .space))");
  await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
  await checkSaving(page);
  await checkSchemes(page);
  return page.locator("img.picture").count();
}

async function checkSaving(page) {
  const figures = await page.locator("figure").all();
  // The first is in the page as an address, the last waits in a script element.
  for (const figure of [figures[0], figures.at(-1)]) {
    const name = await figure.getAttribute("data-name");
    const save = async (format) => {
      const download = page.waitForEvent("download");
      await figure.locator(".save").getByText(format, { exact: true }).click();
      const saved = await download;
      assert.equal(saved.suggestedFilename(), `${name}.${format.toLowerCase()}`);
      return readFileSync(await saved.path());
    };
    const svg = (await save("SVG")).toString();
    assert.match(svg, /^<svg|^<\?xml/);
    assert(!/prefers-color-scheme:\s*dark/.test(svg), "expected a saved SVG in light colours only");
    const png = await save("PNG");
    assert.equal(png.toString("latin1", 1, 4), "PNG");
    const natural = await figure.locator("img").evaluate((image) => image.naturalWidth);
    assert(png.readUInt32BE(16) > 3 * natural, "expected PNGs of 300 dots per inch");
    for (const format of ["PDF", "CSV"]) {
      if ((await figure.locator(".save").getByText(format, { exact: true }).count()) > 0) {
        const start = (await save(format)).toString("latin1", 0, 8);
        assert.match(start, format === "PDF" ? /^%PDF-/ : /^network/);
      }
    }
  }
}

/** What is visible on white must be visible on black: as many pixels differ from the page's background. */
async function checkSchemes(page) {
  const visible = async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await frame(page);
    return page.evaluate(async () => {
      const ground = getComputedStyle(document.body).backgroundColor;
      const counts = [];
      for (const { src, naturalWidth: width, naturalHeight: height } of document.querySelectorAll("img.picture")) {
        const image = new Image();
        image.src = src;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.fillStyle = ground;
        context.fillRect(0, 0, 1, 1);
        const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
        context.fillRect(0, 0, width, height);
        context.drawImage(image, 0, 0, width, height);
        const { data } = context.getImageData(0, 0, width, height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          const difference = Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue);
          count += difference > 90;
        }
        counts.push(count);
      }
      return counts;
    });
  };
  const [light, dark] = [await visible("light"), await visible("dark")];
  light.forEach((count, index) => {
    assert(count > 200, `picture ${index + 1} is empty in light colours: ${count} pixels`);
    assert(dark[index] > 0.6 * count, `picture ${index + 1}: ${dark[index]} pixels are visible in the dark, ${count} in the light`);
    assert(dark[index] < 3 * count, `picture ${index + 1} is not drawn for the dark: ${dark[index]} pixels differ from the background`);
  });
  await page.emulateMedia({ colorScheme: null });
}
