// Interventions: states pushed along a direction, made noisy or set to zero, for one step or all.

import { button, html, redraw } from "../draw/element.ts";
import type { Corpus } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import { nodeName } from "../problem/problem.ts";
import { short } from "../state/reading.ts";
import type { Push, Settings } from "../state/settings.ts";
import { onFrame } from "../state/store.ts";
import { choice, field, panel, setOptions } from "./panel.ts";

type Kind = "pc 0" | "pc 1" | "pc 2" | "cluster" | "noise" | "zero";

/** Strength 1 means this many standard deviations of the stored states. */
const DEVIATIONS = 2;

export function pushesView(session: Session): HTMLElement {
  const { settings, answers } = session;
  const made = panel(
    "pushes",
    "Push the network",
    "Change its state and let it run on: does it come back? The curves below show the distance to the undisturbed run.",
  );
  const kind = choice(
    [
      ["pc 0", "along PC 1"],
      ["pc 1", "along PC 2"],
      ["pc 2", "along PC 3"],
      ["cluster", "along an orbit"],
      ["noise", "noise"],
      ["zero", "zero a state"],
    ],
    () => drawStrength(),
  );
  const strength = html("input", { type: "range", min: -3, max: 3, step: 0.1, "aria-label": "strength" });
  strength.value = "1";
  const amount = html("output", {});
  const when = choice(
    [
      ["one", "at this step"],
      ["all", "at every step"],
    ],
    () => {},
  );
  const where = choice([["all", "all nodes"]], () => {});
  const strengthField = field("strength", strength, amount);
  const add = button("push", () => {
    const { pushes } = settings.get();
    const push = pushNow();
    if (push) {
      settings.set({ pushes: [...pushes, push] });
    }
  });
  const orbit = choice([], () => {});
  const orbitField = field("orbit", orbit);
  const list = html("ul", { class: "pushes" });
  made.controls.append(
    field("what", kind),
    orbitField,
    strengthField,
    field("when", when),
    field("where", where),
    add,
  );
  made.body.append(list);

  const drawStrength = () => {
    strengthField.hidden = kind.value === "zero";
    orbitField.hidden = kind.value !== "cluster";
    amount.textContent = short(Number(strength.value));
  };
  const pushNow = (): Push | null => {
    const place = {
      steps: when.value === "all" ? ("all" as const) : Math.max(1, settings.get().position),
      nodes: where.value === "all" ? ("all" as const) : Number(where.value),
    };
    return pushOf(kind.value as Kind, Number(strength.value), Number(orbit.value), place, session);
  };
  strength.addEventListener("input", drawStrength);
  drawStrength();
  onFrame(settings, ["pushes", "draft"], (now) => {
    const nodes = answers.get().runs[0]?.nodes ?? 0;
    setOptions(where, [["all", "all nodes"], ...nodeOptions(now, nodes)]);
    redraw(list, ...now.pushes.map((push, index) => item(session, push, index)));
  });
  onFrame(answers, ["corpus"], ({ corpus }) => {
    const orbits = (corpus?.clusterDirections?.length ?? 0) / (corpus?.hidden ?? 1);
    setOptions(
      orbit,
      Array.from({ length: orbits }, (_, index) => [String(index), String(index)]),
    );
  });
  onFrame(answers, ["runs"], ({ runs }) => {
    setOptions(where, [["all", "all nodes"], ...nodeOptions(settings.get(), runs[0]?.nodes ?? 0)]);
  });
  return made.element;
}

function nodeOptions({ draft }: Settings, nodes: number): [string, string][] {
  return Array.from({ length: nodes }, (_, node) => [
    String(node),
    `node ${nodeName(draft.now.problem, node)}`,
  ]);
}

function pushOf(
  kind: Kind,
  strength: number,
  cluster: number,
  place: Pick<Push, "steps" | "nodes">,
  session: Session,
): Push | null {
  const { corpus } = session.answers.get();
  switch (kind) {
    case "zero":
      return { kind, ...place };
    case "noise":
      // A push has its own noise, the same whenever the run is repeated.
      return {
        kind,
        scale: (Math.abs(strength) * (deviation(corpus, 0) || 1)) / 8,
        seed: session.settings.get().pushes.length + 1,
        ...place,
      };
    case "cluster":
      if (!corpus?.clusterDirections) {
        session.answers.set({
          notice:
            "Stored graphs have no orbits now; choose the family “reweight” or “rescale” in the latent space.",
        });
        return null;
      }
      return { kind, cluster, amount: strength * DEVIATIONS * deviation(corpus, 0), ...place };
    default: {
      const component = Number(kind.slice(3));
      const size = strength * DEVIATIONS * deviation(corpus, component);
      if (size === 0) {
        session.answers.set({
          notice: "Directions come from stored graphs, which are not there yet; or the strength is 0.",
        });
        return null;
      }
      return {
        kind: "move",
        amounts: Array.from({ length: component + 1 }, (_, axis) => (axis === component ? size : 0)),
        ...place,
      };
    }
  }
}

function deviation(corpus: Corpus | null, component: number): number {
  return Math.sqrt(corpus?.variances[component] ?? 0);
}

function item({ settings }: Session, push: Push, index: number): HTMLElement {
  const remove = () => settings.set({ pushes: settings.get().pushes.filter((_, other) => other !== index) });
  return html(
    "li",
    {},
    describePush(push),
    " ",
    button("take back", remove, { "data-key": `push ${index}` }),
  );
}

/** A push in words. */
export function describePush(push: Push): string {
  const when = push.steps === "all" ? "at every step" : `at step ${push.steps}`;
  const where = push.nodes === "all" ? "all nodes" : `node ${push.nodes}`;
  const what = {
    move: () =>
      `moved by ${(push.kind === "move" ? push.amounts : []).map(short).join(", ")} along the components`,
    cluster: () => `moved by ${push.kind === "cluster" ? short(push.amount) : ""} along an orbit's direction`,
    noise: () => `noise of ${push.kind === "noise" ? short(push.scale) : ""}`,
    zero: () => "set to zero",
  }[push.kind]();
  return `${where}: ${what}, ${when}`;
}
