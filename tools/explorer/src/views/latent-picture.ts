// What lies on top of the stored states: axes, the live run, the undisturbed one. And all of it as one picture.

import { hex, scale } from "../draw/colours.ts";
import { svg } from "../draw/element.ts";
import type { Rollout } from "../engine/types.ts";
import { cloudOf } from "../latent/cloud.ts";
import type { Session } from "../page/session.ts";
import type { LatentState } from "./latent.ts";

/** More points than this would make a saved picture too large for other programs. */
const MOST_SAVED = 20_000;

export interface LivePoint {
  record: number;
  /** Along the components of the corpus. */
  coordinates: number[];
  x: number;
  y: number;
}

/** The live run on the screen: of the chosen node if nodes are shown, else pooled. */
export function livePath(session: Session, state: LatentState): LivePoint[] {
  return pathOf(session, state, session.answers.get().runs[0]);
}

function pathOf(
  { settings }: Session,
  { corpus, space, camera }: LatentState,
  run: Rollout | null,
): LivePoint[] {
  if (!corpus || !space || !run?.projection) {
    return [];
  }
  const { components } = corpus;
  const isNodes = corpus.request.points === "nodes";
  const node = Math.min(run.nodes - 1, Math.max(0, settings.get().node));
  const coordinates = isNodes ? run.projection.nodes : run.projection.pooled;
  // Record 0 is the state before the first step, zeros, which is no part of the space.
  return Array.from({ length: run.records - 1 }, (_, index) => {
    const record = index + 1;
    const at = isNodes ? record * run.nodes + node : record;
    const { x, y } = camera.project(space.place(coordinates, at, components));
    return { record, coordinates: [...coordinates.subarray(at * components, (at + 1) * components)], x, y };
  });
}

/** Axes and live runs, in pixels of the canvas. */
export function overlay(session: Session, state: LatentState): SVGSVGElement {
  const { width, height } = state;
  const { undisturbed, runs } = session.answers.get();
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "overlay" },
    ...axes(state),
    ...(undisturbed ? [line(pathOf(session, state, undisturbed), "var(--subtle)", 1.5, "4 3")] : []),
    ...live(session, pathOf(session, state, runs[0])),
    ...hovered(state),
  );
}

function live({ settings }: Session, path: LivePoint[]): SVGElement[] {
  const { position } = settings.get();
  const last = Math.max(1, path.length - 1);
  return [
    line(path, "var(--card)", 6),
    line(path, "var(--source)", 3),
    ...path.map(({ record, x, y }) => {
      const isNow = record === position;
      return svg("circle", {
        cx: x,
        cy: y,
        r: isNow ? 10 : 4.5,
        fill: hex(scale((record - 1) / last)),
        stroke: isNow ? "var(--text)" : "var(--card)",
        "stroke-width": isNow ? 3 : 1.2,
        class: isNow ? "live-now" : undefined,
      });
    }),
  ];
}

function line(path: LivePoint[], stroke: string, width: number, dash?: string): SVGElement {
  const points = path.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  return svg("polyline", {
    points,
    fill: "none",
    stroke,
    "stroke-width": width,
    "stroke-linejoin": "round",
    "stroke-dasharray": dash,
  });
}

/** The trajectory of the stored state under the pointer. */
function hovered({ corpus, space, camera, hovered: point }: LatentState): SVGElement[] {
  if (!corpus || !space || point < 0) {
    return [];
  }
  const [sample, node] = [corpus.sample[point], corpus.node[point]];
  const same: LivePoint[] = [];
  corpus.sample.forEach((other, index) => {
    if (other === sample && corpus.node[index] === node) {
      const { x, y } = camera.project(space.place(corpus.points, index, corpus.components));
      same.push({ record: corpus.record[index]!, coordinates: [], x, y });
    }
  });
  const marked = same.find(({ record }) => record === corpus.record[point]);
  return [
    line(same, "var(--text)", 1.5),
    ...(marked
      ? [
          svg("circle", {
            cx: marked.x,
            cy: marked.y,
            r: 6,
            fill: "none",
            stroke: "var(--text)",
            "stroke-width": 2,
          }),
        ]
      : []),
  ];
}

function axes({ corpus, space, camera, width, height }: LatentState): SVGElement[] {
  if (!corpus || !space) {
    return [];
  }
  const shown = camera.isFlat ? 2 : Math.min(3, corpus.components);
  return Array.from({ length: shown }, (_, axis) => {
    const end = [0, 0, 0] as [number, number, number];
    end[axis] = space.half[axis]! * 1.08;
    const start = end.map((value) => -value) as [number, number, number];
    const [a, b] = [camera.project(start), camera.project(end)];
    const share = `${(100 * (corpus.shares[axis] ?? 0)).toFixed(0)} %`;
    // The name stands at the end of the axis, inside of the picture.
    const name = {
      x: Math.max(40, Math.min(width - 40, b.x)),
      y: Math.max(14, Math.min(height - 6, b.y - 6)),
    };
    return svg(
      "g",
      {},
      svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, stroke: "var(--line)", "stroke-width": 1 }),
      svg(
        "text",
        { ...name, "text-anchor": "middle", "font-size": 11, fill: "var(--subtle)" },
        `PC ${axis + 1} (${share})`,
      ),
    );
  });
}

/** Stored states and everything on top of them, to be saved. */
export function latentPicture(session: Session, state: LatentState): SVGSVGElement | null {
  const { corpus, space, camera } = state;
  if (!corpus || !space) {
    return null;
  }
  const picture = overlay(session, state);
  const { colours, records } = cloudOf(corpus, space, session.settings.get().colour);
  const every = Math.ceil(records.length / MOST_SAVED);
  const points: SVGElement[] = [];
  for (let point = 0; point < records.length; point += every) {
    const { x, y } = camera.project(space.place(corpus.points, point, corpus.components));
    const fill = hex([colours[3 * point]!, colours[3 * point + 1]!, colours[3 * point + 2]!]);
    points.push(svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 2, fill, opacity: 0.6 }));
  }
  picture.prepend(svg("g", {}, ...points));
  return picture;
}
