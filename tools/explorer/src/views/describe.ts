// One node at one step, in words: for hovering, for screen readers.

import type { Draft } from "../problem/problem.ts";
import { nodeName } from "../problem/problem.ts";
import { differs, isPointer, type Layers, type Reading, short } from "../state/reading.ts";

export interface Described {
  draft: Draft;
  layers: Layers;
  truth: (probe: string) => Reading | null;
  shown: (probe: string) => Reading | null;
  isNetwork: boolean;
}

/** Says what is shown at a node, and what the algorithm says where that differs. */
export function describeNode({ draft, layers, truth, shown, isNetwork }: Described, node: number): string {
  const name = (other: number | undefined) =>
    other === undefined || other < 0 ? "none" : nodeName(draft.problem, other);
  const parts = [layers.arrows, layers.fill, layers.numbers].flatMap((probe) => {
    const read = probe && shown(probe.name);
    const value = read?.values[node];
    if (!probe || !read || value === undefined || Number.isNaN(value)) {
      return [];
    }
    const word = (it: number | undefined) => (isPointer(probe.kind) ? name(it) : short(it));
    const right = truth(probe.name);
    const isWrong = isNetwork && differs(right, read, node);
    const margin = read.margins?.[node];
    const runnerUp = read.runnersUp?.[node];
    const isClose = margin !== undefined && !Number.isNaN(margin) && probe.kind !== "scalar";
    const second =
      isPointer(probe.kind) && runnerUp !== undefined && runnerUp >= 0 ? ` to ${name(runnerUp)}` : "";
    return [
      `${probe.name} ${word(value)}` +
        (isClose ? `, margin ${short(margin)}${second}` : "") +
        (isWrong ? `, the algorithm says ${word(right?.values[node])}` : ""),
    ];
  });
  return `node ${name(node)}: ${parts.join("; ") || "no value yet"}`;
}
