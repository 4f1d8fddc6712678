// The head of the page: which algorithm, which networks, and what concerns the whole page.

import { button, html } from "../draw/element.ts";
import { placesOf } from "../problem/layout.ts";
import { begin } from "../state/history.ts";
import { END } from "../state/settings.ts";
import { onFrame } from "../state/store.ts";
import { ownNetwork } from "../views/own-network.ts";
import { choice, field, setOptions } from "../views/panel.ts";
import { openHelp } from "./keys.ts";
import type { Session } from "./session.ts";

const NODES = 16;

export function header(session: Session, startTour: () => void): HTMLElement {
  const { settings, engine } = session;
  const algorithm = choice([], (name) => void chooseAlgorithm(session, name));
  const first = choice([], (name) => settings.set({ networks: [name, settings.get().networks[1]] }));
  const second = choice([], (name) => settings.set({ networks: [settings.get().networks[0], name] }));
  const copied = html("span", { role: "status", class: "hint" });
  const own = ownNetwork(session, (name) => {
    const { algorithms } = engine.catalogue.networks.find((network) => network.name === name)!;
    void showNetwork(session, name, algorithms);
  });
  onFrame(settings, ["algorithm", "networks"], ({ algorithm: name, networks }) => {
    const options = networksFor(session, name).map((network) => [network, network] as const);
    const executed = engine.catalogue.algorithms.filter(
      (known) => networksFor(session, known.name).length > 0,
    );
    setOptions(
      algorithm,
      executed.map((known) => [known.name, known.name.replaceAll("_", " ")]),
    );
    setOptions(first, options);
    setOptions(second, [["", "none"], ...options]);
    algorithm.value = name;
    [first.value, second.value] = networks;
  });
  return html(
    "header",
    { class: "top" },
    html("h1", {}, "narscope explorer"),
    html(
      "div",
      { class: "controls" },
      field("algorithm", algorithm),
      field("network", first),
      field("compare with", second),
      button("guided tour", startTour, { class: "primary", id: "start-tour" }),
      button("copy link", async () => {
        copied.textContent = (await copyLink()) ? "copied" : "The link is in the address bar.";
      }),
      button("?", openHelp, { "aria-label": "keys and help" }),
      own,
      copied,
    ),
  );
}

export function networksFor({ engine }: Session, algorithm: string): string[] {
  return engine.catalogue.networks
    .filter(({ algorithms }) => algorithms.includes(algorithm))
    .map(({ name }) => name);
}

/** Shows another algorithm, with a problem of its kind and the first network that executes it. */
export async function chooseAlgorithm(session: Session, name: string): Promise<void> {
  const { settings, engine } = session;
  const problem = await session.problem(engine.random(name, { length: NODES, seed: 1 }));
  const [network = ""] = networksFor(session, name);
  if (!problem) {
    return;
  }
  session.clear();
  const stored = { ...settings.get().stored, family: "" };
  settings.set({
    algorithm: name,
    networks: [network, ""],
    draft: begin({ problem, places: placesOf(problem) }),
    probe: "",
    node: -1,
    position: END,
    pushes: [],
    stored,
    isPlaying: false,
  });
}

/** Shows a network, on the algorithm that is there if it executes that one. */
async function showNetwork(session: Session, name: string, algorithms: string[]): Promise<void> {
  const { settings } = session;
  const [first] = algorithms;
  if (first !== undefined && !algorithms.includes(settings.get().algorithm)) {
    await chooseAlgorithm(session, first);
  }
  settings.set({ networks: [name, settings.get().networks[1]] });
}

async function copyLink(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(window.location.href);
    return true;
  } catch {
    return false;
  }
}
