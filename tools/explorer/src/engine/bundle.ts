// Where the module and the networks come from: the server of `narscope explore`, or, in an exported
// page, elements of the page itself.

/** The files of a network. */
export interface NetworkFiles {
  name: string;
  config: string;
  /** The text of `test.json`, if there is one. */
  test: string | null;
  weights: ArrayBuffer;
}

export interface Bundle {
  wasm: ArrayBuffer;
  networks: NetworkFiles[];
  makeWorker(): Worker;
}

/** `networks.json`, and what an exported page holds; weights are an address there, base64 here. */
interface Listed {
  networks: { name: string; config: string; test: string | null; weights: string }[];
}

const DATA = "narscope-bundle";
const WORKER = "narscope-worker";

/** Loads the bundle. Throws an `Error` whose message is a sentence. */
export async function loadBundle(): Promise<Bundle> {
  const held = document.getElementById(DATA)?.textContent;
  return held ? fromPage(JSON.parse(held) as Listed & { wasm: string }) : fromServer();
}

function fromPage({ wasm, networks }: Listed & { wasm: string }): Bundle {
  const code = document.getElementById(WORKER)?.textContent ?? "";
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  return {
    wasm: fromBase64(wasm),
    networks: networks.map((network) => ({ ...network, weights: fromBase64(network.weights) })),
    makeWorker: () => new Worker(address),
  };
}

async function fromServer(): Promise<Bundle> {
  const [wasm, listed] = await Promise.all([bytesOf("engine.wasm"), bytesOf("networks.json")]);
  const { networks } = JSON.parse(new TextDecoder().decode(listed)) as Listed;
  const withWeights = networks.map(async (network) => ({
    ...network,
    weights: await bytesOf(network.weights),
  }));
  return { wasm, networks: await Promise.all(withWeights), makeWorker: () => new Worker("worker.js") };
}

async function bytesOf(address: string): Promise<ArrayBuffer> {
  const failed = `The explorer could not load ${address}: is \`narscope explore\` still running?`;
  const response = await fetch(address).catch(() => {
    throw new Error(failed);
  });
  if (!response.ok) {
    throw new Error(`${failed} (${response.status})`);
  }
  return response.arrayBuffer();
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
}
