// The legend under a view: what the colours mean, a box to hide each, and buttons.

import { colours } from "./colours.js";
import { element, save } from "./dom.js";

export class Legend {
  constructor(view, title) {
    this.view = view;
    const { data } = view;
    this.marks = [];
    const noun = data.classes ? "graph" : "step";
    const groups = Array.from({ length: data.groups }, (_, group) =>
      this.entry(String(group + 1), `${noun} ${group + 1}`, (isShown) => view.show(group, isShown)),
    );
    const lines = this.entry("lines", "lines of the trajectories", (isShown) => view.showLines(isShown));
    this.linesMark = this.marks.pop();
    this.element = element(
      "div",
      { className: "space-legend" },
      element("span", { className: "space-noun" }, noun),
      ...groups,
      lines,
      element("span", { className: "space-buttons" },
        button("−", "zoom out", () => view.move((camera) => camera.zoomBy(1 / 1.2))),
        button("+", "zoom in", () => view.move((camera) => camera.zoomBy(1.2))),
        button("reset", "reset the view", () => view.reset()),
        button("save PNG", "save the view as PNG", () => savePng(view.canvas, title)),
      ),
    );
    this.recolour();
  }

  entry(text, name, show) {
    const box = element("input", { type: "checkbox", checked: true, ariaLabel: name });
    box.addEventListener("change", () => show(box.checked));
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
}

function button(text, name, act) {
  const made = element("button", { type: "button", title: name, ariaLabel: name }, text);
  made.addEventListener("click", act);
  return made;
}

/** Saves what the canvas shows, on the page's background. */
function savePng(canvas, title) {
  const copy = element("canvas", { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => save(blob, `${title.replace(/[^\w=.]+/g, "-")}.png`));
}
