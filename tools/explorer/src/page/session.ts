// Asks the engine whenever a setting changes that an answer depends on.

import type { Corpus, Engine, Intervention, Problem, Result, RolloutRequest } from "../engine/types.ts";
import { refusal } from "../problem/problem.ts";
import { type Answers, NOTHING, positions } from "../state/answers.ts";
import type { Push, Settings } from "../state/settings.ts";
import type { Store } from "../state/store.ts";

export class Session {
  private asked = 0;
  private askedCorpus = 0;

  constructor(
    readonly engine: Engine,
    readonly settings: Store<Settings>,
    readonly answers: Store<Answers>,
  ) {
    settings.on((now, before) => this.follow(now, before));
    engine.onRestart = (sentence) => {
      this.answers.set({ corpus: null, notice: sentence });
      this.runAll();
      this.store();
    };
  }

  start(): void {
    this.runAll();
    this.store();
  }

  private follow(now: Settings, before: Settings): void {
    const changed = (...fields: (keyof Settings)[]) => fields.some((field) => now[field] !== before[field]);
    const isOtherProblem = now.draft.now.problem !== before.draft.now.problem;
    if (isOtherProblem || changed("algorithm", "networks", "knobs", "pushes")) {
      this.runAll();
    }
    if (changed("algorithm", "stored") || now.networks[0] !== before.networks[0]) {
      this.store();
    }
  }

  /** The trace and the runs of the problem as it is now. Of several in a row only the newest is shown. */
  private async runAll(): Promise<void> {
    this.asked += 1;
    const asked = this.asked;
    const settings = this.settings.get();
    const { algorithm, draft } = settings;
    const refused = refusal(draft.now.problem, this.engine.catalogue.limits.nodes);
    if (refused !== null) {
      this.answers.set({ isBusy: false, failed: refused });
      return;
    }
    this.answers.set({ isBusy: true });
    const run = (index: 0 | 1) => {
      const network = settings.networks[index];
      const waiting = { slot: `run ${index}` };
      return network === "" ? null : this.engine.rollout(this.request(network, index === 0), waiting);
    };
    const isPushed = settings.pushes.length > 0;
    const plain = isPushed
      ? this.engine.rollout(
          { ...this.request(settings.networks[0], true), interventions: [] },
          { slot: "plain" },
        )
      : null;
    const traced = this.engine.trace(algorithm, draft.now.problem, { slot: "trace" });
    const [trace, first, second, undisturbed] = await Promise.all([traced, run(0), run(1), plain]);
    if (asked !== this.asked) {
      return;
    }
    const failed = [trace, first, second].find((result) => result && !result.ok && !result.cancelled);
    this.answers.set({
      trace: answered(trace),
      runs: [answered(first), answered(second)],
      undisturbed: answered(undisturbed),
      isBusy: false,
      failed: failed && !failed.ok ? failed.error : "",
    });
    this.keepPosition();
  }

  private request(network: string, isFirst: boolean): RolloutRequest {
    const { algorithm, draft, knobs, pushes } = this.settings.get();
    const { corpus } = this.answers.get();
    return {
      network,
      algorithm,
      problem: draft.now.problem,
      extraSteps: knobs.extraSteps,
      ...(knobs.aggregator !== null && { aggregator: knobs.aggregator }),
      ...(knobs.temperature !== null && { temperature: knobs.temperature }),
      ...(knobs.decay !== null && { decay: knobs.decay }),
      interventions: pushes.flatMap((push) => intervention(push, corpus) ?? []),
      ...(isFirst && corpus !== null && { corpus: corpus.id }),
    };
  }

  /** Computes the trajectories behind the live one, of the network as it was trained whatever the knobs are. */
  private async store(): Promise<void> {
    this.askedCorpus += 1;
    const asked = this.askedCorpus;
    const { algorithm, networks, stored } = this.settings.get();
    this.answers.set({ progress: 0 });
    const result = await this.engine.corpus(
      {
        network: networks[0],
        algorithm,
        graphs: stored.graphs,
        length: stored.nodes,
        seed: stored.seed,
        points: stored.points,
        ...(stored.family !== "" && { family: stored.family }),
        ...(stored.p !== null && { p: stored.p }),
        ...(isSymmetric(stored.family) && { classes: stored.classes }),
      },
      {
        slot: "corpus",
        onProgress: (progress) => asked === this.askedCorpus && this.answers.set({ progress }),
      },
    );
    if (asked !== this.askedCorpus) {
      return;
    }
    if (!result.ok) {
      this.answers.set({
        progress: null,
        corpus: null,
        notice: result.cancelled ? this.answers.get().notice : result.error,
      });
      return;
    }
    const old = this.answers.get().corpus;
    this.answers.set({ progress: null, corpus: result.value });
    if (old) {
      this.engine.forget(old.id);
    }
    this.runAll();
  }

  /** Keeps the scrubber inside of what there is. */
  private keepPosition(): void {
    const last = positions(this.answers.get()) - 1;
    if (this.settings.get().position > last) {
      this.settings.set({ position: last });
    }
  }

  /** The requested problem, or `null` after showing a notice. */
  async problem(asked: Promise<Result<Problem>>): Promise<Problem | null> {
    const result = await asked;
    if (result.ok) {
      return result.value;
    }
    this.answers.set({ notice: result.error });
    return null;
  }

  /** Forgets what was answered, before another algorithm is shown. */
  clear(): void {
    this.answers.set({ ...NOTHING });
  }
}

export function isSymmetric(family: string): boolean {
  return /relabel|rescale|reweight/.test(family);
}

/** What the engine does for a push; `null` while the corpus that it refers to is not there. */
export function intervention(push: Push, corpus: Corpus | null): Intervention | null {
  const steps: Intervention["steps"] = push.steps === "all" ? "all" : [push.steps];
  const nodes: Intervention["nodes"] = push.nodes === "all" ? "all" : [push.nodes];
  switch (push.kind) {
    case "zero":
      return { kind: "zero", steps, nodes };
    case "noise":
      return { kind: "noise", scale: push.scale, seed: push.seed, steps, nodes };
    case "move": {
      const vector = corpus && combined(corpus.directions, corpus.hidden, push.amounts);
      return vector && { kind: "add", vector, steps, nodes };
    }
    case "cluster": {
      const directions = corpus?.clusterDirections;
      const start = push.cluster * (corpus?.hidden ?? 0);
      const direction = directions?.subarray(start, start + (corpus?.hidden ?? 0));
      const vector = direction?.map((value) => push.amount * value);
      return vector && vector.length > 0 ? { kind: "add", vector, steps, nodes } : null;
    }
  }
}

function answered<T>(result: Result<T> | null): T | null {
  return result?.ok ? result.value : null;
}

function combined(directions: Float32Array, hidden: number, amounts: readonly number[]): Float32Array {
  const sum = new Float32Array(hidden);
  amounts.forEach((amount, component) => {
    const direction = directions.subarray(component * hidden, (component + 1) * hidden);
    direction.forEach((value, unit) => {
      sum[unit]! += amount * value;
    });
  });
  return sum;
}
