// An engine without a network, for tests of views: Bellman-Ford is exact, and the “network” makes one mistake.

import type {
  Algorithm,
  Catalogue,
  Corpus,
  CorpusRequest,
  Engine,
  Network,
  Predicted,
  Probe,
  Problem,
  RandomOptions,
  Result,
  Rollout,
  RolloutRequest,
  Trace,
  Values,
} from "../src/engine/types.ts";

const HIDDEN = 8;
const COMPONENTS = 3;

const probe = (name: string, stage: Probe["stage"], kind: Probe["kind"], meaning: string): Probe => ({
  name,
  stage,
  location: "node",
  kind,
  meaning,
  classes: 0,
});

const BELLMAN_FORD: Algorithm = {
  name: "bellman_ford",
  summary: "shortest paths",
  category: "graphs",
  inClrs30: true,
  problem: "graph",
  wanted: "a weighted graph",
  columns: [],
  weighted: true,
  hasSource: true,
  directed: "either",
  hasTarget: false,
  options: ["p"],
  probes: [
    probe("pi", "output", "pointer", "predecessor"),
    probe("pi_h", "hint", "pointer", "predecessor so far"),
    probe("d", "hint", "scalar", "distance so far"),
    probe("msk", "hint", "mask", "reached"),
  ],
  variants: ["bellman_ford:greedy"],
};

const network = (name: string): Network => ({
  name,
  algorithms: ["bellman_ford"],
  processor: "fake",
  hidden: HIDDEN,
  seed: 1,
  aggregator: "max",
  temperature: 1,
  decay: 1,
  aggregates: true,
  decodesHints: true,
  trainLengths: [16],
  trainSteps: 0,
  directedTraining: false,
  config: {},
  scores: [],
  weights: 0,
  half: false,
});

const CATALOGUE: Catalogue = {
  version: "0",
  networks: [network("fake-1"), network("fake-2")],
  refused: [],
  algorithms: [BELLMAN_FORD],
  families: [
    { name: "grid", summary: "", isSymmetry: false, options: [] },
    { name: "reweight", summary: "", isSymmetry: true, options: ["classes"] },
    { name: "rescale", summary: "", isSymmetry: true, options: ["classes"] },
  ],
  limits: { nodes: 64, steps: 100, graphs: 10_000 },
};

interface Steps {
  pointers: number[][];
  distances: number[][];
}

function execute(problem: Problem): Steps {
  if (problem.kind !== "graph") {
    throw new Error("the fake engine knows graphs only");
  }
  const steps: Steps = { pointers: [], distances: [] };
  let pointers = Array.from({ length: problem.nodes }, (_, node) => node);
  let distances = pointers.map((node) => (node === problem.source ? 0 : Number.POSITIVE_INFINITY));
  for (let isChanged = true; isChanged; ) {
    steps.pointers.push(pointers);
    steps.distances.push(distances.map((distance) => (Number.isFinite(distance) ? distance : 0)));
    isChanged = false;
    const [nextPointers, nextDistances] = [[...pointers], [...distances]];
    for (const [a, b, weight] of problem.edges) {
      const ends = problem.directed
        ? [[a, b]]
        : [
            [a, b],
            [b, a],
          ];
      for (const [from, to] of ends as [number, number][]) {
        if (distances[from]! + weight < nextDistances[to]!) {
          nextDistances[to] = distances[from]! + weight;
          nextPointers[to] = from;
          isChanged = true;
        }
      }
    }
    [pointers, distances] = [nextPointers, nextDistances];
  }
  return steps;
}

function values(name: string, rows: number[][]): Values {
  const found = BELLMAN_FORD.probes.find((other) => other.name === name)!;
  return {
    probe: found,
    records: rows.length,
    locations: rows[0]!.length,
    values: Float64Array.from(rows.flat()),
  };
}

function trace(problem: Problem): Trace {
  const { pointers, distances } = execute(problem);
  const masks = distances.map((row, step) => row.map((_, node) => Number(pointers[step]![node] !== node)));
  const shown = [
    values("pi_h", pointers),
    values("d", distances),
    values("msk", masks),
    values("pi", [pointers.at(-1)!]),
  ];
  return { algorithm: "bellman_ford", nodes: pointers[0]!.length, records: pointers.length, values: shown };
}

function predicted(of: Values, records: number, isWrong: boolean): Predicted {
  const rows = Array.from({ length: records }, (_, record) => {
    const start = Math.min(record, of.records - 1) * of.locations;
    return [...of.values.subarray(start, start + of.locations)];
  });
  const last = rows.at(-1)!;
  if (isWrong && of.probe.kind === "pointer") {
    last[last.length - 1] = (last.at(-1)! + 1) % of.locations;
  }
  const count = records * of.locations;
  return {
    ...of,
    records,
    values: Float64Array.from(rows.flat()),
    margins: new Float32Array(count).fill(0.25),
    runnersUp: new Int32Array(count).fill(0),
    scores: new Float32Array(records).fill(1),
    choices: of.locations,
  };
}

function rollout(request: RolloutRequest): Rollout {
  const truth = trace(request.problem);
  const records = truth.records + (request.extraSteps ?? 0);
  const [nodes, isWrong] = [truth.nodes, request.network === "fake-1"];
  const shift = (request.interventions ?? []).length;
  const path = Float32Array.from({ length: records * COMPONENTS }, (_, at) => Math.sin(at) + shift);
  const falling = Float32Array.from({ length: records }, (_, record) => 1 / (record + 1));
  return {
    network: request.network,
    algorithm: request.algorithm,
    nodes,
    records,
    traceRecords: truth.records,
    hidden: HIDDEN,
    hints: truth.values.slice(0, 3).map((it) => predicted(it, records, isWrong)),
    outputs: [predicted(truth.values[3]!, records, isWrong)],
    states: new Float32Array(records * nodes * HIDDEN),
    scores: falling.map((value) => 1 - value),
    residuals: falling,
    agreement: [{ variant: "bellman_ford", shares: falling.map((value) => 1 - value) }],
    ...(shift > 0 && {
      distance: { total: falling, nodes: new Float32Array(records * nodes), undisturbedScores: falling },
    }),
    projection: {
      pooled: path,
      nodes: Float32Array.from({ length: records * nodes * COMPONENTS }, (_, at) => Math.cos(at)),
    },
    milliseconds: 1,
  };
}

function corpus(request: CorpusRequest): Corpus {
  const steps = 5;
  const count = request.graphs * steps;
  const of = (each: (point: number) => number) => Array.from({ length: count }, (_, point) => each(point));
  return {
    id: 1,
    request,
    hidden: HIDDEN,
    components: COMPONENTS,
    directions: new Float32Array(HIDDEN * COMPONENTS).fill(0.1),
    variances: Float32Array.from([4, 2, 1]),
    shares: Float32Array.from([0.6, 0.2, 0.1]),
    mean: new Float32Array(HIDDEN),
    points: Float32Array.from(
      of((point) => point).flatMap((point) => [point % steps, Math.sin(point), Math.cos(3 * point)]),
    ),
    sample: Uint32Array.from(of((point) => Math.floor(point / steps))),
    record: Uint32Array.from(of((point) => (point % steps) + 1)),
    node: Int32Array.from(of(() => -1)),
    cluster: Uint32Array.from(
      { length: request.graphs },
      (_, sample) => sample % (request.classes ?? request.graphs),
    ),
    steps: new Uint32Array(request.graphs).fill(steps),
    scores: new Float32Array(request.graphs).fill(0.9),
  };
}

const PROBLEM: Problem = {
  kind: "graph",
  nodes: 4,
  edges: [
    [0, 1, 0.5],
    [1, 2, 0.4],
    [2, 3, 0.3],
    [0, 3, 0.9],
  ],
  directed: false,
  source: 0,
};

async function answer<T>(value: T): Promise<Result<T>> {
  return { ok: true, value };
}

export function startEngine(): Promise<Result<Engine>> {
  return answer({
    catalogue: CATALOGUE,
    onRestart: undefined,
    random: (_: string, options: RandomOptions) => answer({ ...PROBLEM, source: options.seed % 4 }),
    read: () => answer(PROBLEM),
    trace: (_: string, problem: Problem) => answer(trace(problem)),
    rollout: (request: RolloutRequest) => answer(rollout(request)),
    corpus: (request: CorpusRequest) => answer(corpus(request)),
    corpusProblem: () => answer(PROBLEM),
    forget: () => {},
    addNetwork: async () => ({ ok: false as const, error: "The fake engine reads no networks." }),
    close: () => {},
  });
}
