// The engine's WebAssembly module. The counterpart of crates/narscope-web/src/abi.rs.

interface Exports {
  memory: WebAssembly.Memory;
  narscope_alloc(length: number): number;
  narscope_call(): number;
  narscope_answer(): number;
  narscope_panic(): number;
  narscope_panic_length(): number;
}

/** A module whose one instruction is of SIMD: what browsers before 2023 refuse. */
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
]);

/** Whether this browser can run the module; otherwise a sentence. */
export function whatIsMissing(): string | undefined {
  if (typeof WebAssembly !== "object") {
    return "The explorer needs WebAssembly, which this browser does not have or does not allow.";
  }
  if (!WebAssembly.validate(SIMD)) {
    return "The explorer needs WebAssembly with SIMD, which this browser does not have: use one of 2023 or later.";
  }
  return undefined;
}

/** The module is broken and has to be made anew. */
export class Trap extends Error {}

export class Module {
  private constructor(private readonly exports: Exports) {}

  static async of(wasm: BufferSource): Promise<Module> {
    // The module imports nothing.
    const { instance } = await WebAssembly.instantiate(wasm);
    return new Module(instance.exports as unknown as Exports);
  }

  /** The frame of an answer, in memory of its own. Throws a `Trap`. */
  answer(request: Uint8Array): ArrayBuffer {
    const { memory, ...module } = this.exports;
    try {
      const place = module.narscope_alloc(request.length);
      new Uint8Array(memory.buffer, place, request.length).set(request);
      const length = module.narscope_call();
      const answer = module.narscope_answer();
      return memory.buffer.slice(answer, answer + length);
    } catch (error) {
      const length = module.narscope_panic_length();
      const panic = new Uint8Array(memory.buffer, module.narscope_panic(), length);
      throw new Trap(length > 0 ? new TextDecoder().decode(panic) : String(error));
    }
  }
}
