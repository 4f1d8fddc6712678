// 3D view of trajectories in three principal components: rotate, zoom, hover, show and hide steps or classes.
//
// A view is an element of class `space` with the id of its data in `data-source`. The data:
//   { "trajectories": [[[x, y, z], …steps], …], "scores": […], "classes": […] or null }
// A view is redrawn only when it changes, so a page with many idle views uses no CPU time.

import {
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  LineBasicMaterial,
  LineSegments,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Raycaster,
  Scene,
  Vector2,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

// The colours of the pictures, for the light and the dark colour scheme.
const night = matchMedia("(prefers-color-scheme: dark)").matches;
const KINDS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#7F7F7F"];
const ALONG = night
  ? ["#9664cd", "#5f7dcd", "#3c96b4", "#28b48c", "#7ad151", "#e6dc3c"]
  : ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#d2c828"];
const PATH = "#c0392b";
const HALF = 50;

function along(share) {
  const place = share * (ALONG.length - 1);
  const [left, right] = [Math.floor(place), Math.ceil(place)];
  return new Color(ALONG[left]).lerp(new Color(ALONG[right]), place - left);
}

// Scales coordinates to fill a cube, by the same factor along all axes.
function scaled(trajectories) {
  const all = trajectories.flat();
  const low = [0, 1, 2].map((axis) => all.reduce((m, p) => Math.min(m, p[axis]), Infinity));
  const high = [0, 1, 2].map((axis) => all.reduce((m, p) => Math.max(m, p[axis]), -Infinity));
  const middle = low.map((x, axis) => (x + high[axis]) / 2);
  const size = Math.max(...high.map((x, axis) => x - low[axis])) / 2 || 1;
  return trajectories.map((states) =>
    states.map((p) => p.map((x, axis) => (HALF * (x - middle[axis])) / size)),
  );
}

class View {
  constructor(element, data) {
    this.element = element;
    this.data = data;
    this.places = scaled(data.trajectories);
    this.groups = [];
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(45, 1, 1, 1000);
    this.camera.position.set(90, 60, 110);
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", element.dataset.label || "trajectories in three components");
    element.append(this.canvas);
    this.addLines();
    this.addPoints();
    this.addLegend();
    this.addTooltip();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  addLines() {
    const ends = [];
    for (const states of this.places) {
      for (let step = 1; step < states.length; step += 1) {
        ends.push(...states[step - 1], ...states[step]);
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(ends, 3));
    const material = new LineBasicMaterial({ color: PATH, transparent: true, opacity: 0.18 });
    this.lines = new LineSegments(geometry, material);
    this.scene.add(this.lines);
  }

  // One point cloud per step or class, so that each can be hidden.
  addPoints() {
    const { classes } = this.data;
    const steps = Math.max(...this.places.map((states) => states.length));
    const count = classes ? Math.max(...classes) + 1 : steps;
    for (let group = 0; group < count; group += 1) {
      const members = [];
      this.places.forEach((states, graph) =>
        states.forEach((place, step) => {
          if ((classes ? classes[graph] : step) === group) {
            members.push({ graph, step, place });
          }
        }),
      );
      const geometry = new BufferGeometry();
      const positions = members.flatMap(({ place }) => place);
      geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
      const color = classes ? new Color(KINDS[group % KINDS.length]) : along(group / Math.max(1, count - 1));
      const cloud = new Points(geometry, new PointsMaterial({ color, size: 3, sizeAttenuation: false }));
      const name = classes ? `graph ${group + 1}` : `step ${group + 1}`;
      this.groups.push({ name, color, cloud, members });
      this.scene.add(cloud);
    }
  }

  addLegend() {
    const legend = document.createElement("div");
    legend.className = "space-legend";
    const entry = (name, color, thing) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => {
        thing.visible = box.checked;
        this.draw();
      });
      const mark = document.createElement("span");
      mark.className = "space-mark";
      mark.style.background = color;
      label.append(box, mark, name);
      legend.append(label);
    };
    entry("trajectories", PATH, this.lines);
    for (const { name, color, cloud } of this.groups) {
      entry(name, `#${color.getHexString()}`, cloud);
    }
    this.element.append(legend);
  }

  addTooltip() {
    const tip = document.createElement("div");
    tip.className = "space-tip";
    tip.hidden = true;
    this.element.append(tip);
    const caster = new Raycaster();
    caster.params.Points.threshold = 1.2;
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      caster.setFromCamera(new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.camera);
      const clouds = this.groups.filter(({ cloud }) => cloud.visible);
      const [hit] = caster.intersectObjects(clouds.map(({ cloud }) => cloud));
      tip.hidden = !hit;
      if (hit) {
        const { graph, step } = clouds.find(({ cloud }) => cloud === hit.object).members[hit.index];
        const score = this.data.scores?.[graph];
        const percent = score === undefined ? "" : `, score ${(100 * score).toFixed(1)} %`;
        const { classes } = this.data;
        // A class holds the images of one graph.
        const name = classes ? `graph ${classes[graph] + 1}, image ${graph + 1}` : `graph ${graph + 1}`;
        tip.textContent = `${name}, step ${step + 1}${percent}`;
        tip.style.left = `${x + 12}px`;
        tip.style.top = `${y + 12}px`;
      }
    });
    this.canvas.addEventListener("pointerleave", () => {
      tip.hidden = true;
    });
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width > 0 && height > 0) {
      this.renderer.setSize(width, height);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.draw();
    }
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
  }
}

window.narscopeViews = [];
for (const element of document.querySelectorAll(".space")) {
  const data = JSON.parse(document.getElementById(element.dataset.source).textContent);
  try {
    window.narscopeViews.push(new View(element, data));
  } catch (error) {
    // Without WebGL, the page still shows the static picture.
    element.textContent = `This browser cannot draw in three dimensions (${error.message}).`;
  }
}
