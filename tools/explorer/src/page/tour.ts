// A guided tour of two minutes. Every stop sets the page up, says what to look at and what to try; the reader finds
// the paper's observations alone.

import { button, html } from "../draw/element.ts";
import { END, KNOBS, type Settings } from "../state/settings.ts";
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

/** As trained, undisturbed. */
const PLAIN: Partial<Settings> = { knobs: KNOBS, pushes: [], view: "links", probe: "", isPlaying: false };

const STOPS: Stop[] = [
  {
    title: "An algorithm and its imitation",
    text: "On the left, Bellman-Ford finds shortest paths from the red source; next to it a network imitates it, step by step. Press play. Blue arrows agree; a red dashed one does not: it was right a step before. Point at its node.",
    panel: "states",
    setUp: async (session) => {
      await showPreset(session, "right, then wrong");
      session.settings.set({ ...PLAIN, position: 0, isPlaying: true });
    },
  },
  {
    title: "A near-tie goes wrong",
    text: "Two ways lead to node 5, of lengths 0.90 and 0.89. Two networks that differ only in their seed; one takes the longer way. In “Problem”, drag the weight between 4 and 5 sideways: where does each change its mind? Point at node 5 for the margin.",
    panel: "states",
    setUp: async (session) => {
      await showPreset(session, "near-tie");
      session.settings.set({ ...PLAIN, networks: pair(session), node: 5 });
    },
  },
  {
    title: "Convergence",
    text: "The run goes on for 20 steps after the algorithm has ended. The residual says how far each step moves the state: it falls almost to zero. The score may fall too, because the resting point is not quite the answer. Now press “push” and follow the distance to the undisturbed run: does it come back?",
    panel: "pushes",
    setUp: async (session) => {
      await showPreset(session, "paper, appendix E");
      session.settings.set({ ...PLAIN, knobs: { ...KNOBS, extraSteps: 20 }, position: END });
    },
  },
  {
    title: "Clusters of reweighting",
    text: "Eight graphs, each in twenty versions whose weights differ but whose shortest paths are the same; one colour per graph. The large points are of the scrubber's step: move it from 1 to 4 and watch versions of one graph gather. Click a state to see its graph.",
    panel: "latent",
    setUp: async (session) => {
      session.settings.set({ ...PLAIN, colour: "cluster", dimensions: 2 });
      await showPreset(session, "orbit: reweighting");
      session.settings.set({ position: 4 });
    },
  },
  {
    title: "Temperature",
    text: "Softmax near 0 is the maximum that this network was trained with. Turn the temperature up: beyond 10 messages mix, and the near-tie at node 5 flips first: the score loses one node in eight. Far beyond, everything flips.",
    panel: "knobs",
    setUp: async (session) => {
      await showPreset(session, "near-tie");
      session.settings.set({
        ...PLAIN,
        knobs: { ...KNOBS, aggregator: "softmax", temperature: 0.01 },
        node: 5,
      });
    },
  },
  {
    title: "What you have found",
    text: "Networks imitate the algorithm step by step; their mistakes are near-ties, often right a step before; states settle near an attractor; graphs that are solved alike lie together; temperature decides between close candidates. These are the main observations of “Latent Space Representations of Neural Algorithmic Reasoners” (2023). The command narscope reproduce judges each over many graphs.",
    panel: "states",
    setUp: ({ settings }) => settings.set(PLAIN),
  },
];

/** The networks of the second stop, where they are there: the same kind, another seed. */
function pair(session: Session): Settings["networks"] {
  const names = networksFor(session, ALGORITHM);
  const [first = ""] = names;
  const other = names.find((name) => name === "linear_pgn-44") ?? "";
  return [first, other];
}

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
    // One network, until a stop wants two.
    const { settings } = this.session;
    settings.set({ networks: [settings.get().networks[0], ""] });
    await stop.setUp(this.session);
    const panel = document.getElementById(stop.panel);
    panel?.classList.add("is-toured");
    panel?.scrollIntoView({ block: "start", behavior: "instant" });
    // Beside what the stop is about, not over it.
    this.element.classList.toggle("is-left", ["pushes", "knobs", "curves"].includes(stop.panel));
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
