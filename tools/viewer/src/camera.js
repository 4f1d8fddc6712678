// A camera that looks at the centre of a box from any side. The third axis points up.

/** Distance of the camera from the centre, in units of the box's largest half edge. */
export const DISTANCE = 7;
const START = { azimuth: -0.6, elevation: 0.42, zoom: 1 };
const STEEPEST = Math.PI / 2 - 0.01;

export class Camera {
  /** `half` are the half edges of the box; the largest is 1. */
  constructor(half) {
    this.half = half;
    this.reset();
  }

  reset() {
    Object.assign(this, START);
  }

  turn(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + elevation));
  }

  zoomBy(factor) {
    this.zoom = Math.min(20, Math.max(0.4, this.zoom * factor));
  }

  /** Chooses the scale with which the box fits into a canvas, from whichever side it is seen. */
  fit(width, height, margin) {
    const [x, y, z] = this.half;
    const radius = Math.hypot(x, y);
    const rise = z * Math.cos(this.elevation) + radius * Math.abs(Math.sin(this.elevation));
    // What is nearer than the centre looks larger.
    const nearest = DISTANCE / (DISTANCE - Math.hypot(x, y, z));
    const room = (size) => Math.max(20, size / 2 - margin) / nearest;
    this.scale = this.zoom * Math.min(room(width) / radius, room(height) / rise);
    this.centre = [width / 2, height / 2];
  }

  /** Where the camera is, in the coordinates of the box. */
  position() {
    const level = -DISTANCE * Math.cos(this.elevation);
    return [
      level * Math.sin(this.azimuth),
      level * Math.cos(this.azimuth),
      DISTANCE * Math.sin(this.elevation),
    ];
  }

  /** Place on the canvas, and the size of things there relative to those at the centre. */
  project(x, y, z) {
    const [sine, cosine] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    const [rise, level] = [Math.sin(this.elevation), Math.cos(this.elevation)];
    const right = x * cosine - y * sine;
    const away = x * sine + y * cosine;
    const up = z * level + away * rise;
    const size = DISTANCE / (DISTANCE + away * level - z * rise);
    const scale = this.scale * size;
    return [this.centre[0] + scale * right, this.centre[1] - scale * up, size];
  }
}
