// Frames: JSON, and beside it bytes. The counterpart of crates/narscope-web/src/frame.rs.

const HEADER = 4;
const ALIGNMENT = 8;

/** What stands in the JSON for numbers among the bytes. */
interface Placed {
  array: "f32" | "f64" | "i32" | "u32";
  at: number;
  length: number;
}

const VIEWS = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u32: Uint32Array } as const;

function startOfBytes(json: number): number {
  return Math.ceil((HEADER + json) / ALIGNMENT) * ALIGNMENT;
}

/** A frame of a request; typed arrays in it become lists of numbers. */
export function encode(request: object, bytes: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer> {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value;
  const json = new TextEncoder().encode(JSON.stringify(request, plain));
  const start = startOfBytes(json.length);
  const frame = new Uint8Array(start + bytes.length);
  new DataView(frame.buffer).setUint32(0, json.length, true);
  frame.set(json, HEADER);
  frame.set(bytes, start);
  return frame;
}

/** The answer in a frame; its arrays are views of the frame's memory. */
export function decode(frame: ArrayBuffer): unknown {
  const length = new DataView(frame).getUint32(0, true);
  const json = new TextDecoder().decode(new Uint8Array(frame, HEADER, length));
  const start = startOfBytes(length);
  return JSON.parse(json, (_, value: unknown) => {
    if (!isPlaced(value)) {
      return value;
    }
    return new VIEWS[value.array](frame, start + value.at, value.length);
  });
}

function isPlaced(value: unknown): value is Placed {
  return (
    typeof value === "object" && value !== null && "array" in value && "at" in value && "length" in value
  );
}
