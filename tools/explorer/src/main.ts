// The page: starts the engine, reads the link, puts the views together.

import { html } from "./draw/element.ts";
import { startEngine } from "./engine/client.ts";
import type { Engine } from "./engine/types.ts";
import { header } from "./page/header.ts";
import { listenToKeys } from "./page/keys.ts";
import { failure, notice } from "./page/notice.ts";
import { scrubber } from "./page/scrubber.ts";
import { Session } from "./page/session.ts";
import { Tour } from "./page/tour.ts";
import { presets } from "./problem/presets.ts";
import { isGraph } from "./problem/problem.ts";
import { NOTHING } from "./state/answers.ts";
import { begin } from "./state/history.ts";
import { fromFragment, toFragment } from "./state/link.ts";
import { END, KNOBS, type Settings, STORED } from "./state/settings.ts";
import { onFrame, Store } from "./state/store.ts";
import { curvesView } from "./views/curves.ts";
import { knobsView } from "./views/knobs.ts";
import { latentView } from "./views/latent.ts";
import { problemView } from "./views/problem.ts";
import { pushesView } from "./views/pushes.ts";
import { statesView } from "./views/states.ts";

const WAIT_BEFORE_LINK = 300;

/** What is shown first: a graph on which a network is nearly right. */
function defaults({ catalogue }: Engine): Settings {
  const algorithm = catalogue.networks[0]?.algorithms[0] ?? "bellman_ford";
  const able = catalogue.networks.filter(({ algorithms }) => algorithms.includes(algorithm));
  const first = presets().find(({ problem }) => "problem" in problem && isGraph(problem))!;
  return {
    algorithm,
    draft: begin(first.problem as Settings["draft"]["now"]),
    networks: [able[0]?.name ?? "", ""],
    knobs: KNOBS,
    pushes: [],
    stored: STORED,
    position: END,
    isPlaying: false,
    view: "links",
    probe: "",
    node: -1,
    dimensions: 2,
    colour: "step",
  };
}

/** Keeps the address in step with the settings, and follows it when the reader goes back. */
function followLink(session: Session): void {
  const { settings, engine } = session;
  let timer = 0;
  settings.on((now, before) => {
    const isSame = (Object.keys(now) as (keyof Settings)[]).every(
      (key) => key === "isPlaying" || now[key] === before[key],
    );
    if (isSame) {
      return;
    }
    clearTimeout(timer);
    timer = window.setTimeout(
      () => history.replaceState(null, "", `#${toFragment(settings.get())}`),
      WAIT_BEFORE_LINK,
    );
  });
  window.addEventListener("hashchange", () => {
    const read = fromFragment(location.hash, settings.get(), engine.catalogue.limits.nodes);
    if (read) {
      settings.set(read);
    }
  });
}

async function start(): Promise<void> {
  const place = document.getElementById("page")!;
  const started = await startEngine();
  if (!started.ok) {
    place.replaceChildren(failure(started.error));
    return;
  }
  const engine = started.value;
  if (engine.catalogue.networks.length === 0) {
    const refused = engine.catalogue.refused.map(({ name, error }) => `${name}: ${error}`).join(" ");
    place.replaceChildren(failure(`There is no network to show. ${refused}`));
    return;
  }
  const usual = defaults(engine);
  const settings = new Store(fromFragment(location.hash, usual, engine.catalogue.limits.nodes) ?? usual);
  const session = new Session(engine, settings, new Store({ ...NOTHING, notice: refusals(engine) }));
  const tour = new Tour(session);
  const main = html(
    "main",
    {},
    problemView(session),
    statesView(session),
    latentView(session),
    pushesView(session),
    knobsView(session),
    curvesView(session),
  );
  onFrame(session.answers, ["isBusy"], ({ isBusy }) => main.setAttribute("aria-busy", String(isBusy)));
  place.replaceChildren(
    header(session, () => void tour.start()),
    notice(session),
    main,
    tour.element,
    scrubber(session),
  );
  listenToKeys(session);
  followLink(session);
  session.start();
}

function refusals({ catalogue }: Engine): string {
  return catalogue.refused
    .map(({ name, error }) => `The network “${name}” cannot be shown: ${error}`)
    .join(" ");
}

void start();
