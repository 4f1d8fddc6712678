// Measures how smoothly 10,000 stored trajectories turn: node browser/frames.mjs ADDRESS. Prints frames per second.

import { chromium } from "playwright-core";
import { DESKTOP, drag, open, settle } from "./app.mjs";

const [target] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"],
});
const { page } = await open(browser, target, DESKTOP);
await settle(page);
await page.getByText("stored graphs…").click();
await page.locator("#latent").getByLabel("graphs", { exact: true }).fill("10000");
await page.locator("#latent").getByLabel("graphs", { exact: true }).press("Enter");
await page.waitForFunction(
  () => /of 10000 graphs/.test(document.querySelector("#latent .detail").textContent),
  null,
  {
    timeout: 3_600_000,
  },
);
const states = await page.locator("#latent canvas").getAttribute("aria-label");
await page.getByRole("button", { name: "3-D" }).click();
await page.locator("#latent").evaluate((panel) => panel.scrollIntoView());
await page.evaluate(() => {
  window.frames_ = [];
  const tick = (now) => {
    window.frames_.push(now);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
});
const box = await page.locator("#latent canvas").boundingBox();
for (let round = 0; round < 10; round += 1) {
  await drag(page, [box.x + box.width - 60, box.y + 60], round % 2 ? 150 : -150, 40);
}
const times = await page.evaluate(() => window.frames_);
const gaps = times.slice(1).map((time, index) => time - times[index]);
gaps.sort((a, b) => a - b);
const rate = (1000 * gaps.length) / (times.at(-1) - times[0]);
process.stdout.write(
  `${states} ${rate.toFixed(0)} frames per second while turning; slowest of 20: ${gaps[Math.floor(0.95 * gaps.length)].toFixed(0)} ms\n`,
);
await browser.close();
