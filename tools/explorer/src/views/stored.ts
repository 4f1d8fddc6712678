// Which stored trajectories are shown: how many graphs of which family, pooled or node by node.

import { html } from "../draw/element.ts";
import { isSymmetric, type Session } from "../page/session.ts";
import type { Stored } from "../state/settings.ts";
import { onFrame } from "../state/store.ts";
import { choice, field } from "./panel.ts";

export function storedControls(session: Session): HTMLElement[] {
  const { settings, engine } = session;
  const set = (changes: Partial<Stored>) =>
    settings.set({ stored: { ...settings.get().stored, ...changes } });
  const points = choice(
    [
      ["pooled", "pooled"],
      ["nodes", "per node"],
    ],
    (value) => set({ points: value === "nodes" ? "nodes" : "pooled" }),
  );
  const family = choice(
    [["", "default"], ...engine.catalogue.families.map(({ name }) => [name, name] as const)],
    (value) => set({ family: value }),
  );
  const { graphs: most, nodes: longest } = engine.catalogue.limits;
  const graphs = number(1, most, (value) => set({ graphs: value }));
  const nodes = number(2, longest, (value) => set({ nodes: value }));
  const classes = number(1, 64, (value) => set({ classes: value }));
  const p = html("input", { type: "number", min: 0, max: 1, step: 0.05, placeholder: "default" });
  p.addEventListener("change", () =>
    set({ p: p.value === "" ? null : Math.min(1, Math.max(0, Number(p.value))) }),
  );
  const probability = field("p", p);
  const orbits = field("orbits", classes);
  onFrame(settings, ["stored", "algorithm", "draft"], ({ stored, draft }) => {
    points.value = stored.points;
    family.value = stored.family;
    graphs.value = String(stored.graphs);
    nodes.value = String(stored.nodes);
    classes.value = String(stored.classes);
    p.value = stored.p === null ? "" : String(stored.p);
    probability.hidden = draft.now.problem.kind !== "graph";
    orbits.hidden = !isSymmetric(stored.family);
    family.closest("label")!.hidden = draft.now.problem.kind !== "graph";
  });
  const sheet = html(
    "details",
    { class: "sheet" },
    html("summary", {}, "stored graphs…"),
    html(
      "div",
      { class: "controls" },
      field("graphs", graphs),
      field("size", nodes),
      field("family", family),
      probability,
      orbits,
    ),
  );
  return [field("states", points), sheet];
}

/** A whole number between bounds; what is outside is moved to the nearest. */
function number(least: number, most: number, set: (value: number) => void): HTMLInputElement {
  const input = html("input", { type: "number", min: least, max: most });
  input.addEventListener("change", () =>
    set(Math.min(most, Math.max(least, Math.round(Number(input.value) || least)))),
  );
  return input;
}
