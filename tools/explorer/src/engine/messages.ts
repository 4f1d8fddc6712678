// Messages between the page and its worker.

/** From the page: first the module, then requests. */
export type ToWorker = { wasm: ArrayBuffer } | { request: Uint8Array<ArrayBuffer> };

/** From the worker: an answer, or what ended the module. */
export type FromWorker = { ready: true } | { answer: ArrayBuffer; milliseconds: number } | { trap: string };
