// What the engine answered to the settings.

import type { Corpus, Rollout, Trace } from "../engine/types.ts";

export interface Answers {
  trace: Trace | null;
  /** One per network; the second one is `null` when only one is shown. */
  runs: readonly [Rollout | null, Rollout | null];
  /** The first network without pushes, if there are any. */
  undisturbed: Rollout | null;
  corpus: Corpus | null;
  /** Share of the corpus that is computed; `null` if none is under way. */
  progress: number | null;
  /** Whether the trace and the runs do not yet belong to the settings. */
  isBusy: boolean;
  /** Why there is no answer to the settings as they are, as a sentence; empty if there is one. */
  failed: string;
  /** A sentence about what the reader did or what happened; empty if there is none. It stays until it is closed. */
  notice: string;
}

export const NOTHING: Answers = {
  trace: null,
  runs: [null, null],
  undisturbed: null,
  corpus: null,
  progress: null,
  isBusy: false,
  failed: "",
  notice: "",
};

/** The number of positions of the scrubber. */
export function positions({ trace, runs }: Answers): number {
  return Math.max(trace?.records ?? 1, ...runs.map((run) => run?.records ?? 1));
}
