(() => {
  // src/contents.js
  function followReading() {
    const links = /* @__PURE__ */ new Map();
    for (const link of document.querySelectorAll("nav.contents a")) {
      links.set(document.querySelector(link.getAttribute("href")), link);
    }
    const parts = [...links.keys()];
    let current;
    const mark = () => {
      const { scrollTop, scrollHeight } = document.scrollingElement;
      const isEnd = scrollTop + window.innerHeight > scrollHeight - 2;
      const limit = isEnd ? Infinity : window.innerHeight / 3;
      const begun = parts.filter((part) => part.getBoundingClientRect().top < limit);
      const link = links.get(begun.at(-1) ?? parts[0]);
      if (link !== current) {
        current?.removeAttribute("aria-current");
        link.setAttribute("aria-current", "true");
        current = link;
        const bar = link.closest("nav");
        bar.scrollTo({ left: link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2 });
      }
    };
    let waits = false;
    const markSoon = () => {
      if (!waits) {
        waits = true;
        requestAnimationFrame(() => {
          waits = false;
          mark();
        });
      }
    };
    document.addEventListener("scroll", markSoon, { passive: true });
    mark();
  }

  // src/dom.js
  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    if (properties.role) {
      made.setAttribute("role", properties.role);
    }
    made.append(...children);
    return made;
  }
  function save(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }

  // src/pictures.js
  var DENSITY = 300 / 96;
  var narrow = matchMedia("(max-width: 40rem)");
  function showPictures(part) {
    const images = [...part.querySelectorAll("img[data-source]")];
    const visible = images.filter((image) => !image.closest("details:not([open])"));
    return Promise.all(visible.map(show));
  }
  async function show(image) {
    const { source } = image.dataset;
    delete image.dataset.source;
    const inColumn = narrow.matches && document.getElementById(`${source}-narrow`);
    const { textContent } = inColumn || document.getElementById(`${source}-wide`);
    const packed = new Blob([Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0))]);
    const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
    const svg = await new Response(stream).text();
    image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  }
  function enableSaving() {
    for (const button2 of document.querySelectorAll("button[data-save]")) {
      button2.hidden = false;
      button2.addEventListener("click", async () => {
        const figure = button2.closest("figure");
        const svg = await lightSvg(figure.querySelector("img"));
        const isSvg = button2.dataset.save === "svg";
        save(isSvg ? svg : await png(svg), `${figure.dataset.name}.${button2.dataset.save}`);
      });
    }
  }
  function copyPictures() {
    for (const image of document.querySelectorAll("img[data-copy]")) {
      image.src = document.querySelector(`#${CSS.escape(image.dataset.copy)} img`).src;
      image.closest("[hidden]").hidden = false;
    }
  }
  async function lightSvg(image) {
    const svg = await (await fetch(image.src)).text();
    const light = svg.replace(/\(\s*prefers-color-scheme:\s*dark\s*\)/g, "not all");
    return new Blob([light], { type: "image/svg+xml" });
  }
  async function png(svg) {
    const address = URL.createObjectURL(svg);
    const image = element("img", { src: address });
    await image.decode();
    const [width, height] = [image.naturalWidth, image.naturalHeight].map((size) => Math.round(DENSITY * size));
    const canvas = element("canvas", { width, height });
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    URL.revokeObjectURL(address);
    return new Promise((resolve) => canvas.toBlob(resolve));
  }

  // src/ticks.js
  function ticks(low, high, count) {
    const span = high - low;
    if (!(span > 0)) {
      return [low];
    }
    const rough = span / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(rough));
    const [, factor] = [[1.5, 1], [3, 2], [7, 5], [Infinity, 10]].find(([limit]) => rough < limit * power);
    const step = factor * power;
    const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toFixed(digits)) + 0);
  }

  // src/axes.js
  var TICKS = 5;
  var SHORTEST_EDGE = 30;
  var Axes = class {
    constructor(names, ranges, toBox) {
      const longest = Math.max(...ranges.map(([low, high]) => high - low));
      this.axes = ranges.map(([low, high], axis) => {
        const count = Math.max(2, Math.round(TICKS * (high - low) / longest));
        const values = ticks(low, high, count);
        return { name: names[axis], ticks: values.map((value) => ({ value, at: toBox(axis, value) })) };
      });
    }
    /** Draws the sides of the box that are behind everything. */
    drawGrid(context, camera, colour) {
      const back = behind(camera);
      context.strokeStyle = colour;
      context.lineWidth = 1;
      context.beginPath();
      for (let side = 0; side < 3; side += 1) {
        for (const axis of [0, 1, 2].filter((other) => other !== side)) {
          const along = 3 - side - axis;
          const ends = [-camera.half[axis], camera.half[axis]];
          for (const at of [...ends, ...this.axes[axis].ticks.map((tick) => tick.at)]) {
            const from = [];
            from[side] = back[side] * camera.half[side];
            from[axis] = at;
            const to = [...from];
            from[along] = -camera.half[along];
            to[along] = camera.half[along];
            segment(context, camera.project(...from), camera.project(...to));
          }
        }
      }
      context.stroke();
    }
    /** Writes names and numbers along one edge per axis, outside of the box. */
    drawLabels(context, camera, { text, font }) {
      Object.assign(context, { strokeStyle: text, fillStyle: text, textAlign: "center", textBaseline: "middle" });
      const edges = this.axes.map((axis, index) => ({ ...axis, ...edge(camera, index), isUpright: index === 2 }));
      const labels = new Labels(context, camera);
      context.font = `600 ${font}`;
      edges.forEach((it) => drawName(labels, it));
      context.font = font;
      edges.forEach((it) => drawNumbers(labels, it));
    }
  };
  function drawName(labels, { name, from, to, outwards, isUpright }) {
    if (isUpright) {
      labels.write(name, to, [0, -1], 14);
    } else {
      const slant = Math.abs(outwards[0] * outwards[1]) * labels.halfWidth(name);
      const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
      labels.write(name, middle, outwards, 33 + slant);
    }
  }
  function drawNumbers(labels, { ticks: ticks2, at, from, to, outwards }) {
    const { context } = labels;
    context.beginPath();
    segment(context, from, to);
    context.stroke();
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) < SHORTEST_EDGE) {
      return;
    }
    for (const tick of ticks2) {
      const place = at(tick.at);
      context.beginPath();
      segment(context, place, [place[0] + 4 * outwards[0], place[1] + 4 * outwards[1]]);
      context.stroke();
      labels.writeIfFree(String(tick.value).replace("-", "−"), place, outwards, 13);
    }
  }
  var Labels = class {
    constructor(context, camera) {
      Object.assign(this, { context, width: 2 * camera.centre[0], taken: [] });
    }
    halfWidth(text) {
      return this.context.measureText(text).width / 2;
    }
    /** Writes a text at a distance from a place, or as much higher or lower as is necessary. */
    write(text, [x, y], direction, distance) {
      const step = direction[1] < 0 ? -6 : 6;
      for (let shift = 0; !this.writeIfFree(text, [x, y + shift], direction, distance); shift += step) ;
    }
    writeIfFree(text, place, direction, distance) {
      const half = this.halfWidth(text);
      const y = place[1] + distance * direction[1];
      const x = place[0] + (distance + half) * direction[0];
      const middle = Math.max(half + 3, Math.min(this.width - half - 3, x));
      const box = { left: middle - half - 3, right: middle + half + 3, top: y - 9, bottom: y + 9 };
      const isFree = !this.taken.some((other) => overlap(box, other));
      if (isFree) {
        this.taken.push(box);
        this.context.fillText(text, middle, y);
      }
      return isFree;
    }
  };
  function behind(camera) {
    return camera.position().map((x) => x > 0 ? -1 : 1);
  }
  function edge(camera, axis) {
    const corner = corners(camera, axis).map((sign, other) => sign * camera.half[other]);
    const at = (value) => camera.project(...corner.map((x, other) => other === axis ? value : x));
    const [from, to] = [at(-camera.half[axis]), at(camera.half[axis])];
    return { at, from, to, outwards: away(camera, from, to) };
  }
  function corners(camera, axis) {
    const back = behind(camera);
    if (axis < 2) {
      return [-back[0], -back[1], back[2]];
    }
    const left = ([x, y]) => camera.project(x * camera.half[0], y * camera.half[1], 0)[0];
    const upright = [
      [back[0], -back[1], 0],
      [-back[0], back[1], 0]
    ];
    return upright.sort((a, b) => left(a) - left(b))[0];
  }
  function away(camera, from, to) {
    const [x, y] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(x, y) || 1;
    const normal = [y / length, -x / length];
    const [cx, cy] = camera.project(0, 0, 0);
    const isInwards = normal[0] * (cx - from[0]) + normal[1] * (cy - from[1]) > 0;
    return isInwards ? normal.map((x2) => -x2) : normal;
  }
  function segment(context, from, to) {
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0], to[1]);
  }
  function overlap(a, b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }

  // src/camera.js
  var DISTANCE = 7;
  var START = { azimuth: -0.6, elevation: 0.42, zoom: 1 };
  var STEEPEST = Math.PI / 2 - 0.01;
  var Camera = class {
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
        DISTANCE * Math.sin(this.elevation)
      ];
    }
    /** Place on the canvas, and the size of things there relative to those at the centre. */
    project(x, y, z) {
      const [sine, cosine] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
      const [rise, level] = [Math.sin(this.elevation), Math.cos(this.elevation)];
      const right = x * cosine - y * sine;
      const away2 = x * sine + y * cosine;
      const up = z * level + away2 * rise;
      const size = DISTANCE / (DISTANCE + away2 * level - z * rise);
      const scale = this.scale * size;
      return [this.centre[0] + scale * right, this.centre[1] - scale * up, size];
    }
  };

  // src/colours.js
  var night = matchMedia("(prefers-color-scheme: dark)");
  var schemes;
  function colours() {
    schemes ??= JSON.parse(document.getElementById("colours").textContent);
    return schemes[night.matches ? "dark" : "light"];
  }
  function onSchemeChange(callback) {
    night.addEventListener("change", callback);
    return () => night.removeEventListener("change", callback);
  }
  function groupColour({ classes, steps }, group, isClass, count) {
    if (isClass) {
      return classes[group % classes.length];
    }
    const place = count > 1 ? group / (count - 1) * (steps.length - 1) : 0;
    const left = Math.floor(place);
    return mixed(steps[left], steps[Math.min(left + 1, steps.length - 1)], place - left);
  }
  function mixed(from, to, share) {
    const channel = (colour, index) => Number.parseInt(colour.slice(1 + 2 * index, 3 + 2 * index), 16);
    const channels = [0, 1, 2].map(
      (index) => Math.round(channel(from, index) + share * (channel(to, index) - channel(from, index)))
    );
    return `rgb(${channels.join(", ")})`;
  }

  // src/legend.js
  var Legend = class {
    constructor(view, title) {
      this.view = view;
      const { data } = view;
      this.marks = [];
      const noun = data.classes ? "graph" : "step";
      const groups = Array.from(
        { length: data.groups },
        (_, group) => this.entry(String(group + 1), `${noun} ${group + 1}`, (isShown) => view.show(group, isShown))
      );
      const lines = this.entry("lines", "lines of the trajectories", (isShown) => view.showLines(isShown));
      this.linesMark = this.marks.pop();
      this.element = element(
        "div",
        { className: "space-legend" },
        element("span", { className: "space-noun" }, noun),
        ...groups,
        lines,
        element(
          "span",
          { className: "space-buttons" },
          button("−", "zoom out", () => view.move((camera) => camera.zoomBy(1 / 1.2))),
          button("+", "zoom in", () => view.move((camera) => camera.zoomBy(1.2))),
          button("reset", "reset the view", () => view.reset()),
          button("save PNG", "save the view as PNG", () => savePng(view.canvas, title))
        )
      );
      this.recolour();
    }
    entry(text, name, show2) {
      const box = element("input", { type: "checkbox", checked: true, ariaLabel: name });
      box.addEventListener("change", () => show2(box.checked));
      const mark = element("span", { className: "space-mark" });
      this.marks.push(mark);
      return element("label", { title: name }, box, mark, text);
    }
    recolour() {
      const scheme = colours();
      const fills = this.view.groupColours(scheme);
      this.marks.forEach((mark, group) => {
        mark.style.background = fills[group];
      });
      this.linesMark.style.background = scheme.path;
      this.linesMark.classList.add("space-line");
    }
  };
  function button(text, name, act) {
    const made = element("button", { type: "button", title: name, ariaLabel: name }, text);
    made.addEventListener("click", act);
    return made;
  }
  function savePng(canvas, title) {
    const copy = element("canvas", { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
    copy.toBlob((blob) => save(blob, `${title.replace(/[^\w=.]+/g, "-")}.png`));
  }

  // src/pointers.js
  var Pointers = class {
    constructor(canvas, { drag, zoom, hover, leave }) {
      this.down = /* @__PURE__ */ new Map();
      const place = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      const spread = () => {
        const [a, b] = [...this.down.values()];
        return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        this.down.set(event.pointerId, place(event));
        this.hasMoved = false;
      });
      canvas.addEventListener("pointermove", (event) => {
        const [x, y] = place(event);
        const before = this.down.get(event.pointerId);
        if (!before) {
          hover(x, y);
          return;
        }
        this.hasMoved = true;
        const spreadBefore = this.down.size === 2 ? spread() : void 0;
        this.down.set(event.pointerId, [x, y]);
        if (spreadBefore) {
          zoom(spread() / spreadBefore);
        } else {
          drag(x - before[0], y - before[1]);
        }
      });
      for (const end of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(end, (event) => {
          this.down.delete(event.pointerId);
          if (end === "pointerup" && !this.hasMoved) {
            hover(...place(event));
          }
        });
      }
      canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
      const zoomWithWheel = (event) => {
        if (event.ctrlKey || document.activeElement === canvas) {
          event.preventDefault();
          zoom(Math.exp(-event.deltaY / 500));
        }
      };
      canvas.addEventListener("wheel", zoomWithWheel, { passive: false });
    }
  };

  // src/trajectories.js
  var Trajectories = class {
    constructor({ axes, low, unit, lengths, positions, scores, classes }) {
      Object.assign(this, { axes, lengths, scores, classes });
      const quanta = littleEndian(positions);
      this.count = quanta.length / 3;
      this.positions = Float32Array.from(quanta, (quantum, index) => low[index % 3] + unit * quantum);
      this.trajectory = new Uint16Array(this.count);
      this.step = new Uint16Array(this.count);
      this.starts = [];
      let point = 0;
      lengths.forEach((length, trajectory) => {
        this.starts.push(point);
        for (let step = 0; step < length; step += 1, point += 1) {
          this.trajectory[point] = trajectory;
          this.step[point] = step;
        }
      });
      this.steps = Math.max(0, ...lengths);
      this.groups = classes ? Math.max(...classes) + 1 : this.steps;
    }
    /** The class or, without classes, the step of a point. */
    group(point) {
      return this.classes ? this.classes[this.trajectory[point]] : this.step[point];
    }
    /** The smallest and the largest coordinate along an axis. */
    range(axis) {
      let [low, high] = [Infinity, -Infinity];
      for (let index = axis; index < this.positions.length; index += 3) {
        low = Math.min(low, this.positions[index]);
        high = Math.max(high, this.positions[index]);
      }
      return [low, high];
    }
    /** What a point is, in words. */
    describe(point) {
      const trajectory = this.trajectory[point];
      const name = this.classes ? `graph ${this.classes[trajectory] + 1}, image ${trajectory + 1}` : `graph ${trajectory + 1}`;
      const score = this.scores?.[trajectory];
      const percent = score === void 0 ? "" : `, score ${(100 * score).toFixed(1)} %`;
      return `${name}, step ${this.step[point] + 1}${percent}`;
    }
  };
  function littleEndian(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Uint16Array.from({ length: bytes.length / 2 }, (_, index) => view.getUint16(2 * index, true));
  }

  // src/view.js
  var MARGIN = 50;
  var TURN = Math.PI / 24;
  var ZOOM = 1.2;
  var REACH = 10;
  var KEYS = {
    ArrowLeft: (camera) => camera.turn(TURN, 0),
    ArrowRight: (camera) => camera.turn(-TURN, 0),
    ArrowUp: (camera) => camera.turn(0, -TURN),
    ArrowDown: (camera) => camera.turn(0, TURN),
    "+": (camera) => camera.zoomBy(ZOOM),
    "=": (camera) => camera.zoomBy(ZOOM),
    "-": (camera) => camera.zoomBy(1 / ZOOM),
    0: (camera) => camera.reset()
  };
  var View = class {
    constructor(place, data, title) {
      this.place = place;
      this.data = new Trajectories(data);
      this.hidden = /* @__PURE__ */ new Set();
      this.showsLines = true;
      this.pointed = null;
      this.toUnitBox();
      this.canvas = element("canvas", {
        tabIndex: 0,
        role: "application",
        ariaLabel: `${title}, in three dimensions. Arrow keys turn it, plus and minus zoom, 0 resets.`
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
        leave: () => this.point(null)
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
      this.frame = void 0;
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
        const isLeft = x < this.width / 2;
        this.tip.style.left = isLeft ? `${x + 14}px` : "auto";
        this.tip.style.right = isLeft ? "auto" : `${this.width - x + 14}px`;
        this.tip.style.top = `${Math.max(0, y - 30)}px`;
      }
    }
  };

  // src/views.js
  var alive = /* @__PURE__ */ new Map();
  var sight = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) {
          build(target);
        } else {
          alive.get(target)?.park();
        }
      }
    },
    { rootMargin: "200px" }
  );
  function build(place) {
    const { source, label } = place.dataset;
    if (!alive.has(place)) {
      const data = JSON.parse(document.getElementById(source).textContent);
      alive.set(place, new View(place, data, label));
    }
    alive.get(place).unpark();
  }
  function toggleViews(details) {
    for (const place of details.querySelectorAll(".space")) {
      if (details.open) {
        sight.observe(place);
      } else {
        sight.unobserve(place);
        alive.get(place)?.dispose();
        alive.delete(place);
      }
    }
  }
  function viewIn(place) {
    return alive.get(place);
  }
  function livingViews() {
    return alive.size;
  }

  // src/main.js
  function toggled(details) {
    if (details.open) {
      showPictures(details);
    }
    toggleViews(details);
  }
  document.addEventListener("toggle", ({ target }) => toggled(target), true);
  function openTarget() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target && target.closest("details"); part; part = part.parentElement.closest("details")) {
      part.open = true;
    }
  }
  document.querySelectorAll("details[open]").forEach(toggleViews);
  showPictures(document).then(copyPictures);
  enableSaving();
  followReading();
  addEventListener("hashchange", openTarget);
  openTarget();
  window.narscope = { livingViews, viewIn };
})();
