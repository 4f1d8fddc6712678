// The latent space: stored states along their principal components, and the live run on top of them.

import { onSchemeChange } from "../draw/colours.ts";
import { button, html, redraw } from "../draw/element.ts";
import type { Corpus } from "../engine/types.ts";
import { Camera } from "../latent/camera.ts";
import { cloudOf, describePoint } from "../latent/cloud.ts";
import { painterFor } from "../latent/painter.ts";
import { type Space, spaceOf } from "../latent/space.ts";
import { isSymmetric, type Session } from "../page/session.ts";
import { placesOf } from "../problem/layout.ts";
import { change } from "../state/history.ts";
import { onFrame } from "../state/store.ts";
import { latentPicture, livePath, overlay } from "./latent-picture.ts";
import { listenToSpace, nearestPoint } from "./latent-pointer.ts";
import { choice, field, panel, toggle } from "./panel.ts";
import { storedControls } from "./stored.ts";

export interface LatentState {
  camera: Camera;
  corpus: Corpus | null;
  space: Space | null;
  width: number;
  height: number;
  /** The stored state under the pointer; -1 for none. */
  hovered: number;
}

export function latentView(session: Session): HTMLElement {
  const { settings, answers } = session;
  const state: LatentState = {
    camera: new Camera(),
    corpus: null,
    space: null,
    width: 1,
    height: 1,
    hovered: -1,
  };
  const made = panel(
    "latent",
    "Latent space",
    "States of many runs along their principal components; the thick line is the run above. Click a state for its graph; drag the large dot to push the network.",
    () => latentPicture(session, state),
  );
  const canvas = html("canvas", { class: "space", tabindex: 0, role: "img" });
  const marks = html("div", { class: "marks" });
  const place = html("div", { class: "space-place" }, canvas, marks);
  const words = html("p", { class: "detail", "aria-live": "polite" });
  const painter = painterFor(canvas);

  const dimensions = toggle(
    "Dimensions",
    [
      ["2", "2-D"],
      ["3", "3-D"],
    ] as const,
    (value) => settings.set({ dimensions: value === "3" ? 3 : 2 }),
  );
  const colour = choice(
    [
      ["step", "step"],
      ["cluster", "orbit"],
      ["score", "score"],
    ],
    (value) => settings.set({ colour: value as "step" | "cluster" | "score" }),
  );
  made.controls.append(dimensions.element, field("colour", colour), ...storedControls(session));
  const buttons = html(
    "div",
    { class: "controls" },
    button("+", () => zoom(1.25), { "aria-label": "zoom in" }),
    button("−", () => zoom(0.8), { "aria-label": "zoom out" }),
    button("reset the view", () => {
      state.camera.reset();
      draw();
    }),
    button("nearest stored graph", () => openNearest()),
  );
  made.body.append(place, words, buttons);
  if (painter.notice !== "") {
    made.body.append(html("p", { class: "hint" }, painter.notice));
  }

  const zoom = (factor: number) => {
    state.camera.zoomBy(factor);
    draw();
  };
  const load = () => {
    const { corpus } = answers.get();
    if (corpus !== state.corpus) {
      state.corpus = corpus;
      state.space = corpus && spaceOf(corpus);
      state.hovered = -1;
    }
    if (corpus && state.space) {
      painter.load(cloudOf(corpus, state.space, settings.get().colour));
    }
    draw();
  };
  const draw = () => {
    const now = settings.get();
    const { corpus, space, camera, width, height } = state;
    dimensions.show(String(now.dimensions) as "2" | "3");
    colour.value = now.colour;
    camera.isFlat = now.dimensions === 2;
    camera.fit(space?.half ?? [1, 1, 1], width, height);
    painter.draw(camera, width, height, now.position);
    redraw(marks, overlay(session, state));
    canvas.setAttribute("aria-label", summary(session, state));
    const { progress } = answers.get();
    words.textContent =
      progress !== null
        ? `Running ${now.stored.graphs} stored graphs: ${Math.round(100 * progress)} %`
        : corpus && state.hovered >= 0
          ? describePoint(corpus, state.hovered)
          : summary(session, state);
  };
  const open = async (point: number) => {
    const { corpus } = state;
    const sample = corpus?.sample[point];
    if (!corpus || sample === undefined) {
      return;
    }
    const problem = await session.problem(session.engine.corpusProblem(corpus.id, sample));
    if (problem) {
      const draft = { problem, places: placesOf(problem) };
      const position = corpus.record[point]!;
      settings.set({ draft: change(settings.get().draft, draft), position, node: corpus.node[point]! });
    }
  };
  const openNearest = () => {
    const { corpus } = state;
    const live = livePath(session, state).find(({ record }) => record === settings.get().position);
    if (corpus && live) {
      void open(nearestPoint(corpus, live.coordinates, settings.get().position));
    }
  };
  const resize = () => {
    const box = place.getBoundingClientRect();
    const ratio = Math.min(2, window.devicePixelRatio);
    Object.assign(state, { width: box.width, height: box.height });
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    draw();
  };
  listenToSpace(session, state, { place, canvas, draw, open: (point) => void open(point) });
  new ResizeObserver(resize).observe(place);
  onSchemeChange(load);
  onFrame(answers, ["corpus"], load);
  onFrame(settings, ["colour"], load);
  onFrame(answers, ["runs", "undisturbed", "progress"], draw);
  onFrame(settings, ["position", "dimensions", "node"], draw);
  return made.element;
}

function summary({ settings, answers }: Session, { corpus }: LatentState): string {
  if (!corpus) {
    return answers.get().progress !== null ? "The stored graphs are being run." : "No stored states.";
  }
  const { stored } = settings.get();
  const share = corpus.shares.reduce((sum, part) => sum + part, 0);
  const orbits = isSymmetric(stored.family) ? `, ${stored.family} orbits of ${stored.classes} graphs` : "";
  return `${corpus.record.length} states of ${corpus.scores.length} graphs${orbits}; ${corpus.components} components hold ${(100 * share).toFixed(1)} % of the variance.`;
}
