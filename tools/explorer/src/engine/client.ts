// The page's side of the engine: starts the worker, opens the networks, asks.

import { type Bundle, loadBundle, type NetworkFiles } from "./bundle.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { whatIsMissing } from "./module.ts";
import { CANCELLED, type Port, Queue } from "./queue.ts";
import { readToml } from "./toml.ts";
import type {
  Catalogue,
  Corpus,
  CorpusRequest,
  Engine,
  Network,
  Problem,
  RandomOptions,
  Result,
  Rollout,
  RolloutRequest,
  Trace,
  Waiting,
} from "./types.ts";

/** What `connect` needs of a bundle. */
export type Parts = Pick<Bundle, "wasm" | "networks"> & { makeWorker(): Port };

/** Starts the engine of this page. */
export async function startEngine(): Promise<Result<Engine>> {
  const error = whatIsMissing();
  if (error) {
    return { ok: false, error };
  }
  try {
    return await connect(await loadBundle());
  } catch (reason) {
    return { ok: false, error: reason instanceof Error ? reason.message : String(reason) };
  }
}

/** Starts an engine from parts. */
export async function connect(parts: Parts): Promise<Result<Engine>> {
  try {
    const client = new Client(parts, await startWorker(parts));
    const opened = await client.open();
    return opened.ok ? { ok: true, value: client } : opened;
  } catch (reason) {
    return {
      ok: false,
      error: `The engine did not start: ${reason instanceof Error ? reason.message : reason}`,
    };
  }
}

/** A worker whose module is ready. */
function startWorker({ wasm, makeWorker }: Parts): Promise<Port> {
  const port = makeWorker();
  return new Promise((resolve, reject) => {
    port.onmessage = ({ data }: { data: FromWorker }) =>
      "trap" in data ? reject(new Error(data.trap)) : resolve(port);
    port.onerror = (event) => reject(new Error(event.message));
    const first: ToWorker = { wasm };
    port.postMessage(first, []);
  });
}

class Client implements Engine {
  catalogue: Catalogue = {
    version: "",
    networks: [],
    refused: [],
    algorithms: [],
    families: [],
    limits: { nodes: 0, steps: 0, graphs: 0 },
  };
  onRestart: ((sentence: string) => void) | undefined;
  private readonly queue: Queue;
  private readonly networks: NetworkFiles[];
  /** The corpora under way, by slot. */
  private readonly underWay = new Map<string, AbortController>();
  private corpora = 0;
  private isRestarting = false;

  constructor(
    private readonly parts: Parts,
    port: Port,
  ) {
    this.networks = [...parts.networks];
    this.queue = new Queue(port, (trap) => void this.restart(trap));
  }

  /** Asks what there is and opens all networks; those that cannot be opened are listed. */
  async open(): Promise<Result<void>> {
    const hello = await this.queue.ask<Omit<Catalogue, "networks" | "refused">>({ ask: "hello" });
    if (!hello.ok) {
      return hello;
    }
    const [networks, refused]: [Network[], Catalogue["refused"]] = [[], []];
    for (const files of this.networks) {
      const opened = await this.openOne(files);
      if (opened.ok) {
        networks.push(opened.value);
      } else {
        refused.push({ name: files.name, error: opened.error });
      }
    }
    this.catalogue = { ...hello.value, networks, refused };
    return { ok: true, value: undefined };
  }

  random(algorithm: string, options: RandomOptions, waiting?: Waiting): Promise<Result<Problem>> {
    return this.queue.ask({ ask: "random", algorithm, options }, waiting);
  }

  read(algorithm: string, text: string, waiting?: Waiting): Promise<Result<Problem>> {
    return this.queue.ask({ ask: "read", algorithm, text }, waiting);
  }

  trace(algorithm: string, problem: Problem, waiting?: Waiting): Promise<Result<Trace>> {
    return this.queue.ask({ ask: "trace", algorithm, problem }, waiting);
  }

  async rollout(request: RolloutRequest, waiting?: Waiting): Promise<Result<Rollout>> {
    const answer = await this.queue.ask<Rollout>({ ask: "rollout", ...request }, waiting);
    if (answer.ok) {
      answer.value.milliseconds = answer.milliseconds ?? Number.NaN;
    }
    return answer;
  }

  async corpus(request: CorpusRequest, waiting: Waiting = {}): Promise<Result<Corpus>> {
    const { slot = "", onProgress } = waiting;
    this.underWay.get(slot)?.abort();
    const abort = new AbortController();
    this.underWay.set(slot, abort);
    waiting.signal?.addEventListener("abort", () => abort.abort(), { once: true });
    if (waiting.signal?.aborted) {
      return CANCELLED;
    }
    const id = this.corpora++;
    const { signal } = abort;
    const result = await this.compute(id, request, signal, onProgress);
    if (!result.ok) {
      this.forget(id);
    }
    if (this.underWay.get(slot) === abort) {
      this.underWay.delete(slot);
    }
    return result;
  }

  corpusProblem(corpus: number, sample: number, waiting?: Waiting): Promise<Result<Problem>> {
    return this.queue.ask({ ask: "corpus_problem", corpus, sample }, waiting);
  }

  forget(corpus: number): void {
    void this.queue.ask({ ask: "forget", corpus });
  }

  async addNetwork(name: string, config: string, weights: ArrayBuffer): Promise<Result<Network>> {
    const files = { name, config, test: null, weights };
    const opened = await this.openOne(files);
    if (opened.ok) {
      const others = <T extends { name: string }>(all: T[]) => all.filter((other) => other.name !== name);
      this.networks.splice(0, this.networks.length, ...others(this.networks), files);
      const networks = [...others(this.catalogue.networks), opened.value];
      this.catalogue = { ...this.catalogue, networks };
    }
    return opened;
  }

  close(): void {
    this.queue.close("The engine was closed.");
  }

  private async openOne({ name, config: text, test, weights }: NetworkFiles): Promise<Result<Network>> {
    const config = readToml(text);
    if (!config.ok) {
      return { ok: false, error: `the network ${name} cannot be opened: ${config.error}` };
    }
    return this.queue.ask({ ask: "open", name, config: config.value, test }, {}, new Uint8Array(weights));
  }

  /** Some samples per request: others come between, and it can be given up. */
  private async compute(
    id: number,
    request: CorpusRequest,
    signal: AbortSignal,
    onProgress: Waiting["onProgress"],
  ): Promise<Result<Corpus>> {
    const begun = await this.queue.ask<null>({ ask: "corpus_begin", ...request, id }, { signal });
    if (!begun.ok) {
      return begun;
    }
    for (let share = 0; share < 1; ) {
      const more = await this.queue.ask<{ done: number; of: number }>(
        { ask: "corpus_more", corpus: id },
        { signal },
      );
      if (!more.ok) {
        return more;
      }
      share = more.value.done / more.value.of;
      onProgress?.(share);
    }
    const ended = await this.queue.ask<Omit<Corpus, "request">>(
      { ask: "corpus_end", corpus: id },
      { signal },
    );
    return ended.ok ? { ok: true, value: { ...ended.value, request } } : ended;
  }

  private async restart(trap: string): Promise<void> {
    if (this.isRestarting) {
      return;
    }
    this.isRestarting = true;
    const sentence = `The engine failed and was started again (${trap}).`;
    try {
      this.queue.replace(await startWorker(this.parts), sentence);
      const opened = await this.open();
      this.onRestart?.(opened.ok ? sentence : opened.error);
    } catch (reason) {
      const lost = `The engine failed (${trap}) and could not be started again (${reason}): reload the page.`;
      this.queue.close(lost);
      this.onRestart?.(lost);
    } finally {
      this.isRestarting = false;
    }
  }
}
