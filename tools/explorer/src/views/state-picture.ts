// A problem and what an algorithm or a network says about it at one step: arrows, filled nodes, numbers, marks.

import { arrow } from "../draw/arrow.ts";
import { category, hex } from "../draw/colours.ts";
import { svg } from "../draw/element.ts";
import { HEIGHT, isRow, nodePoints, type Point, radius, WIDTH } from "../draw/frame.ts";
import { type Draft, nodeName } from "../problem/problem.ts";
import { differs, type Layers, type Reading, short } from "../state/reading.ts";

export interface Scene {
  draft: Draft;
  layers: Layers;
  /** Whose values these are; of an algorithm nothing differs. */
  isNetwork: boolean;
  hasSource: boolean;
  /** Reads a probe of the algorithm, and of what is shown. */
  truth: (probe: string) => Reading | null;
  shown: (probe: string) => Reading | null;
  node: number;
  title: string;
  describe: (node: number) => string;
}

/** Draws a scene. Nodes can be focused; `data-node` says which one it is. */
export function statePicture(scene: Scene): SVGSVGElement {
  const points = nodePoints(scene.draft);
  const rim = radius(scene.draft);
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "picture", role: "group", "aria-label": scene.title },
    svg("g", {}, ...edges(scene, points)),
    svg("g", {}, ...arrows(scene, points, rim)),
    svg("g", {}, ...points.map((point, node) => drawnNode(scene, point, node, rim))),
    svg("g", {}, ...marks(scene, points, rim)),
  );
}

function edges({ draft, node }: Scene, points: Point[]): SVGElement[] {
  if (draft.problem.kind !== "graph") {
    return [];
  }
  const { edges } = draft.problem;
  const opacity = Math.max(0.25, Math.min(0.8, 30 / edges.length));
  return edges.map(([from, to]) => {
    const [a, b] = [points[from]!, points[to]!];
    const isNear = from === node || to === node;
    return svg("line", {
      x1: a.x,
      y1: a.y,
      x2: b.x,
      y2: b.y,
      stroke: "var(--edge)",
      "stroke-width": 1,
      opacity: isNear ? 1 : opacity,
    });
  });
}

function arrows(scene: Scene, points: Point[], rim: number): SVGElement[] {
  const name = scene.layers.arrows?.name;
  const shown = name === undefined ? null : scene.shown(name);
  if (name === undefined || !shown) {
    return [];
  }
  const truth = scene.isNetwork ? scene.truth(name) : null;
  const bend = isRow(scene.draft) ? 0.25 : 0;
  const drawn: SVGElement[] = [];
  const draw = (node: number, target: number | undefined, attributes: Record<string, string | number>) => {
    const [from, to] = [points[node], points[target ?? -1]];
    if (from && to && node !== target) {
      drawn.push(arrow({ from, to, rim, bend }, attributes));
    }
  };
  shown.values.forEach((target, node) => {
    const isWrong = truth !== null && differs(truth, shown, node);
    if (isWrong) {
      draw(node, truth.values[node], { stroke: "var(--right)", "stroke-width": 1, opacity: 0.55 });
    }
    const look = isWrong
      ? { stroke: "var(--wrong)", "stroke-width": 3, "stroke-dasharray": "6 3", class: "wrong" }
      : { stroke: "var(--right)", "stroke-width": 2.5 };
    draw(node, target, look);
  });
  return drawn;
}

function drawnNode(scene: Scene, { x, y }: Point, node: number, rim: number): SVGElement {
  const { draft, layers } = scene;
  const isSource = scene.hasSource && draft.problem.kind === "graph" && draft.problem.source === node;
  const isAnyWrong = [layers.arrows, layers.fill].some((probe) => isWrongAt(scene, probe?.name, node));
  const filled = fill(scene, node);
  const number = layers.numbers && scene.shown(layers.numbers.name)?.values[node];
  const isNumberWrong = isWrongAt(scene, layers.numbers?.name, node);
  return svg(
    "g",
    {
      class: node === scene.node ? "node is-chosen" : "node",
      "data-node": node,
      "data-key": `${scene.title} ${node}`,
      tabindex: 0,
      role: "img",
      "aria-label": scene.describe(node),
    },
    svg("circle", {
      cx: x,
      cy: y,
      r: rim,
      fill: filled ?? "var(--node)",
      stroke: isAnyWrong ? "var(--wrong)" : isSource ? "var(--source)" : "var(--edge)",
      "stroke-width": isAnyWrong || isSource ? 3 : 1.2,
    }),
    ...(node === scene.node
      ? [svg("circle", { cx: x, cy: y, r: rim + 4, fill: "none", stroke: "var(--text)" })]
      : []),
    svg(
      "text",
      {
        x,
        y: y + 4,
        "text-anchor": "middle",
        "font-size": rim > 10 ? 11 : 8,
        fill: filled ? "#fff" : "var(--text)",
      },
      label(draft, node),
    ),
    ...(number === null || number === undefined || Number.isNaN(number)
      ? []
      : [
          svg(
            "text",
            {
              x,
              y: y + rim + 11,
              "text-anchor": "middle",
              "font-size": rim > 8 ? 10 : 7,
              fill: isNumberWrong ? "var(--wrong)" : "var(--subtle)",
              "font-weight": isNumberWrong ? 700 : 400,
              stroke: "var(--card)",
              "stroke-width": 3,
              "paint-order": "stroke",
            },
            short(number),
          ),
        ]),
  );
}

/** The colour of a node that a mask or a class fills. */
function fill(scene: Scene, node: number): string | null {
  const probe = scene.layers.fill;
  const value = probe && scene.shown(probe.name)?.values[node];
  if (probe?.kind === "categorical" && value !== undefined && value !== null && value >= 0) {
    return hex(category(value));
  }
  return value === 1 ? "var(--filled)" : null;
}

function isWrongAt(scene: Scene, probe: string | undefined, node: number): boolean {
  const shown = probe === undefined || !scene.isNetwork ? null : scene.shown(probe);
  return shown !== null && differs(scene.truth(probe!), shown, node);
}

/** Names of marks, above the nodes that they mark. */
function marks(scene: Scene, points: Point[], rim: number): SVGElement[] {
  const above = new Map<number, number>();
  return scene.layers.marks.flatMap((probe) => {
    const shown = scene.shown(probe.name);
    const node = shown?.values[0];
    const point = points[node ?? -1];
    if (!shown || node === undefined || !point) {
      return [];
    }
    const row = above.get(node) ?? 0;
    above.set(node, row + 1);
    const isWrong = isWrongAt(scene, probe.name, 0);
    return [
      svg(
        "text",
        {
          x: point.x,
          y: point.y - rim - 5 - 11 * row,
          "text-anchor": "middle",
          "font-size": 10,
          "font-weight": 700,
          fill: isWrong ? "var(--wrong)" : "var(--right)",
        },
        probe.name.replace(/_h$/, ""),
      ),
    ];
  });
}

/** What is written into a node: its number, its name if short, its letter. */
function label({ problem }: Draft, node: number): string {
  switch (problem.kind) {
    case "graph":
      return nodeName(problem, node).slice(0, 4);
    case "text":
      return problem.lines.join("").charAt(node);
    case "array":
      // Without the zero: there is little room.
      return short(problem.values[node]).replace(/^0\./, ".");
    case "columns":
      return String(node);
  }
}
