// The settings as the fragment of an address, so that a link reproduces what one sees.
//
// A link comes from anywhere: whatever does not have the expected shape is replaced by the default.

import type { Problem } from "../engine/types.ts";
import { placesOf } from "../problem/layout.ts";
import { type Draft, type Edge, type Place, refusal } from "../problem/problem.ts";
import { begin } from "./history.ts";
import {
  AGGREGATORS,
  END,
  KNOBS,
  type Knobs,
  type Push,
  type Settings,
  STORED,
  type Stored,
} from "./settings.ts";

const VERSION = 1;
const MOST_CHARACTERS = 200_000;
const MOST_PUSHES = 8;

export function toFragment(settings: Settings): string {
  const { draft, isPlaying: _, ...rest } = settings;
  const { problem, places } = draft.now;
  const json = JSON.stringify({
    version: VERSION,
    ...rest,
    problem,
    places: places.map(({ x, y }) => [x, y]),
  });
  const bytes = new TextEncoder().encode(json);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The settings of a fragment, or `null` if it is none of ours. */
export function fromFragment(fragment: string, defaults: Settings, mostNodes: number): Settings | null {
  const read = parsed(fragment.replace(/^#/, ""));
  if (!isRecord(read) || read.version !== VERSION) {
    return null;
  }
  const draft = draftOf(read.problem, read.places, mostNodes);
  return {
    algorithm: text(read.algorithm, defaults.algorithm),
    draft: draft ? begin(draft) : defaults.draft,
    networks: networksOf(read.networks, defaults.networks),
    knobs: knobsOf(read.knobs),
    pushes: pushesOf(read.pushes),
    stored: storedOf(read.stored),
    position: whole(read.position, 0, 0, END),
    isPlaying: false,
    view: read.view === "matrix" ? "matrix" : "links",
    probe: text(read.probe, ""),
    node: whole(read.node, -1, -1, 10_000),
    dimensions: read.dimensions === 3 ? 3 : 2,
    colour: read.colour === "cluster" || read.colour === "score" ? read.colour : "step",
  };
}

function parsed(fragment: string): unknown {
  if (fragment === "" || fragment.length > MOST_CHARACTERS) {
    return null;
  }
  try {
    const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0))));
  } catch {
    return null;
  }
}

function draftOf(problem: unknown, places: unknown, mostNodes: number): Draft | null {
  const read = problemOf(problem);
  if (read === null || refusal(read, mostNodes) !== null) {
    return null;
  }
  const isPlace = (pair: unknown) => isNumbers(pair) && pair.length === 2;
  if (
    read.kind === "graph" &&
    Array.isArray(places) &&
    places.length === read.nodes &&
    places.every(isPlace)
  ) {
    return { problem: read, places: places.map(([x, y]): Place => ({ x, y })) };
  }
  return { problem: read, places: placesOf(read) };
}

function problemOf(read: unknown): Problem | null {
  if (!isRecord(read)) {
    return null;
  }
  switch (read.kind) {
    case "graph": {
      const { nodes, edges, directed, source, names } = read;
      const areEdges = Array.isArray(edges) && edges.every((edge) => isNumbers(edge) && edge.length === 3);
      if (!isNumber(nodes) || !areEdges || !isNumber(source)) {
        return null;
      }
      const named = isTexts(names) && names.length === nodes ? { names } : {};
      return { kind: "graph", nodes, edges: edges as Edge[], directed: directed === true, source, ...named };
    }
    case "array": {
      const { values, target } = read;
      return isNumbers(values) ? { kind: "array", values, ...(isNumber(target) && { target }) } : null;
    }
    case "columns": {
      const { columns } = read;
      return isRecord(columns) && Object.values(columns).every(isNumbers)
        ? { kind: "columns", columns: columns as Record<string, number[]> }
        : null;
    }
    case "text":
      return isTexts(read.lines) ? { kind: "text", lines: read.lines } : null;
    default:
      return null;
  }
}

function networksOf(read: unknown, otherwise: Settings["networks"]): Settings["networks"] {
  return isTexts(read) && read.length === 2 ? [read[0]!, read[1]!] : otherwise;
}

function knobsOf(read: unknown): Knobs {
  if (!isRecord(read)) {
    return KNOBS;
  }
  const aggregator = AGGREGATORS.find((name) => name === read.aggregator) ?? null;
  const optional = (value: unknown) => (isNumber(value) ? value : null);
  return {
    aggregator,
    temperature: optional(read.temperature),
    decay: optional(read.decay),
    extraSteps: whole(read.extraSteps, KNOBS.extraSteps, -100, 1000),
    threshold: isNumber(read.threshold) ? read.threshold : KNOBS.threshold,
  };
}

function storedOf(read: unknown): Stored {
  if (!isRecord(read)) {
    return STORED;
  }
  return {
    family: text(read.family, STORED.family),
    graphs: whole(read.graphs, STORED.graphs, 1, 100_000),
    nodes: whole(read.nodes, STORED.nodes, 2, 1000),
    classes: whole(read.classes, STORED.classes, 1, 1000),
    p: isNumber(read.p) && read.p >= 0 && read.p <= 1 ? read.p : null,
    seed: whole(read.seed, STORED.seed, 0, 2 ** 32 - 1),
    points: read.points === "nodes" ? "nodes" : "pooled",
  };
}

function pushesOf(read: unknown): Push[] {
  return Array.isArray(read) ? read.slice(0, MOST_PUSHES).flatMap((push) => pushOf(push) ?? []) : [];
}

function pushOf(read: unknown): Push | null {
  if (!isRecord(read)) {
    return null;
  }
  const steps = isNumber(read.steps) ? read.steps : ("all" as const);
  const nodes = isNumber(read.nodes) ? read.nodes : ("all" as const);
  const { kind, amounts, cluster, amount, scale, seed } = read;
  if (kind === "move" && isNumbers(amounts)) {
    return { kind, amounts, steps, nodes };
  }
  if (kind === "cluster" && isNumber(cluster) && isNumber(amount)) {
    return { kind, cluster, amount, steps, nodes };
  }
  if (kind === "noise" && isNumber(scale) && isNumber(seed)) {
    return { kind, scale, seed, steps, nodes };
  }
  return kind === "zero" ? { kind, steps, nodes } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isNumber);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function text(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function whole(value: unknown, otherwise: number, least: number, most: number): number {
  return Number.isInteger(value) ? Math.min(most, Math.max(least, value as number)) : otherwise;
}
