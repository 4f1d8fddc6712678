// The same step as a matrix: weights as shades, pointers as marked cells, probes of edges as values.

import { heat, hex } from "../draw/colours.ts";
import { svg } from "../draw/element.ts";
import { HEIGHT, WIDTH } from "../draw/frame.ts";
import { nodeName, size } from "../problem/problem.ts";
import { differs, isPointer, type Reading } from "../state/reading.ts";
import type { Scene } from "./state-picture.ts";

const MARGIN = 22;

/** Draws a scene as a matrix. `probe` is what is shown on top of the weights. */
export function matrixPicture(scene: Scene, probe: string): SVGSVGElement {
  const nodes = size(scene.draft.problem);
  const side = Math.min(WIDTH, HEIGHT) - MARGIN;
  const left = (WIDTH - side) / 2;
  const cell = side / nodes;
  const shown = scene.shown(probe);
  const truth = scene.isNetwork ? scene.truth(probe) : null;
  const at = (row: number, column: number) => ({
    x: left + column * cell,
    y: MARGIN + row * cell,
    width: Math.max(1, cell - 0.8),
    height: Math.max(1, cell - 0.8),
  });
  const isEdges = shown?.locations === nodes * nodes && nodes > 1;
  const weights = isEdges ? values(shown, truth, nodes, at) : shades(scene, at);
  const cells = isEdges || !shown ? [] : marked(shown, truth, nodes, at);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "picture",
      role: "group",
      "aria-label": `${scene.title}, as a matrix`,
    },
    svg("rect", { x: left, y: MARGIN, width: side, height: side, fill: "none", stroke: "var(--line)" }),
    ...weights,
    ...cells,
    ...labels(scene, nodes, cell, left),
  );
}

type At = (row: number, column: number) => { x: number; y: number; width: number; height: number };

/** Weights of edges: the row is where an edge starts. */
function shades({ draft: { problem } }: Scene, at: At): SVGElement[] {
  if (problem.kind !== "graph") {
    return [];
  }
  const heaviest = Math.max(...problem.edges.map(([, , weight]) => weight), 1e-9);
  return problem.edges.flatMap(([from, to, weight]) => {
    const fill = hex(heat(0.15 + (0.65 * weight) / heaviest));
    const cells = [svg("rect", { ...at(from, to), fill })];
    return problem.directed ? cells : [...cells, svg("rect", { ...at(to, from), fill })];
  });
}

/** A probe with a value per pair of nodes. */
function values(shown: Reading, truth: Reading | null, nodes: number, at: At): SVGElement[] {
  const known = [...shown.values].filter((value) => !Number.isNaN(value));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return [...shown.values].flatMap((value, location) => {
    if (Number.isNaN(value) || value === low) {
      return [];
    }
    const isWrong = truth !== null && differs(truth, shown, location);
    const fill = isWrong ? "var(--wrong)" : hex(heat(high > low ? (value - low) / (high - low) : 1));
    return [svg("rect", { ...at(Math.floor(location / nodes), location % nodes), fill })];
  });
}

/** A probe with a value per node: pointers mark the cell of their target, others the diagonal. */
function marked(shown: Reading, truth: Reading | null, nodes: number, at: At): SVGElement[] {
  const isArrow = isPointer(shown.probe.kind);
  return [...shown.values].slice(0, nodes).flatMap((value, row) => {
    const isWrong = truth !== null && differs(truth, shown, row);
    const colour = isWrong ? "var(--wrong)" : "var(--right)";
    const column = isArrow ? value : row;
    if (Number.isNaN(value) || column < 0 || column >= nodes || (!isArrow && value === 0 && !isWrong)) {
      return [];
    }
    const found = svg("rect", { ...at(row, column), fill: colour, class: isWrong ? "wrong" : undefined });
    const right = truth?.values[row];
    const missed =
      isWrong && isArrow && right !== undefined && right >= 0
        ? [svg("rect", { ...at(row, right), fill: "none", stroke: "var(--right)", "stroke-width": 2 })]
        : [];
    return [found, ...missed];
  });
}

function labels(scene: Scene, nodes: number, cell: number, left: number): SVGElement[] {
  const every = Math.ceil(9 / cell);
  const shown = Array.from({ length: nodes }, (_, node) => node).filter((node) => node % every === 0);
  const size = Math.min(10, Math.max(7, cell));
  return shown.flatMap((node) => {
    const name = nodeName(scene.draft.problem, node).slice(0, 3);
    const fill = node === scene.node ? "var(--text)" : "var(--subtle)";
    const middle = (node + 0.5) * cell;
    const row = svg(
      "text",
      {
        x: left - 4,
        y: MARGIN + middle + size / 3,
        "text-anchor": "end",
        "font-size": size,
        fill,
        "data-node": node,
        "data-key": `${scene.title} ${node}`,
        tabindex: 0,
        role: "img",
        "aria-label": scene.describe(node),
      },
      name,
    );
    const column = svg(
      "text",
      { x: left + middle, y: MARGIN - 5, "text-anchor": "middle", "font-size": size, fill },
      name,
    );
    return [row, column];
  });
}
