// Looks at the stored states from any side, or straight at the first two components.

export type Vector = readonly [number, number, number];

export interface Projected {
  x: number;
  y: number;
  size: number;
}

const DISTANCE = 5;
const FAR = 1e6;
const STEEPEST = Math.PI / 2;
const START = { azimuth: -0.6, elevation: 0.42, zoom: 1 };

export class Camera {
  private azimuth = START.azimuth;
  private elevation = START.elevation;
  private zoom = START.zoom;
  /** Pixels per unit at the centre, to the right and upwards. */
  private scale: readonly [number, number] = [1, 1];
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

  /** Fits a box with these half edges into a view. In two dimensions each axis has a scale of its own. */
  fit([x, y, z]: Vector, width: number, height: number): void {
    const room = 0.43 * this.zoom;
    const whole = (room * Math.min(width, height)) / Math.hypot(x, y, z);
    this.scale = this.isFlat ? [(room * width) / x, (room * height) / y] : [whole, whole];
    this.centre = [width / 2, height / 2];
  }

  get distance(): number {
    return this.isFlat ? FAR : DISTANCE;
  }

  get pixelsPerUnit(): readonly [number, number] {
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
  project([x, y, z]: Vector): Projected {
    return this.projector()(x, y, z);
  }

  /** Projects many points from where the camera is now. */
  projector(): (x: number, y: number, z: number) => Projected {
    const [[rx, ry, rz], [ux, uy, uz], [nx, ny, nz]] = this.rotation();
    const { distance } = this;
    const [wide, high] = this.scale;
    const [left, top] = this.centre;
    return (x, y, z) => {
      const size = distance / (distance - (nx * x + ny * y + nz * z));
      return {
        x: left + wide * size * (rx * x + ry * y + rz * z),
        y: top - high * size * (ux * x + uy * y + uz * z),
        size,
      };
    };
  }

  /** The move in space that a move on the screen means, in the plane of the screen. */
  unproject(dx: number, dy: number): Vector {
    const [right, up] = this.rotation();
    const [wide, high] = this.scale;
    const along = (axis: 0 | 1 | 2) => (dx / wide) * right[axis] - (dy / high) * up[axis];
    return [along(0), along(1), along(2)];
  }
}
