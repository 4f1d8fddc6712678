// The algorithm and one or two networks, side by side at the same step.

import { html, redraw } from "../draw/element.ts";
import type { Rollout } from "../engine/types.ts";
import { recordAt } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import { type Layers, layers, probesOf, readRun, readTrace } from "../state/reading.ts";
import type { Settings } from "../state/settings.ts";
import { onFrame } from "../state/store.ts";
import { describeNode } from "./describe.ts";
import { matrixPicture } from "./matrix-picture.ts";
import { choice, field, panel, saveButtons, setOptions, toggle } from "./panel.ts";
import { type Scene, statePicture } from "./state-picture.ts";

export function statesView(session: Session): HTMLElement {
  const { settings, answers } = session;
  const made = panel(
    "states",
    "Algorithm and network",
    "True and predicted values after the same step, with the score. Point at a node for margins.",
  );
  const view = toggle(
    "View",
    [
      ["links", "graph"],
      ["matrix", "matrix"],
    ] as const,
    (view) => settings.set({ view }),
  );
  const probe = choice([], (probe) => settings.set({ probe }));
  const detail = html("p", { class: "detail", "aria-live": "polite" });
  const pictures = html("div", { class: "pictures" });
  made.controls.append(view.element, field("show", probe));
  made.body.append(pictures, legend(), detail);

  const draw = () => {
    const now = settings.get();
    const { trace, runs } = answers.get();
    view.show(now.view);
    if (!trace) {
      redraw(pictures, html("p", { class: "empty" }, "Nothing to show yet."));
      return;
    }
    const probes = probesOf(trace);
    setOptions(
      probe,
      probes.map(({ name, meaning, stage }) => [
        name,
        `${name} – ${meaning}${stage === "output" ? " (output)" : ""}`,
      ]),
    );
    const shownLayers = layers(probes, now.probe);
    const shown = now.probe || shownLayers.arrows?.name || probes[0]?.name || "";
    probe.value = shown;
    const scenes = [null, ...runs].flatMap((run, index) =>
      index > 0 && !run ? [] : [scene(session, now, shownLayers, run ?? null)],
    );
    redraw(
      pictures,
      ...scenes.map((it, index) => figure(it, shown, now, index === 0 ? null : (runs[index - 1] ?? null))),
    );
    detail.textContent =
      now.node < 0
        ? "Point at a node, or reach it with the Tab key."
        : scenes.map((it) => `${it.title}: ${it.describe(now.node)}`).join(" · ");
  };
  pictures.addEventListener("pointermove", (event) => follow(session, event));
  pictures.addEventListener("focusin", (event) => follow(session, event));
  onFrame(settings, ["position", "view", "probe", "node", "draft", "algorithm"], draw);
  onFrame(answers, ["trace", "runs"], draw);
  return made.element;
}

/** What colours and dashes mean. */
function legend(): HTMLElement {
  const key = (kind: string, text: string) => html("span", {}, html("span", { class: `key ${kind}` }), text);
  return html(
    "p",
    { class: "legend" },
    key("is-right", "as the algorithm"),
    key("is-wrong is-dashed", "wrong"),
    key("is-missed", "what would be right"),
    html("span", {}, html("span", { class: "ring" }), "source"),
  );
}

/** The node under the pointer or with the focus becomes the one that is described. */
function follow({ settings }: Session, event: Event): void {
  const node = (event.target as Element).closest("[data-node]")?.getAttribute("data-node");
  if (node !== null && node !== undefined) {
    settings.set({ node: Number(node) });
  }
}

function scene(session: Session, now: Settings, shownLayers: Layers, run: Rollout | null): Scene {
  const { trace } = session.answers.get();
  const known = session.engine.catalogue.algorithms.find(({ name }) => name === now.algorithm);
  const truth = (probe: string) => trace && readTrace(trace, probe, now.position);
  const parts = {
    draft: now.draft.now,
    layers: shownLayers,
    isNetwork: run !== null,
    truth,
    shown: run ? (probe: string) => readRun(run, probe, now.position) : truth,
  };
  return {
    ...parts,
    hasSource: known?.hasSource ?? false,
    node: now.node,
    title: run ? run.network : now.algorithm,
    describe: (node) => describeNode(parts, node),
  };
}

function figure(it: Scene, probe: string, now: Settings, run: Rollout | null): HTMLElement {
  const picture = now.view === "links" ? statePicture(it) : matrixPicture(it, probe);
  const score = run?.scores[recordAt(run.records, now.position)];
  const words = score === undefined || Number.isNaN(score) ? "" : `${(100 * score).toFixed(0)} %`;
  return html(
    "figure",
    {},
    html(
      "figcaption",
      {},
      html("b", {}, it.title),
      " ",
      words,
      saveButtons(it.title, () => picture),
    ),
    picture,
  );
}
