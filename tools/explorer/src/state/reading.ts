// What a probe says at a position of the scrubber: the algorithm's value and the network's, and whether they differ.

import {
  type Kind,
  type Predicted,
  type Probe,
  type Rollout,
  recordAt,
  type Trace,
  type Values,
} from "../engine/types.ts";

/** Numbers that differ by more than this count as different. */
const TOLERANCE = 0.1;

export interface Reading {
  probe: Probe;
  locations: number;
  values: Float64Array;
  /** Only of networks. */
  margins: Float32Array | null;
  runnersUp: Int32Array | null;
}

/** Hints and outputs, in the order of the algorithm. */
export function probesOf(trace: Trace): Probe[] {
  const shown = trace.values.map(({ probe }) => probe).filter(({ stage }) => stage !== "input");
  return shown.filter((probe, index) => shown.findIndex(({ name }) => name === probe.name) === index);
}

export function readTrace(trace: Trace, name: string, position: number): Reading | null {
  const values = trace.values.find(({ probe }) => probe.name === name);
  return values ? reading(values, position) : null;
}

export function readRun(run: Rollout, name: string, position: number): Reading | null {
  const predicted = [...run.hints, ...run.outputs].find(({ probe }) => probe.name === name);
  if (!predicted) {
    return null;
  }
  const read = reading(predicted, position);
  return {
    ...read,
    margins: slice(predicted, predicted.margins, position),
    runnersUp: slice(predicted, predicted.runnersUp, position),
  };
}

function reading(values: Values, position: number): Reading {
  return {
    probe: values.probe,
    locations: values.locations,
    values: slice(values, values.values, position),
    margins: null,
    runnersUp: null,
  };
}

function slice<A extends Float64Array | Float32Array | Int32Array>(
  of: Values | Predicted,
  all: A,
  position: number,
): A {
  const start = recordAt(of.records, position) * of.locations;
  return all.subarray(start, start + of.locations) as A;
}

/** Whether the network says something else than the algorithm at a location. */
export function differs(truth: Reading | null, predicted: Reading, location: number): boolean {
  const [right, found] = [truth?.values[location], predicted.values[location]];
  if (right === undefined || found === undefined || Number.isNaN(found) || Number.isNaN(right)) {
    return false;
  }
  if (predicted.probe.kind === "scalar") {
    return Math.abs(right - found) > TOLERANCE;
  }
  // Masked values are not scored.
  return right !== found && right !== -1;
}

export function isPointer(kind: Kind): boolean {
  return kind === "pointer" || kind === "permutation_pointer" || kind === "should_be_permutation";
}

/** The probes that a picture draws, each in its own way. */
export interface Layers {
  /** Arrows from nodes. */
  arrows: Probe | null;
  /** Filled nodes. */
  fill: Probe | null;
  /** Numbers below nodes. */
  numbers: Probe | null;
  /** Single nodes that are marked, such as i and j of a sort. */
  marks: Probe[];
}

/** The chosen probe and, for what it is not, the first one of each kind. */
export function layers(probes: readonly Probe[], chosen: string): Layers {
  const hints = probes.filter(({ stage }) => stage === "hint");
  const candidates = hints.length > 0 ? hints : probes;
  const preferred = probes.find(({ name }) => name === chosen);
  const first = (fits: (probe: Probe) => boolean) =>
    preferred && fits(preferred) ? preferred : (candidates.find(fits) ?? null);
  const atNodes = (probe: Probe) => probe.location === "node";
  const isArrow = (probe: Probe) => atNodes(probe) && isPointer(probe.kind);
  return {
    arrows: first(isArrow) ?? probes.find(isArrow) ?? null,
    fill: first((probe) => atNodes(probe) && (probe.kind === "mask" || probe.kind === "categorical")),
    numbers: first((probe) => atNodes(probe) && probe.kind === "scalar"),
    marks: candidates.filter(
      ({ location, kind }) => kind === "mask_one" || (location === "graph" && isPointer(kind)),
    ),
  };
}

/** A number in a few characters; an unknown one as a dash. */
export function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) {
    return "–";
  }
  return Number.isInteger(value)
    ? String(value)
    : value.toFixed(Math.abs(value) < 10 ? 2 : 1).replace("-", "−");
}
