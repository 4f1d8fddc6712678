// An engine in node: the kept module in this process instead of a worker, shipped networks.

import { readFileSync } from "node:fs";
import type { NetworkFiles } from "../../src/engine/bundle.ts";
import { connect, type Parts } from "../../src/engine/client.ts";
import type { FromWorker, ToWorker } from "../../src/engine/messages.ts";
import { Module } from "../../src/engine/module.ts";
import type { Port } from "../../src/engine/queue.ts";
import type { Engine } from "../../src/engine/types.ts";

const NETWORKS = "../../crates/narscope/networks";
const MODULE = "../../crates/narscope/explorer/engine.wasm";

export function memoryOf(file: string): ArrayBuffer {
  const bytes = readFileSync(file);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

export const wasm = (): ArrayBuffer => memoryOf(MODULE);

export function shipped(name: string): NetworkFiles {
  const folder = `${NETWORKS}/${name}`;
  return {
    name,
    config: readFileSync(`${folder}/config.toml`, "utf8"),
    test: readFileSync(`${folder}/test.json`, "utf8"),
    weights: memoryOf(`${folder}/best.safetensors`),
  };
}

/** Does what the worker does, in this process; `trapAt` is the request that ends it. */
export class Here implements Port {
  onmessage: Port["onmessage"] = null;
  onerror: Port["onerror"] = null;
  private module: Promise<Module> | undefined;
  private asked = 0;

  constructor(private readonly trapAt = 0) {}

  postMessage(message: ToWorker): void {
    this.handle(message).then(
      (data) => this.send(data),
      (error: unknown) => this.send({ trap: String(error) }),
    );
  }

  terminate(): void {}

  private send(data: FromWorker): void {
    this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }

  private async handle(message: ToWorker): Promise<FromWorker> {
    if ("wasm" in message) {
      this.module = Module.of(message.wasm);
      await this.module;
      return { ready: true };
    }
    this.asked++;
    if (this.asked === this.trapAt) {
      throw new Error("out of memory");
    }
    return { answer: (await this.module!).answer(message.request), milliseconds: 1 };
  }
}

/** An engine with these networks. */
export async function engine(networks: NetworkFiles[], more: Partial<Parts> = {}): Promise<Engine> {
  const started = await connect({ wasm: wasm(), networks, makeWorker: () => new Here(), ...more });
  if (!started.ok) {
    throw new Error(started.error);
  }
  return started.value;
}
