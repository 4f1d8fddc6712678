// A view of trajectories in three dimensions: turned by dragging or with the arrow keys, zoomed with + and -.
//
// It draws on a plain canvas: browsers keep only sixteen WebGL contexts, a report may have more views, and a
// few thousand points need none.

import { Axes } from "./axes.js";
import { Camera } from "./camera.js";
import { colours, groupColour, onSchemeChange } from "./colours.js";
import { element } from "./dom.js";
import { Legend } from "./legend.js";
import { Pointers } from "./pointers.js";
import { Trajectories } from "./trajectories.js";

/** Room around the box for numbers and names. */
const MARGIN = 50;
const TURN = Math.PI / 24;
const ZOOM = 1.2;
/** How far from a point, in pixels, the pointer may be to mean it. */
const REACH = 10;
const KEYS = {
  ArrowLeft: (camera) => camera.turn(TURN, 0),
  ArrowRight: (camera) => camera.turn(-TURN, 0),
  ArrowUp: (camera) => camera.turn(0, -TURN),
  ArrowDown: (camera) => camera.turn(0, TURN),
  "+": (camera) => camera.zoomBy(ZOOM),
  "=": (camera) => camera.zoomBy(ZOOM),
  "-": (camera) => camera.zoomBy(1 / ZOOM),
  0: (camera) => camera.reset(),
};

export class View {
  constructor(place, data, title) {
    this.place = place;
    this.data = new Trajectories(data);
    this.hidden = new Set();
    this.showsLines = true;
    this.pointed = null;
    this.toUnitBox();
    this.canvas = element("canvas", {
      tabIndex: 0,
      role: "application",
      ariaLabel: `${title}, in three dimensions. Arrow keys turn it, plus and minus zoom, 0 resets.`,
    });
    this.tip = element("div", { className: "space-tip", hidden: true });
    const stage = element("div", { className: "space-stage" }, this.canvas, this.tip);
    this.legend = new Legend(this, title);
    place.replaceChildren(stage, this.legend.element);
    this.listen();
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(stage);
  }

  /** Moves and scales all points, by the same factor along all axes, into a box whose longest half edge is 1. */
  toUnitBox() {
    const ranges = [0, 1, 2].map((axis) => this.data.range(axis));
    const longest = Math.max(...ranges.map(([low, high]) => high - low)) || 1;
    // A flat box has no inside: every edge has at least a tenth of the longest.
    this.ranges = ranges.map(([low, high]) => {
      const missing = Math.max(0, longest / 10 - (high - low));
      const rim = 0.02 * longest + missing / 2;
      return [low - rim, high + rim];
    });
    const half = Math.max(...this.ranges.map(([low, high]) => (high - low) / 2));
    this.toBox = (axis, value) => (value - (this.ranges[axis][0] + this.ranges[axis][1]) / 2) / half;
    this.camera = new Camera(this.ranges.map(([low, high]) => (high - low) / 2 / half));
    this.axes = new Axes(this.data.axes, this.ranges, this.toBox);
    this.box = this.data.positions.map((value, index) => this.toBox(index % 3, value));
    this.screen = new Float32Array(this.box.length);
    this.order = Uint16Array.from({ length: this.data.count }, (_, index) => index);
  }

  listen() {
    this.stopListening = onSchemeChange(() => {
      this.legend.recolour();
      this.drawSoon();
    });
    this.canvas.addEventListener("keydown", (event) => {
      const act = KEYS[event.key];
      if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.move(act);
      }
    });
    this.pointers = new Pointers(this.canvas, {
      drag: (x, y) => this.move((camera) => camera.turn(-x / 150, y / 150)),
      zoom: (factor) => this.move((camera) => camera.zoomBy(factor)),
      hover: (x, y) => this.point(this.nearest(x, y), x, y),
      leave: () => this.point(null),
    });
  }

  move(act) {
    act(this.camera);
    this.point(null);
    this.drawSoon();
  }

  reset() {
    this.move((camera) => camera.reset());
  }

  /** Shows or hides a class or a step. */
  show(group, isShown) {
    this.hidden[isShown ? "delete" : "add"](group);
    this.drawSoon();
  }

  showLines(isShown) {
    this.showsLines = isShown;
    this.drawSoon();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const ratio = Math.min(2, window.devicePixelRatio);
    if (this.isParked || width === 0 || height === 0) {
      return;
    }
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    Object.assign(this, { width, height, ratio });
    this.draw();
  }

  /** Gives up the canvas's memory while it is out of sight. */
  park() {
    this.isParked = true;
    this.canvas.width = this.canvas.height = 0;
  }

  /** Comes back into sight. */
  unpark() {
    if (this.isParked) {
      this.isParked = false;
      this.resize();
    }
  }

  dispose() {
    this.park();
    this.sizes.disconnect();
    this.stopListening();
    cancelAnimationFrame(this.frame);
    this.place.replaceChildren();
  }

  drawSoon() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = undefined;
    if (this.isParked || !this.width) {
      return;
    }
    const { camera, width, height, ratio } = this;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    camera.fit(width, height, MARGIN);
    this.project();
    const scheme = colours();
    const words = { text: scheme.text, font: `12px ${getComputedStyle(this.canvas).fontFamily}` };
    this.axes.drawGrid(context, camera, scheme.grid);
    if (this.showsLines) {
      this.drawLines(context, scheme);
    }
    this.drawPoints(context, scheme);
    this.axes.drawLabels(context, camera, words);
    if (this.pointed !== null) {
      this.drawPointed(context, scheme);
    }
  }

  /** Places all points on the canvas, and sorts them from back to front. */
  project() {
    const { box, camera, screen } = this;
    for (let index = 0; index < box.length; index += 3) {
      screen.set(camera.project(box[index], box[index + 1], box[index + 2]), index);
    }
    this.order.sort((a, b) => screen[3 * a + 2] - screen[3 * b + 2]);
  }

  drawLines(context, scheme) {
    context.strokeStyle = scheme.path;
    context.lineWidth = 1;
    context.globalAlpha = Math.min(0.6, Math.max(0.15, 20 / this.data.lengths.length));
    this.data.lengths.forEach((_, trajectory) => {
      context.beginPath();
      this.trace(context, trajectory);
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  trace(context, trajectory) {
    const { screen } = this;
    const { starts, lengths } = this.data;
    for (let step = 0; step < lengths[trajectory]; step += 1) {
      const at = 3 * (starts[trajectory] + step);
      context.lineTo(screen[at], screen[at + 1]);
    }
  }

  drawPoints(context, scheme) {
    const { data, screen } = this;
    const fills = this.groupColours(scheme);
    for (const point of this.order) {
      const group = data.group(point);
      if (!this.hidden.has(group)) {
        const [x, y, size] = screen.subarray(3 * point, 3 * point + 3);
        context.fillStyle = fills[group];
        context.beginPath();
        // Nearer points are larger.
        context.arc(x, y, 2.1 * size ** 2, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  drawPointed(context, scheme) {
    const [x, y] = this.screen.subarray(3 * this.pointed, 3 * this.pointed + 2);
    context.strokeStyle = scheme.text;
    context.lineWidth = 2;
    context.beginPath();
    this.trace(context, this.data.trajectory[this.pointed]);
    context.stroke();
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.stroke();
  }

  groupColours(scheme) {
    const { groups, classes } = this.data;
    return Array.from({ length: groups }, (_, group) => groupColour(scheme, group, classes !== null, groups));
  }

  /** The visible point nearest to a place on the canvas, if one is near enough; of equals, the one in front. */
  nearest(x, y) {
    let [best, least] = [null, REACH ** 2];
    for (const point of this.order) {
      const distance = (this.screen[3 * point] - x) ** 2 + (this.screen[3 * point + 1] - y) ** 2;
      if (distance <= least && !this.hidden.has(this.data.group(point))) {
        [best, least] = [point, distance];
      }
    }
    return best;
  }

  /** Marks a point and says what it is. */
  point(point, x, y) {
    if (point !== this.pointed) {
      this.pointed = point;
      this.drawSoon();
    }
    this.tip.hidden = point === null;
    if (point !== null) {
      this.tip.textContent = this.data.describe(point);
      // Towards the middle, so that it stays inside.
      const isLeft = x < this.width / 2;
      this.tip.style.left = isLeft ? `${x + 14}px` : "auto";
      this.tip.style.right = isLeft ? "auto" : `${this.width - x + 14}px`;
      this.tip.style.top = `${Math.max(0, y - 30)}px`;
    }
  }
}
