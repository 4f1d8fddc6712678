// Where problems come from, besides the reader's hand: samples, presets, pasted text, dropped files.

import { button, html } from "../draw/element.ts";
import type { Problem, RandomOptions } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import { placesOf } from "../problem/layout.ts";
import { presets } from "../problem/presets.ts";
import { type Draft, size } from "../problem/problem.ts";
import { change } from "../state/history.ts";
import { END } from "../state/settings.ts";
import { onFrame } from "../state/store.ts";
import { choice, field, setOptions } from "./panel.ts";

/** Larger files than this are no problems for a page. */
const MOST_BYTES = 2_000_000;

/** The controls. Files can be dropped on `target`. */
export function sourcesOfProblems(session: Session, target: HTMLElement): HTMLElement[] {
  listenToDrops(session, target);
  return [presetControl(session), randomControls(session), pasteControls(session)];
}

/** Shows a problem. */
export function show({ settings, answers }: Session, draft: Draft): void {
  answers.set({ notice: "" });
  settings.set({ draft: change(settings.get().draft, draft), position: END, node: -1 });
}

async function showAnswer(session: Session, asked: Promise<Problem | null>): Promise<void> {
  const problem = await asked;
  if (problem) {
    show(session, { problem, places: placesOf(problem) });
  }
}

/** Samples a problem and shows it. */
export function showSample(session: Session, options: RandomOptions): Promise<void> {
  const { algorithm } = session.settings.get();
  return showAnswer(session, session.problem(session.engine.random(algorithm, options)));
}

/** Shows a preset, with the stored trajectories that belong to it. */
export async function showPreset(session: Session, name: string): Promise<void> {
  const found = presets().find((preset) => preset.name === name);
  if (!found) {
    return;
  }
  const { settings } = session;
  if (found.stored) {
    const colour = found.stored.family === "reweight" ? "cluster" : settings.get().colour;
    settings.set({ stored: { ...settings.get().stored, ...found.stored }, colour });
  }
  if ("problem" in found.problem) {
    show(session, found.problem);
  } else {
    await showSample(session, found.problem);
  }
}

function presetControl(session: Session): HTMLElement {
  const list = choice([["", "choose…"], ...presets().map(({ name }) => [name, name] as const)], (name) => {
    void showPreset(session, name);
    list.value = "";
  });
  for (const option of list.options) {
    option.title = presets().find(({ name }) => name === option.value)?.summary ?? "";
  }
  const shown = field("preset", list);
  onFrame(session.settings, ["draft"], ({ draft }) => {
    shown.hidden = draft.now.problem.kind !== "graph";
  });
  return shown;
}

function randomControls(session: Session): HTMLElement {
  const { settings, engine } = session;
  const number = (value: number | string, attributes: Record<string, number | string>) => {
    const input = html("input", { type: "number", ...attributes });
    input.value = String(value);
    return input;
  };
  const length = number(16, { min: 2, max: engine.catalogue.limits.nodes });
  const seed = number(1, { min: 0 });
  const p = number("", { min: 0, max: 1, step: 0.05, placeholder: "default" });
  const family = choice([["", "default"]], () => {});
  setOptions(family, [
    ["", "default"],
    ...engine.catalogue.families.map(({ name }) => [name, name] as const),
  ]);
  const sample = button("random", () => {
    void showSample(session, {
      length: Number(length.value),
      seed: Number(seed.value),
      ...(p.value !== "" && isGraphShown() && { p: Number(p.value) }),
      ...(family.value !== "" && isGraphShown() && { family: family.value }),
    });
    seed.value = String(Number(seed.value) + 1);
  });
  const isGraphShown = () => settings.get().draft.now.problem.kind === "graph";
  const graphOnly = html("span", { class: "fields" }, field("family", family), field("p", p));
  onFrame(settings, ["draft"], ({ draft }) => {
    graphOnly.hidden = draft.now.problem.kind !== "graph";
    length.value = String(size(draft.now.problem));
  });
  return html(
    "details",
    { class: "sheet" },
    html("summary", {}, "random…"),
    html("div", { class: "controls" }, field("size", length), field("seed", seed), graphOnly, sample),
  );
}

function pasteControls(session: Session): HTMLElement {
  const text = html("textarea", {
    rows: 5,
    "aria-label": "CSV",
    placeholder: "from, to, weight\n0, 1, 0.5\n1, 2, 0.3",
  });
  const read = button("use it", () => void readText(session, text.value));
  return html(
    "details",
    { class: "sheet" },
    html("summary", {}, "paste…"),
    html("div", { class: "controls" }, text, read, html("span", { class: "hint" }, "Or drop a file here.")),
  );
}

async function readText(session: Session, text: string): Promise<void> {
  const { algorithm } = session.settings.get();
  await showAnswer(session, session.problem(session.engine.read(algorithm, text)));
}

function listenToDrops(session: Session, target: HTMLElement): void {
  target.addEventListener("dragover", (event) => event.preventDefault());
  target.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) {
      return;
    }
    if (file.size > MOST_BYTES) {
      session.answers.set({ notice: `The file has ${file.size} bytes; at most ${MOST_BYTES} are read.` });
      return;
    }
    await readText(session, await file.text());
  });
}
