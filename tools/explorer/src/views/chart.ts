// Lines over the steps of a run.

import { svg } from "../draw/element.ts";
import { short } from "../state/reading.ts";

const WIDTH = 320;
const HEIGHT = 150;
const [LEFT, RIGHT, TOP, BOTTOM] = [38, 10, 8, 22];

export interface Curve {
  name: string;
  /** By record; NaN where nothing is known. */
  values: ArrayLike<number>;
  colour: string;
  isDashed: boolean;
}

export interface Chart {
  title: string;
  curves: Curve[];
  position: number;
  positions: number;
  /** The end of the scale; without it the largest value. */
  most?: number;
  /** Drawn as a level. */
  threshold?: number;
}

export function chartPicture({ title, curves, position, positions, threshold, most }: Chart): SVGSVGElement {
  const all = curves.flatMap(({ values }) => Array.from(values)).filter(Number.isFinite);
  const high = most ?? Math.max(...all, threshold ?? 0, 1e-6);
  const x = (record: number) => LEFT + (record / Math.max(1, positions - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / high) * (HEIGHT - TOP - BOTTOM);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "picture",
      role: "img",
      "aria-label": inWords(title, curves, position),
    },
    ...[0, high / 2, high].map((value) => level(value, y(value))),
    ...steps(positions).map((record) =>
      svg(
        "text",
        { x: x(record), y: HEIGHT - 6, "text-anchor": "middle", "font-size": 10, fill: "var(--subtle)" },
        String(record),
      ),
    ),
    threshold !== undefined &&
      svg("line", {
        x1: LEFT,
        x2: WIDTH - RIGHT,
        y1: y(threshold),
        y2: y(threshold),
        stroke: "var(--wrong)",
        "stroke-dasharray": "2 3",
      }),
    svg("line", {
      x1: x(position),
      x2: x(position),
      y1: TOP,
      y2: HEIGHT - BOTTOM,
      stroke: "var(--text)",
      "stroke-width": 1,
    }),
    ...curves.map((curve) => drawn(curve, x, y)),
  );
}

function drawn(
  { values, colour, isDashed }: Curve,
  x: (record: number) => number,
  y: (value: number) => number,
): SVGElement {
  let isPen = false;
  const path = Array.from(values, (value, record) => {
    const move = isPen ? "L" : "M";
    isPen = Number.isFinite(value);
    return isPen ? `${move}${x(record).toFixed(1)} ${y(value).toFixed(1)}` : "";
  }).join("");
  return svg("path", {
    d: path,
    fill: "none",
    stroke: colour,
    "stroke-width": 2,
    "stroke-dasharray": isDashed ? "6 3" : undefined,
  });
}

function level(value: number, y: number): SVGElement {
  return svg(
    "g",
    {},
    svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, stroke: "var(--line)" }),
    svg(
      "text",
      { x: LEFT - 5, y: y + 3, "text-anchor": "end", "font-size": 10, fill: "var(--subtle)" },
      short(value),
    ),
  );
}

/** The records that get a number. */
function steps(positions: number): number[] {
  const every = Math.max(1, Math.ceil(positions / 8));
  return Array.from({ length: positions }, (_, record) => record).filter((record) => record % every === 0);
}

function inWords(title: string, curves: Curve[], position: number): string {
  const values = curves.map(
    ({ name, values }) => `${name} ${short(values[Math.min(position, values.length - 1)])}`,
  );
  return `${title} at step ${position}: ${values.join(", ")}`;
}
