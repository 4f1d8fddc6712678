// Colours of stored states.

import { category, type Rgb, scale } from "../draw/colours.ts";
import type { Corpus } from "../engine/types.ts";
import type { PointColour } from "../state/settings.ts";
import type { Cloud } from "./painter.ts";
import type { Space } from "./space.ts";

export function cloudOf(corpus: Corpus, space: Space, colour: PointColour): Cloud {
  const count = corpus.record.length;
  const colours = new Uint8Array(3 * count);
  const of = colourOf(corpus, space, colour);
  for (let point = 0; point < count; point += 1) {
    colours.set(of(point), 3 * point);
  }
  return { space, colours, records: Float32Array.from(corpus.record), joined: true };
}

function colourOf(corpus: Corpus, space: Space, colour: PointColour): (point: number) => Rgb {
  const { record, sample, cluster, scores } = corpus;
  switch (colour) {
    case "step":
      return (point) => scale((record[point]! - 1) / Math.max(1, space.lastRecord - 1));
    case "cluster":
      return (point) => category(cluster[sample[point]!]!);
    case "score":
      return (point) => scale(scores[sample[point]!]!);
  }
}

/** One stored state in words. */
export function describePoint(corpus: Corpus, point: number): string {
  const sample = corpus.sample[point]!;
  const node = corpus.node[point]!;
  const cluster = corpus.clusterDirections ? `, orbit ${corpus.cluster[sample]}` : "";
  const score = corpus.scores[sample]!;
  const right = Number.isNaN(score) ? "" : `, ${(100 * score).toFixed(0)} % right`;
  return `graph ${sample}${cluster}, step ${corpus.record[point]}${node >= 0 ? `, node ${node}` : ""}${right}`;
}
