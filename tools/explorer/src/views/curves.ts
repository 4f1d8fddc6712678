// Curves over the steps: residual, score, agreement with the algorithm and its faulty variants, distance to the
// undisturbed run. The scrubber's position is a line through all of them.

import { category, hex, onSchemeChange } from "../draw/colours.ts";
import { html, redraw } from "../draw/element.ts";
import type { Rollout } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import { positions } from "../state/answers.ts";
import { onFrame } from "../state/store.ts";
import { type Chart, type Curve, chartPicture } from "./chart.ts";
import { panel, saveButtons } from "./panel.ts";

export function curvesView(session: Session): HTMLElement {
  const { settings, answers } = session;
  const made = panel(
    "curves",
    "Curves",
    "Over the steps of the run. Solid: the first network; dashed: the second.",
  );
  const charts = html("div", { class: "charts" });
  const words = html("p", { class: "detail", "aria-live": "polite" });
  made.body.append(charts, words);
  const draw = () => {
    const all = chartsOf(session).filter(({ curves }) => curves.length > 0);
    redraw(charts, ...all.map(figure));
    words.textContent = restWords(session);
  };
  onSchemeChange(draw);
  onFrame(settings, ["position", "knobs"], draw);
  onFrame(answers, ["runs"], draw);
  return made.element;
}

function figure(chart: Chart): HTMLElement {
  const picture = chartPicture(chart);
  const names = chart.curves.length > 1 ? chart.curves : [];
  return html(
    "figure",
    {},
    html(
      "figcaption",
      {},
      html("b", {}, chart.title),
      saveButtons(chart.title, () => picture),
    ),
    picture,
    html("p", { class: "legend" }, ...names.map((curve) => key(curve))),
  );
}

function key({ name, colour, isDashed }: Curve): HTMLElement {
  const sample = html("span", { class: isDashed ? "key is-dashed" : "key" });
  sample.style.borderColor = colour;
  return html("span", {}, sample, name);
}

function chartsOf({ settings, answers }: Session): Chart[] {
  const now = answers.get();
  const { position, knobs } = settings.get();
  const runs = now.runs.flatMap((run, index) => (run ? [{ run, isDashed: index === 1 }] : []));
  const chart = (title: string, curves: Curve[], threshold?: number): Chart => ({
    title,
    curves,
    position,
    positions: positions(now),
    ...(threshold !== undefined && { threshold }),
  });
  const single = (of: (run: Rollout) => ArrayLike<number> | undefined, colour: number): Curve[] =>
    runs.flatMap(({ run, isDashed }) => {
      const values = of(run);
      return values ? [{ name: run.network, values, colour: hex(category(colour)), isDashed }] : [];
    });
  const agreement = runs.flatMap(({ run, isDashed }) =>
    run.agreement.map(({ variant, shares }, index) => ({
      name: isDashed ? `${variant}, second` : variant,
      values: shares,
      colour: hex(category(index)),
      isDashed,
    })),
  );
  return [
    chart(
      "residual",
      single((run) => run.residuals, 0),
      knobs.threshold,
    ),
    {
      ...chart(
        "score",
        single((run) => run.scores, 2),
      ),
      most: 1,
    },
    { ...chart("agreement", agreement), most: 1 },
    chart(
      "distance to undisturbed",
      single((run) => run.distance?.total, 1),
    ),
  ];
}

/** When the first network comes to rest. */
function restWords({ settings, answers }: Session): string {
  const [run] = answers.get().runs;
  if (!run) {
    return "";
  }
  const { threshold } = settings.get().knobs;
  const at = run.residuals.findIndex((residual) => residual < threshold);
  const share = `${(100 * threshold).toPrecision(2)} %`;
  const score = run.scores[at];
  return at < 0
    ? `The state of ${run.network} does not come to rest: no step changes it by less than ${share}.`
    : `The state of ${run.network} is at rest after step ${at} (change below ${share})${score === undefined || Number.isNaN(score) ? "" : `, where ${(100 * score).toFixed(0)} % is right`}; the algorithm took ${run.traceRecords - 1}.`;
}
