// Everything that the reader chose. A link holds all of it (link.ts).

import type { Aggregator } from "../engine/types.ts";
import type { Draft } from "../problem/problem.ts";
import type { History } from "./history.ts";

export const AGGREGATORS: readonly Aggregator[] = ["max", "softmax", "mean", "sum", "min"];

/** What is changed about a network; `null` leaves it as it was trained. */
export interface Knobs {
  aggregator: Aggregator | null;
  temperature: number | null;
  decay: number | null;
  extraSteps: number;
  /** A run counts as at rest when a step changes its states by less than this share. */
  threshold: number;
}

export const KNOBS: Knobs = {
  aggregator: null,
  temperature: null,
  decay: null,
  extraSteps: 0,
  threshold: 0.02,
};

/** A change of states that the reader makes. */
export type Push =
  /** Along principal components, in units of the drawing. */
  | { kind: "move"; amounts: number[]; steps: "all" | number; nodes: "all" | number }
  /** Along the leading direction of an orbit. */
  | { kind: "cluster"; cluster: number; amount: number; steps: "all" | number; nodes: "all" | number }
  | { kind: "noise"; scale: number; seed: number; steps: "all" | number; nodes: "all" | number }
  | { kind: "zero"; steps: "all" | number; nodes: "all" | number };

/** Which stored trajectories are drawn behind the live one. */
export interface Stored {
  /** As the sampler names it; empty for the algorithm's own. */
  family: string;
  graphs: number;
  nodes: number;
  classes: number;
  /** Probability of an edge; `null` for the benchmark's. */
  p: number | null;
  seed: number;
  points: "pooled" | "nodes";
}

export const STORED: Stored = {
  family: "",
  graphs: 200,
  nodes: 16,
  classes: 8,
  p: null,
  seed: 1,
  points: "pooled",
};

export type PointColour = "step" | "cluster" | "score";

/** A position behind every end: the session moves it to the last step. */
export const END = 10_000;

export interface Settings {
  algorithm: string;
  draft: History<Draft>;
  /** The second one is empty when only one network is shown. */
  networks: readonly [string, string];
  knobs: Knobs;
  pushes: readonly Push[];
  stored: Stored;
  /** Position of the scrubber: a record of the trace and of the runs. */
  position: number;
  isPlaying: boolean;
  view: "links" | "matrix";
  /** The probe that is drawn; empty for the algorithm's main one. */
  probe: string;
  /** The node that the reader looks at; -1 for none. */
  node: number;
  dimensions: 2 | 3;
  colour: PointColour;
}
