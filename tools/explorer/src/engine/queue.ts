// One request at a time, so that those that wait can be given up or replaced by newer ones.

import { decode, encode } from "./frame.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import type { Result, Waiting } from "./types.ts";

/** A worker, or what stands for one in tests. */
export interface Port {
  postMessage(message: ToWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

export type Timed<T> = Result<T> & { milliseconds?: number };

interface Job {
  frame: Uint8Array<ArrayBuffer>;
  slot: string | undefined;
  settle(result: Timed<unknown>): void;
}

export const CANCELLED = { ok: false, error: "This was given up.", cancelled: true } as const;

/** Answers come in the order of the requests. */
export class Queue {
  private waiting: Job[] = [];
  private running: Job | undefined;

  /** `onTrap` is called after the request that ended the module has failed. */
  constructor(
    private port: Port,
    private readonly onTrap: (sentence: string) => void,
  ) {
    this.listen();
  }

  ask<T>(request: object, waiting: Waiting = {}, bytes?: Uint8Array): Promise<Timed<T>> {
    const { slot, signal } = waiting;
    if (signal?.aborted) {
      return Promise.resolve(CANCELLED);
    }
    if (slot !== undefined) {
      this.drop((job) => job.slot === slot);
    }
    return new Promise((resolve) => {
      const settle = (result: Timed<unknown>) => resolve(result as Timed<T>);
      const job = { frame: encode(request, bytes), slot, settle };
      this.waiting.push(job);
      signal?.addEventListener("abort", () => this.drop((other) => other === job), { once: true });
      this.next();
    });
  }

  /** Fails everything and goes on with another worker. */
  replace(port: Port, sentence: string): void {
    this.close(sentence);
    this.port = port;
    this.listen();
  }

  close(sentence: string): void {
    this.port.onmessage = null;
    this.port.onerror = null;
    this.port.terminate();
    const failed = [...(this.running ? [this.running] : []), ...this.waiting];
    this.running = undefined;
    this.waiting = [];
    for (const job of failed) {
      job.settle({ ok: false, error: sentence });
    }
  }

  private drop(isDropped: (job: Job) => boolean): void {
    const dropped = this.waiting.filter(isDropped);
    this.waiting = this.waiting.filter((job) => !isDropped(job));
    for (const job of dropped) {
      job.settle(CANCELLED);
    }
  }

  private next(): void {
    if (this.running) {
      return;
    }
    this.running = this.waiting.shift();
    if (this.running) {
      const { frame } = this.running;
      this.port.postMessage({ request: frame }, [frame.buffer]);
    }
  }

  private listen(): void {
    this.port.onmessage = ({ data }) => {
      if ("trap" in data) {
        this.onTrap(data.trap);
      } else if ("answer" in data) {
        const job = this.running;
        this.running = undefined;
        job?.settle({ ...(decode(data.answer) as Result<unknown>), milliseconds: data.milliseconds });
        this.next();
      }
    };
    this.port.onerror = (event) => this.onTrap(event.message);
  }
}
