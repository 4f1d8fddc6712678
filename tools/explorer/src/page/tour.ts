// A guided tour of two minutes. Every stop sets the page up, says what to look at and what to try; the reader finds
// the paper's observations alone.

import { button, html } from "../draw/element.ts";
import { END, KNOBS } from "../state/settings.ts";
import { showPreset } from "../views/problem-sources.ts";
import { chooseAlgorithm, networksFor } from "./header.ts";
import type { Session } from "./session.ts";

interface Stop {
  title: string;
  text: string;
  /** The panel to look at. */
  panel: string;
  /** What the page shows. */
  setUp: (session: Session) => Promise<void> | void;
}

const ALGORITHM = "bellman_ford";

const STOPS: Stop[] = [
  {
    title: "An algorithm and its imitation",
    text: "On the left Bellman-Ford finds shortest paths from the red source; next to it a network imitates it, step by step. Play it. Blue arrows agree; red dashed ones do not.",
    panel: "states",
    setUp: async (session) => {
      await showPreset(session, "paper, appendix E");
      session.settings.set({ knobs: KNOBS, pushes: [], view: "links", position: 0, isPlaying: true });
    },
  },
  {
    title: "A near-tie",
    text: "Two ways lead to node 5, of lengths 0.900 and 0.905. Drag the weight between 4 and 5 sideways, a little less, a little more: where does the network change its mind, and where the algorithm? Point at node 5 for the margin.",
    panel: "problem",
    setUp: async (session) => {
      await showPreset(session, "near-tie");
      session.settings.set({ node: 5 });
    },
  },
  {
    title: "Convergence",
    text: "The run goes on for 20 steps after the algorithm has ended. Look at the residual: the state hardly moves any more. Now push it with “push” below and watch the distance to the undisturbed run: does it come back?",
    panel: "curves",
    setUp: async (session) => {
      await showPreset(session, "paper, appendix E");
      session.settings.set({ knobs: { ...KNOBS, extraSteps: 20 }, position: END });
    },
  },
  {
    title: "Clusters of reweighting",
    text: "Eight graphs, each in twenty versions whose weights differ but whose shortest paths are the same. One colour per graph: versions of one graph stay together. Click a state to see its graph.",
    panel: "latent",
    setUp: async (session) => {
      session.settings.set({ knobs: KNOBS, pushes: [], colour: "cluster", dimensions: 2 });
      await showPreset(session, "orbit: reweighting");
    },
  },
  {
    title: "Temperature",
    text: "Turn the temperature. Softmax near 0 is the maximum that the network was trained with; warmer, it mixes messages. Watch the score and the agreement with the faulty variants: near-ties flip first.",
    panel: "knobs",
    setUp: async (session) => {
      await showPreset(session, "paper, appendix E");
      session.settings.set({ knobs: { ...KNOBS, aggregator: "softmax", temperature: 0.1 } });
    },
  },
  {
    title: "What you have found",
    text: "Networks imitate the algorithm step by step; their mistakes are near-ties; their states settle near an attractor; graphs that are solved alike lie together; softmax lets close candidates through. These are the main observations of “Latent Space Representations of Neural Algorithmic Reasoners” (2023). “narscope reproduce” judges each over many graphs.",
    panel: "states",
    setUp: ({ settings }) => settings.set({ knobs: KNOBS, pushes: [] }),
  },
];

export class Tour {
  readonly element = html("aside", { class: "tour", "aria-label": "guided tour", hidden: true });
  private at = 0;

  constructor(private session: Session) {}

  async start(): Promise<void> {
    const { settings } = this.session;
    if (settings.get().algorithm !== ALGORITHM && networksFor(this.session, ALGORITHM).length > 0) {
      await chooseAlgorithm(this.session, ALGORITHM);
    }
    await this.go(0);
  }

  private async go(at: number): Promise<void> {
    const stop = STOPS[at];
    this.at = at;
    document.querySelector(".is-toured")?.classList.remove("is-toured");
    this.element.hidden = stop === undefined;
    if (!stop) {
      return;
    }
    await stop.setUp(this.session);
    const panel = document.getElementById(stop.panel);
    panel?.classList.add("is-toured");
    panel?.scrollIntoView({ block: "start", behavior: "instant" });
    this.show(stop);
  }

  private show(stop: Stop): void {
    const isLast = this.at === STOPS.length - 1;
    const next = button(isLast ? "finish" : "next", () => void this.go(this.at + 1), { class: "primary" });
    this.element.replaceChildren(
      html("h2", {}, `${this.at + 1}/${STOPS.length} ${stop.title}`),
      html("p", { "aria-live": "polite" }, stop.text),
      html(
        "div",
        { class: "controls" },
        button("back", () => void this.go(Math.max(0, this.at - 1)), { disabled: this.at === 0 }),
        next,
        button("leave the tour", () => void this.go(STOPS.length)),
      ),
    );
    next.focus({ preventScroll: true });
  }
}
