// The worker: the module, and one answer per request.

import type { FromWorker, ToWorker } from "./messages.ts";
import { Module } from "./module.ts";

interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as Scope;
let module: Module | undefined;

async function handle(message: ToWorker): Promise<void> {
  if ("wasm" in message) {
    module = await Module.of(message.wasm);
    scope.postMessage({ ready: true });
    return;
  }
  if (!module) {
    throw new Error("a request before the module");
  }
  const before = performance.now();
  const answer = module.answer(message.request);
  scope.postMessage({ answer, milliseconds: performance.now() - before }, [answer]);
}

scope.onmessage = ({ data }) => {
  handle(data).catch((error: unknown) =>
    scope.postMessage({ trap: error instanceof Error ? error.message : String(error) }),
  );
};
