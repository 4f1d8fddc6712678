// Looks at the stored states from any side, or straight at the first two components.

export type Vector = readonly [number, number, number];

const DISTANCE = 5;
const FAR = 1e6;
const STEEPEST = Math.PI / 2;
const START = { azimuth: -0.6, elevation: 0.42, zoom: 1 };

export class Camera {
  private azimuth = START.azimuth;
  private elevation = START.elevation;
  private zoom = START.zoom;
  /** Pixels per unit at the centre. */
  private scale = 1;
  private centre: readonly [number, number] = [0, 0];
  isFlat = true;

  reset(): void {
    Object.assign(this, START);
  }

  turn(azimuth: number, elevation: number): void {
    this.azimuth += azimuth;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + elevation));
  }

  zoomBy(factor: number): void {
    this.zoom = Math.min(30, Math.max(0.3, this.zoom * factor));
  }

  /** Fits a box with these half edges into a view. */
  fit(half: Vector, width: number, height: number): void {
    const radius = Math.hypot(...half);
    const [across, up] = this.isFlat ? [half[0], half[1]] : [radius, radius];
    this.scale = (0.86 * this.zoom * Math.min(width / across, height / up)) / 2;
    this.centre = [width / 2, height / 2];
  }

  get distance(): number {
    return this.isFlat ? FAR : DISTANCE;
  }

  get pixelsPerUnit(): number {
    return this.scale;
  }

  /** The rows of the rotation: to the right, upwards, towards the reader. */
  rotation(): readonly [Vector, Vector, Vector] {
    if (this.isFlat) {
      return [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ];
    }
    const [sine, cosine] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    const [rise, level] = [Math.sin(this.elevation), Math.cos(this.elevation)];
    return [
      [cosine, -sine, 0],
      [rise * sine, rise * cosine, level],
      [-level * sine, -level * cosine, rise],
    ];
  }

  /** Where a point appears, and how large compared with one at the centre. */
  project(point: Vector): { x: number; y: number; size: number } {
    const [right, up, near] = this.rotation().map((row) => dot(row, point)) as [number, number, number];
    const size = this.distance / (this.distance - near);
    return {
      x: this.centre[0] + this.scale * size * right,
      y: this.centre[1] - this.scale * size * up,
      size,
    };
  }

  /** The move in space that a move on the screen means, in the plane of the screen. */
  unproject(dx: number, dy: number): Vector {
    const [right, up] = this.rotation();
    const along = (axis: 0 | 1 | 2) => (dx * right[axis] - dy * up[axis]) / this.scale;
    return [along(0), along(1), along(2)];
  }
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
