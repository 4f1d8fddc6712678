// Draws stored states: by WebGL, or on a plain canvas where there is none.

import type { Camera } from "./camera.ts";
import type { Space } from "./space.ts";
import { WebglPainter } from "./webgl.ts";

/** What is drawn: a space, and a colour per point. */
export interface Cloud {
  space: Space;
  /** Red, green, blue of every point, from 0 to 255. */
  colours: Uint8Array;
  /** The record of every point. */
  records: Float32Array;
  /** Whether the points of a trajectory are joined. */
  joined: boolean;
}

export interface Painter {
  /** What is lost without WebGL, as a sentence; empty if nothing is. */
  readonly notice: string;
  load(cloud: Cloud): void;
  /** Points of the current record are larger. */
  draw(camera: Camera, width: number, height: number, record: number): void;
}

/** The best painter that the browser has. */
export function painterFor(canvas: HTMLCanvasElement): Painter {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: false });
  return gl ? new WebglPainter(gl) : new CanvasPainter(canvas);
}

/** A plain canvas is slower, so it shows a part of the points. */
class CanvasPainter implements Painter {
  private static readonly MOST_POINTS = 4000;
  readonly notice = "This browser has no WebGL: at most 4,000 stored states are drawn, and without lines.";
  private cloud: Cloud | null = null;

  constructor(private canvas: HTMLCanvasElement) {}

  load(cloud: Cloud): void {
    this.cloud = cloud;
  }

  draw(camera: Camera, width: number, height: number, record: number): void {
    const context = this.canvas.getContext("2d");
    if (!context) {
      return;
    }
    context.setTransform(this.canvas.width / width, 0, 0, this.canvas.height / height, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!this.cloud) {
      return;
    }
    const { space, colours, records } = this.cloud;
    const project = camera.projector();
    const every = Math.ceil(records.length / CanvasPainter.MOST_POINTS);
    for (let point = 0; point < records.length; point += every) {
      const at = 3 * point;
      const { x, y, size } = project(space.points[at]!, space.points[at + 1]!, space.points[at + 2]!);
      const side = (records[point] === record ? 6 : 3) * size;
      context.fillStyle = `rgb(${colours[at]}, ${colours[at + 1]}, ${colours[at + 2]})`;
      context.fillRect(x - side / 2, y - side / 2, side, side);
    }
  }
}
