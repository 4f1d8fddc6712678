// Editing problems, by mouse and by keyboard.

import assert from "node:assert/strict";
import { changes, drag, frame, list, middle, notice, preset, settle, shown } from "./app.mjs";

const NODES = "#problem [data-node]";
const EDGES = "#problem [data-edge]";

export async function checkProblem(page) {
  await checkMouse(page);
  await checkKeys(page);
  await checkPresets(page);
  await checkRandom(page);
  await checkText(page);
}

async function checkMouse(page) {
  await preset(page, "near-tie");
  const node = page.locator('#problem [data-node="1"] circle').last();
  const before = await middle(node);
  await changes(page, "dragging a node", "#states figure svg", async () => drag(page, before, 40, 25));
  const after = await middle(node);
  assert(
    Math.abs(after[0] - before[0] - 40) < 3 && Math.abs(after[1] - before[1] - 25) < 3,
    "the node is under the mouse",
  );

  const edges = await page.locator(EDGES).count();
  await page.locator('#problem [data-node="1"]').click();
  await page.locator('#problem [data-node="3"]').click();
  await settle(page);
  assert.equal(await page.locator(EDGES).count(), edges + 1, "expected a new edge");
  await page.getByRole("button", { name: "undo" }).click();
  await settle(page);
  assert.equal(await page.locator(EDGES).count(), edges, "expected undo to remove the edge");
  await page.getByRole("button", { name: "redo" }).click();
  await settle(page);
  assert.equal(await page.locator(EDGES).count(), edges + 1, "expected redo to bring it back");

  const weight = page.locator("#problem [data-weight]").first();
  const typed = async () => Number(await weight.textContent());
  const old = await typed();
  await changes(page, "dragging a weight", "#states figure svg", async () =>
    drag(page, await middle(weight), 60, 0),
  );
  assert((await typed()) > old, "expected a larger weight");
  await weight.click();
  await page.getByRole("spinbutton", { name: "weight" }).fill("0.77");
  await page.getByRole("spinbutton", { name: "weight" }).press("Enter");
  await settle(page);
  assert.equal(await typed(), 0.77);

  await page.locator('#problem [data-node="4"]').click();
  await changes(page, "another source", "#states figure svg", () =>
    page.getByRole("button", { name: "make it the source" }).click(),
  );
  const nodes = await page.locator(NODES).count();
  await page.getByRole("button", { name: "remove", exact: true }).click();
  await settle(page);
  assert.equal(await page.locator(NODES).count(), nodes - 1);
  const box = await page.locator("#problem svg").boundingBox();
  await page.mouse.dblclick(box.x + box.width - 12, box.y + 12);
  await settle(page);
  assert.equal(await page.locator(NODES).count(), nodes, "expected a double-click to add a node");
}

async function checkKeys(page) {
  await preset(page, "near-tie");
  const node = page.locator('#problem [data-node="2"]');
  await node.focus();
  await changes(page, "an arrow key on a node", "#problem svg", () => page.keyboard.press("ArrowDown"));
  assert(await node.evaluate((element) => element === document.activeElement), "expected the focus to stay");
  const edges = await page.locator(EDGES).count();
  await page.keyboard.press("Enter");
  await page.locator('#problem [data-node="6"]').focus();
  await page.keyboard.press("Enter");
  await settle(page);
  assert.equal(await page.locator(EDGES).count(), edges + 1);
  await page.locator('#problem [data-node="6"]').focus();
  await changes(page, "s on a node", "#states figure svg", () => page.keyboard.press("s"));
  const edge = page.locator('#problem [data-edge="0"]');
  await edge.focus();
  await changes(page, "an arrow key on an edge", "#problem svg", () => page.keyboard.press("ArrowUp"));
  await page.locator('#problem [data-edge="0"]').focus();
  await page.keyboard.press("Delete");
  await settle(page);
  assert.equal(await page.locator(EDGES).count(), edges);
  await page.locator("h1").click();
  await page.keyboard.press("z");
  await settle(page);
  assert.equal(await page.locator(EDGES).count(), edges + 1, "expected z to undo");
}

async function checkPresets(page) {
  const names = await page.getByLabel("preset").locator("option").allTextContents();
  const pictures = new Set();
  for (const name of names.slice(1)) {
    await preset(page, name);
    assert.equal(await notice(page).count(), 0, `${name}: ${await notice(page).allTextContents()}`);
    pictures.add(await shown(page, "#problem svg"));
  }
  assert(pictures.size >= names.length - 2, "expected presets to differ");
}

async function checkRandom(page) {
  await page.getByText("random…").click();
  await page.locator("#problem").getByLabel("size").fill("12");
  await page.locator("#problem").getByLabel("family").selectOption("grid");
  await changes(page, "a random grid", "#problem svg", () =>
    page.getByRole("button", { name: "random", exact: true }).click(),
  );
  assert.equal(await page.locator(NODES).count(), 12);
  await changes(page, "the next seed", "#problem svg", () =>
    page.getByRole("button", { name: "random", exact: true }).click(),
  );
  await page.locator("#problem").getByLabel("family").selectOption("");
  await page.locator("#problem").getByLabel("p", { exact: true }).fill("0.9");
  await changes(page, "a dense graph", "#problem svg", () =>
    page.getByRole("button", { name: "random", exact: true }).click(),
  );
  assert((await page.locator(EDGES).count()) > 30, "expected many edges at p = 0.9");
  await page.getByText("random…").click();
}

async function checkText(page) {
  await page.getByText("paste…").click();
  await page.getByLabel("CSV").fill("a,b,0.5\nb,c,0.25\n<img src=x onerror=alert(1)>,a,1");
  await page.getByRole("button", { name: "use it" }).click();
  await settle(page);
  assert.equal(await page.locator(NODES).count(), 4);
  assert.equal(await page.locator("#page img").count(), 0, "expected names to be text");

  await page.getByLabel("CSV").fill("a,b,heavy");
  await page.getByRole("button", { name: "use it" }).click();
  await notice(page).waitFor();
  assert.match(await notice(page).textContent(), /heavy/);
  const lines = Array.from({ length: 2000 }, (_, from) => `${from},${from + 1},0.5`);
  await drop(page, lines.join("\n"));
  await page.waitForFunction(() => /nodes/.test(document.querySelector(".notice")?.textContent));
  assert.equal(await page.locator(NODES).count(), 4, "expected the graph to stay");
  await page.getByLabel("CSV").fill("0,1,NaN");
  await page.getByRole("button", { name: "use it" }).click();
  await page.waitForFunction(() => /NaN/.test(document.querySelector(".notice")?.textContent));
  await notice(page).getByRole("button").click();
  await page.getByText("paste…").click();

  await drop(page, "0,1,0.4\n1,2,0.4\n2,3,0.4\n3,4,0.4");
  await page.waitForFunction(() => document.querySelectorAll("#problem [data-node]").length === 5);
  await frame(page);
}

/** Drops a file with a text. */
async function drop(page, text) {
  const dataTransfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "graph.csv"));
    return data;
  }, text);
  await page.dispatchEvent("#problem", "drop", { dataTransfer });
}

/** Arrays are bars (the last one grows, for some algorithms want them in order), strings are cells; whichever of these algorithms there is a network for. */
export async function checkOtherKinds(page) {
  const algorithms = list(page, "algorithm");
  const names = await algorithms
    .locator("option")
    .evaluateAll((options) => options.map(({ value }) => value));
  const seen = [];
  for (const name of names) {
    await algorithms.selectOption(name);
    await settle(page);
    assert.equal(await notice(page).count(), 0, `${name}: ${await notice(page).allTextContents()}`);
    const bar = page.locator("#problem input.bar").last();
    const cell = page.locator("#problem input.cell").first();
    if ((await bar.count()) > 0) {
      await changes(page, `${name}: a bar`, "#states figure svg", async () => {
        await bar.focus();
        for (let press = 0; press < 5; press += 1) {
          await page.keyboard.press("ArrowUp");
        }
      });
      seen.push("array");
    } else if ((await cell.count()) > 0) {
      const letter = await cell.inputValue();
      await changes(page, `${name}: a cell`, "#states figure svg", async () => {
        await cell.fill(letter.toLowerCase() === "a" ? letter.replace(/a/i, "b") : letter.replace(/./, "a"));
        await cell.press("Tab");
      });
      seen.push("text");
    }
  }
  await algorithms.selectOption("bellman_ford");
  await settle(page);
  return { algorithms: names.length, kinds: [...new Set(seen)] };
}
