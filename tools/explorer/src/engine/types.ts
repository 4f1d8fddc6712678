// The interface between the page and the engine: the reasoner in WebAssembly, inside a Web Worker.
//
// The page calls `startEngine()` of `./client.ts` and then only methods of `Engine`. Nothing throws:
// every answer is a `Result`, and an error is a sentence for the user.
//
// Files of the bundle (built into crates/narscope/explorer): index.html, page.css, page.js (entry
// src/main.ts), worker.js (entry src/engine/worker.ts, format iife), engine.wasm. `index.html`
// names the first two by `<link rel="stylesheet" href="page.css">` and
// `<script defer src="page.js"></script>`, exactly so: `narscope explore --export` puts the files
// into these places. Addresses are relative. Neither may need inline scripts, `eval` or a network.
//
// Time: a rollout and a trace are lists of *records*. Record 0 is the given beginning, record k what
// is known after step k. One scrubber position is one record. A trace that has ended keeps its last
// record (`recordAt`).
//
// Shapes: T records, N nodes, H hidden units, P locations of a probe (1, N or N * N), C choices.

/** A value, or a sentence that says what was wanted, what was found and what to do. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: string; cancelled?: true };

// --- What there is -------------------------------------------------------------------------------

export type Stage = "input" | "output" | "hint";
export type Location = "node" | "edge" | "graph";
export type Kind =
  | "scalar"
  | "mask"
  | "mask_one"
  | "categorical"
  | "pointer"
  | "should_be_permutation"
  | "permutation_pointer";

/** A named value that an algorithm exposes. */
export interface Probe {
  name: string;
  stage: Stage;
  location: Location;
  kind: Kind;
  /** What it means, in a few words. */
  meaning: string;
  /** Number of classes of a categorical probe; 0 for others. */
  classes: number;
}

/** How a problem is edited. `columns` are named arrays of numbers. */
export type ProblemKind = "graph" | "array" | "columns" | "text";

export interface Algorithm {
  name: string;
  summary: string;
  category: string;
  inClrs30: boolean;
  problem: ProblemKind;
  /** What the algorithm needs, as a phrase. */
  wanted: string;
  /** Names of the columns, if `problem` is `columns`. */
  columns: string[];
  /** For graphs: whether edge weights matter, there is a source, directions are free. */
  weighted: boolean;
  hasSource: boolean;
  directed: "either" | "undirected" | "directed" | "acyclic";
  /** For arrays: whether there is a number to search for. */
  hasTarget: boolean;
  /** Names of the options that the random sampler takes with the default family. */
  options: string[];
  probes: Probe[];
  /** Faulty variants of it, for `Rollout.agreement`; empty for most. */
  variants: string[];
}

export interface Family {
  name: string;
  summary: string;
  /** Whether it is a symmetry: an orbit of transformed copies of a few base graphs. */
  isSymmetry: boolean;
  /** Its options besides those of the algorithm. */
  options: string[];
}

export type Aggregator = "max" | "min" | "mean" | "sum" | "softmax";

export interface Network {
  /** The name that all requests use; unique. */
  name: string;
  algorithms: string[];
  processor: string;
  hidden: number;
  seed: number;
  /** What it aggregates with outside of training. */
  aggregator: Aggregator;
  temperature: number;
  decay: number;
  /** Whether the aggregator can be changed. */
  aggregates: boolean;
  /** Whether it predicts hints. */
  decodesHints: boolean;
  /** Sizes of training samples. */
  trainLengths: number[];
  trainSteps: number;
  directedTraining: boolean;
  /** The whole configuration, for those who ask. */
  config: Record<string, unknown>;
  /** Scores on the benchmark's test split, if known. */
  scores: { algorithm: string; nodes: number; score: number }[];
  /** Number of weights, and whether they are stored in half precision. */
  weights: number;
  half: boolean;
}

export interface Limits {
  /** Largest number of nodes of a problem. */
  nodes: number;
  /** Largest number of steps of a rollout. */
  steps: number;
  /** Largest number of graphs of a corpus. */
  graphs: number;
}

export interface Catalogue {
  version: string;
  networks: Network[];
  /** Networks that could not be opened: name and sentence. */
  refused: { name: string; error: string }[];
  algorithms: Algorithm[];
  families: Family[];
  limits: Limits;
}

// --- Problems ------------------------------------------------------------------------------------

/** A problem that the user can edit, copy and put into an address. */
export type Problem =
  | {
      kind: "graph";
      nodes: number;
      /** An undirected edge once, with the smaller node first. Weight 0 is not an edge. */
      edges: [from: number, to: number, weight: number][];
      directed: boolean;
      /** Ignored by algorithms without a source. */
      source: number;
      /** Names of nodes, if they have any. */
      names?: string[];
    }
  | { kind: "array"; values: number[]; target?: number }
  | { kind: "columns"; columns: Record<string, number[]> }
  | { kind: "text"; lines: string[] };

/** A random problem. Options that are not given take the benchmark's defaults. */
export interface RandomOptions {
  /** Length of the array, number of nodes. */
  length: number;
  seed: number;
  /** Which sample of the seed; with a symmetry, sample i is an image of base graph i % classes. */
  index?: number;
  /** A family, symmetries, or both, joined by `+`, for example `grid` or `reweight`. */
  family?: string;
  /** Probability of an edge. */
  p?: number;
  direction?: "undirected" | "directed" | "acyclic";
  low?: number;
  high?: number;
  /** Number of base graphs with a symmetry. */
  classes?: number;
}

// --- Traces and rollouts -------------------------------------------------------------------------

/**
 * The values of a probe over time, `T * P` of them: numbers; masks 0, 1 or -1 (not scored); classes;
 * node indices of pointers. The one value of a `mask_one` is the index of the marked node (P is 1).
 */
export interface Values {
  probe: Probe;
  /** T: 1 for inputs and for outputs of a trace. */
  records: number;
  /** P. */
  locations: number;
  values: Float64Array;
}

/** What the algorithm did. */
export interface Trace {
  algorithm: string;
  nodes: number;
  /** T. */
  records: number;
  /** All probes: inputs, hints (T records), outputs (1 record). */
  values: Values[];
}

/** Where and when a state is changed. A step is the record it leads to, so 1 is the first. */
export interface Place {
  /** One step, several, or every one. */
  steps: number[] | "all";
  /** Some nodes, or every one. */
  nodes: number[] | "all";
}

/** A change of hidden states after a step, before decoders and the next step see them. */
export type Intervention = Place &
  (
    | { kind: "add"; vector: Float32Array | number[] }
    | { kind: "replace"; vector: Float32Array | number[] }
    /** Adds normal noise of this standard deviation to every unit. */
    | { kind: "noise"; scale: number; seed: number }
    | { kind: "zero" }
  );

export interface RolloutRequest {
  network: string;
  algorithm: string;
  problem: Problem;
  /** Steps beyond the algorithm's own; negative for fewer. Default 0. */
  extraSteps?: number;
  /** Default: as the network was trained. */
  aggregator?: Aggregator;
  temperature?: number;
  decay?: number;
  interventions?: Intervention[];
  /** Also return raw predictions (`Predicted.logits`). */
  logits?: boolean;
  /** Project states with the principal components of this corpus. */
  corpus?: number;
}

/** What the network predicted for one probe. */
export interface Predicted extends Values {
  /** For each value: the best raw prediction minus the second best; |logit| of masks; NaN of numbers. */
  margins: Float32Array;
  /** The second-best choice; -1 where there is none. */
  runnersUp: Int32Array;
  /** Score against the algorithm per record, hints only where the algorithm has the record; else NaN. */
  scores: Float32Array;
  /** Raw predictions, T * P * C, if asked for; record 0 of hints and outputs is NaN. */
  logits?: Float32Array;
  /** C. */
  choices: number;
}

export interface Projection {
  /** Coordinates of the pooled state (maximum over the nodes), T * K. */
  pooled: Float32Array;
  /** Coordinates of the states of single nodes, T * N * K. */
  nodes: Float32Array;
}

export interface Rollout {
  network: string;
  algorithm: string;
  nodes: number;
  /** T: the network's steps + 1. */
  records: number;
  /** Records of the algorithm's own trace. */
  traceRecords: number;
  hidden: number;
  /** Hints: T records, the first one given. Outputs as decoded after each step: record 0 is NaN. */
  hints: Predicted[];
  outputs: Predicted[];
  /** Hidden states, T * N * H; record 0 is the initial state, zeros. */
  states: Float32Array;
  /** Mean over the outputs of the score of the answer after each step; NaN at record 0. */
  scores: Float32Array;
  /** Length of the change of the states by each step over the length of the new states; NaN at records 0 and 1. */
  residuals: Float32Array;
  /** Share of output pointers that agree with the algorithm and with each faulty variant, per record. */
  agreement: { variant: string; shares: Float32Array }[];
  /** With interventions: distance of the states from those of the undisturbed run, T and T * N. */
  distance?: { total: Float32Array; nodes: Float32Array; undisturbedScores: Float32Array };
  projection?: Projection;
  /** Milliseconds that the network took. */
  milliseconds: number;
}

// --- Corpus --------------------------------------------------------------------------------------

export interface CorpusRequest extends RandomOptions {
  network: string;
  algorithm: string;
  /** Number of samples. */
  graphs: number;
  extraSteps?: number;
  aggregator?: Aggregator;
  temperature?: number;
  decay?: number;
  /** What the principal components are fitted to. `pooled`: the maximum over the nodes. */
  points: "pooled" | "nodes";
  /** K, number of principal components; default 3. */
  components?: number;
}

/** States of many samples along principal components, one point per (sample, record[, node]). */
export interface Corpus {
  /** For `RolloutRequest.corpus` and `corpusProblem`. */
  id: number;
  request: CorpusRequest;
  hidden: number;
  /** K. */
  components: number;
  /** Unit vectors, K * H: directions for interventions. */
  directions: Float32Array;
  /** Variance along each, and its share of the whole. */
  variances: Float32Array;
  shares: Float32Array;
  mean: Float32Array;
  /** Coordinates of the points, M * K. */
  points: Float32Array;
  /** For each point its sample, its record (from 1) and its node (-1 if pooled). */
  sample: Uint32Array;
  record: Uint32Array;
  node: Int32Array;
  /** For each sample: its orbit (sample % classes with a symmetry, else its number), steps, score. */
  cluster: Uint32Array;
  steps: Uint32Array;
  scores: Float32Array;
  /** With a symmetry: the first principal component of each orbit's last states, classes * H. */
  clusterDirections?: Float32Array;
}

// --- The engine ----------------------------------------------------------------------------------

export interface Waiting {
  /** Share done, from 0 to 1. */
  onProgress?: (share: number) => void;
  /** Gives up; the result is an error with `cancelled`. */
  signal?: AbortSignal;
  /**
   * A request of the same slot that still waits is cancelled: with one slot per view, turning a
   * knob computes the newest setting only.
   */
  slot?: string;
}

export interface Engine {
  readonly catalogue: Catalogue;
  /** Called when the worker died and was started again; requests under way have failed. */
  onRestart: ((sentence: string) => void) | undefined;
  random(algorithm: string, options: RandomOptions, waiting?: Waiting): Promise<Result<Problem>>;
  /** Reads pasted text (CSV of edges, a matrix, an array, columns, lines) as a problem. */
  read(algorithm: string, text: string, waiting?: Waiting): Promise<Result<Problem>>;
  /** `algorithm` may be a faulty variant. */
  trace(algorithm: string, problem: Problem, waiting?: Waiting): Promise<Result<Trace>>;
  rollout(request: RolloutRequest, waiting?: Waiting): Promise<Result<Rollout>>;
  corpus(request: CorpusRequest, waiting?: Waiting): Promise<Result<Corpus>>;
  /** The problem of a sample of a corpus. */
  corpusProblem(corpus: number, sample: number, waiting?: Waiting): Promise<Result<Problem>>;
  /** Frees a corpus. */
  forget(corpus: number): void;
  /** Adds a network from a file of the user: `config.toml` and `best.safetensors`. */
  addNetwork(name: string, config: string, weights: ArrayBuffer): Promise<Result<Network>>;
  /** Ends the worker. */
  close(): void;
}

/** The record of something with `records` records at a scrubber position: the last one after its end. */
export function recordAt(records: number, position: number): number {
  return Math.min(position, records - 1);
}
