// Editing a graph by mouse, touch or keyboard.
//
// Drag a node to move it. Click two nodes one after another to add or remove the edge between them. Click an edge to
// choose it; drag its weight sideways to change it. Double-click empty space for a new node.

import { svg } from "../draw/element.ts";
import { HEIGHT, nodePoints, type Point, radius, toPlace, WIDTH } from "../draw/frame.ts";
import { moveNode, setWeight } from "../problem/graph.ts";
import { type GraphDraft, nodeName } from "../problem/problem.ts";
import { short } from "../state/reading.ts";

/** More edges than this show weights only near the chosen node. */
const MOST_LABELS = 40;
const WEIGHT_PER_PIXEL = 0.004;
/** A pointer that moves less than this clicks. */
const CLICK = 4;
/** Two clicks within this time, in milliseconds, are a double one. */
const DOUBLE = 400;

export type Chosen = { node: number } | { edge: number } | null;

export interface GraphEditor {
  draft: GraphDraft;
  chosen: Chosen;
  weighted: boolean;
  hasSource: boolean;
  /** Changes of the same gesture are undone together. */
  change: (draft: GraphDraft, gesture: string | null) => void;
  clickNode: (node: number) => void;
  clickEdge: (edge: number) => void;
  clickNothing: () => void;
  addNode: (at: Point) => void;
}

/** Draws the graph; what can be edited has a `data-node` or a `data-edge`. */
export function graphPicture(editor: GraphEditor): SVGSVGElement {
  const { draft } = editor;
  const points = nodePoints(draft);
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "picture editor",
      role: "group",
      "aria-label": "The graph, to be edited",
    },
    svg("g", {}, ...draft.problem.edges.map((_, edge) => line(editor, points, edge))),
    svg(
      "g",
      {},
      ...(editor.weighted ? draft.problem.edges.map((_, edge) => weight(editor, points, edge)) : []),
    ),
    svg("g", {}, ...points.map((point, node) => dot(editor, point, node))),
  );
  return picture;
}

function line({ draft, chosen }: GraphEditor, points: Point[], edge: number): SVGElement {
  const [from, to, heavy] = draft.problem.edges[edge]!;
  const [a, b] = [points[from]!, points[to]!];
  const isChosen = chosen !== null && "edge" in chosen && chosen.edge === edge;
  const isNear = chosen !== null && "node" in chosen && (chosen.node === from || chosen.node === to);
  const ends = { x1: a.x, y1: a.y, x2: b.x, y2: b.y };
  const sparse = draft.problem.edges.length <= MOST_LABELS;
  return svg(
    "g",
    {
      "data-edge": edge,
      "data-key": `edge ${from} ${to}`,
      class: isChosen ? "edge is-chosen" : "edge",
      // In a dense graph the Tab key visits only the edges of the chosen node.
      tabindex: sparse || isChosen || isNear ? 0 : -1,
      role: "button",
      "aria-label": `edge ${nodeName(draft.problem, from)} to ${nodeName(draft.problem, to)}, weight ${short(heavy)}`,
    },
    svg("line", { ...ends, stroke: "transparent", "stroke-width": 12 }),
    svg("line", {
      ...ends,
      stroke: isChosen ? "var(--link)" : "var(--edge)",
      "stroke-width": isChosen ? 3 : isNear ? 2 : 1.2,
      opacity: isChosen || isNear || sparse ? 1 : 0.35,
    }),
    draft.problem.directed && head(a, b, radius(draft), isChosen),
  );
}

/** The head of a directed edge. */
function head(from: Point, to: Point, rim: number, isChosen: boolean): SVGElement {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const at = (back: number, side: number) =>
    `${to.x - back * dx - side * dy} ${to.y - back * dy + side * dx}`;
  return svg("path", {
    d: `M${at(rim, 0)}L${at(rim + 7, 3.5)}L${at(rim + 7, -3.5)}Z`,
    fill: isChosen ? "var(--link)" : "var(--edge)",
  });
}

function weight({ draft, chosen }: GraphEditor, points: Point[], edge: number): SVGElement | null {
  const [from, to, heavy] = draft.problem.edges[edge]!;
  const isNear =
    chosen !== null && ("edge" in chosen ? chosen.edge === edge : [from, to].includes(chosen.node));
  if (draft.problem.edges.length > MOST_LABELS && !isNear) {
    return null;
  }
  const [a, b] = [points[from]!, points[to]!];
  // Nearer to one end, so that the labels of a pair of directed edges do not meet.
  const share = draft.problem.directed ? 0.4 : 0.5;
  return svg(
    "text",
    {
      x: a.x + share * (b.x - a.x),
      y: a.y + share * (b.y - a.y) + 4,
      "text-anchor": "middle",
      "font-size": 11,
      fill: "var(--text)",
      stroke: "var(--card)",
      "stroke-width": 4,
      "paint-order": "stroke",
      "data-weight": edge,
    },
    short(heavy),
  );
}

function dot({ draft, chosen, hasSource }: GraphEditor, { x, y }: Point, node: number): SVGElement {
  const isSource = hasSource && draft.problem.source === node;
  const isChosen = chosen !== null && "node" in chosen && chosen.node === node;
  const rim = radius(draft);
  return svg(
    "g",
    {
      "data-node": node,
      "data-key": `node ${node}`,
      class: isChosen ? "node is-chosen" : "node",
      tabindex: 0,
      role: "button",
      "aria-pressed": String(isChosen),
      "aria-label": `node ${nodeName(draft.problem, node)}${isSource ? ", the source" : ""}`,
    },
    svg("circle", { cx: x, cy: y, r: rim + 6, fill: "transparent" }),
    svg("circle", {
      cx: x,
      cy: y,
      r: rim,
      fill: isSource ? "var(--source)" : "var(--node)",
      stroke: isChosen ? "var(--link)" : "var(--edge)",
      "stroke-width": isChosen ? 3 : 1.2,
    }),
    svg(
      "text",
      {
        x,
        y: y + 4,
        "text-anchor": "middle",
        "font-size": rim > 10 ? 11 : 8,
        fill: isSource ? "#fff" : "var(--text)",
      },
      nodeName(draft.problem, node).slice(0, 4),
    ),
  );
}

/** Listens to pointers in the place of the picture, which is drawn anew while they move. */
export function listenToPointers(place: HTMLElement, editor: () => GraphEditor | null): void {
  // A click may redraw the picture, and browsers see no double-click on two different elements.
  let lastOnNothing = Number.NEGATIVE_INFINITY;
  place.addEventListener("pointerdown", (down) => {
    const now = editor();
    const target = (down.target as Element).closest("[data-weight], [data-node], [data-edge], svg.editor");
    if (!now || !target || down.button !== 0) {
      return;
    }
    const gesture = `drag at ${down.timeStamp}`;
    const start = now.draft;
    const index = (name: string) => Number(target.getAttribute(name) ?? Number.NaN);
    const [node, dragged] = [index("data-node"), index("data-weight")];
    let isDrag = false;
    const move = (event: PointerEvent) => {
      isDrag ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > CLICK;
      if (isDrag && !Number.isNaN(node)) {
        now.change(moveNode(editor()?.draft ?? start, node, toPlace(inPicture(place, event))), gesture);
      } else if (isDrag && !Number.isNaN(dragged)) {
        const moved = (event.clientX - down.clientX) * WEIGHT_PER_PIXEL;
        now.change(setWeight(start, dragged, start.problem.edges[dragged]![2] + moved), gesture);
      }
    };
    const up = (event: PointerEvent) => {
      stop();
      if (isDrag) {
        return;
      }
      const edge = Number.isNaN(dragged) ? index("data-edge") : dragged;
      if (!Number.isNaN(node)) {
        now.clickNode(node);
      } else if (!Number.isNaN(edge)) {
        now.clickEdge(edge);
      } else if (event.timeStamp - lastOnNothing < DOUBLE) {
        now.addNode(inPicture(place, event));
      } else {
        lastOnNothing = event.timeStamp;
        now.clickNothing();
      }
    };
    const stop = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", stop);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", stop);
  });
}

/** Where a pointer is, in units of the picture. */
function inPicture(place: HTMLElement, event: MouseEvent): Point {
  const box = place.querySelector("svg.editor")!.getBoundingClientRect();
  // The picture keeps its shape inside of its box.
  const scale = Math.min(box.width / WIDTH, box.height / HEIGHT);
  const [left, top] = [(box.width - scale * WIDTH) / 2, (box.height - scale * HEIGHT) / 2];
  return { x: (event.clientX - box.left - left) / scale, y: (event.clientY - box.top - top) / scale };
}
