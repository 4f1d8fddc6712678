// Knobs of the network: how it aggregates, how states decay, how long it runs.

import { button, html } from "../draw/element.ts";
import type { Network } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import { AGGREGATORS, KNOBS, type Knobs } from "../state/settings.ts";
import { onFrame } from "../state/store.ts";
import { choice, field, panel } from "./panel.ts";

/** Temperatures are chosen on a logarithmic scale, 0.01 to 1000: messages differ by tens. */
const COLDEST = -2;
const HOTTEST = 3;

export function knobsView(session: Session): HTMLElement {
  const { settings, engine } = session;
  const made = panel("knobs", "Knobs", "Turned on the trained network, without training it again.");
  const set = (changes: Partial<Knobs>) => settings.set({ knobs: { ...settings.get().knobs, ...changes } });
  const aggregator = choice(
    [["", "as trained"], ...AGGREGATORS.map((name) => [name, name] as const)],
    (value) => set({ aggregator: AGGREGATORS.find((name) => name === value) ?? null }),
  );
  const temperature = slider({ min: COLDEST, max: HOTTEST, step: 0.05 }, (value) => {
    // A temperature means something for softmax only.
    set({ temperature: Number((10 ** value).toPrecision(2)), aggregator: "softmax" });
  });
  const decay = slider({ min: 0.5, max: 1, step: 0.01 }, (value) => set({ decay: value }));
  const extra = slider({ min: -5, max: 30, step: 1 }, (value) => set({ extraSteps: value }));
  const threshold = slider({ min: -3, max: 0, step: 0.05 }, (value) =>
    set({ threshold: Number((10 ** value).toPrecision(2)) }),
  );
  made.body.append(
    html(
      "div",
      { class: "knobs" },
      field("aggregator", aggregator),
      field("temperature", temperature.input, temperature.output),
      field("decay (1: none)", decay.input, decay.output),
      field("steps beyond the end", extra.input, extra.output),
      field("at rest below", threshold.input, threshold.output),
      button("as trained", () => settings.set({ knobs: KNOBS })),
    ),
  );
  onFrame(settings, ["knobs", "networks"], ({ knobs, networks }) => {
    const network = engine.catalogue.networks.find(({ name }) => name === networks[0]);
    aggregator.value = knobs.aggregator ?? "";
    aggregator.disabled = network?.aggregates === false;
    temperature.input.disabled = aggregator.disabled;
    showKnobs(knobs, network);
  });
  const showKnobs = (knobs: Knobs, network: Network | undefined) => {
    const trained = (value: number | undefined) => (value === undefined ? "" : ` (trained: ${value})`);
    const hot = knobs.temperature ?? network?.temperature ?? 1;
    const isSoft = (knobs.aggregator ?? network?.aggregator) === "softmax";
    temperature.show(Math.log10(Math.max(0.01, hot)), isSoft ? String(hot) : "for softmax");
    const decayed = knobs.decay ?? network?.decay ?? 1;
    decay.show(decayed, `${decayed}${knobs.decay === null ? "" : trained(network?.decay)}`);
    extra.show(knobs.extraSteps, `${knobs.extraSteps > 0 ? "+" : ""}${knobs.extraSteps}`);
    threshold.show(Math.log10(knobs.threshold), `${(100 * knobs.threshold).toPrecision(2)} %`);
  };
  return made.element;
}

interface Slider {
  input: HTMLInputElement;
  output: HTMLOutputElement;
  show: (value: number, text: string) => void;
}

function slider(range: { min: number; max: number; step: number }, set: (value: number) => void): Slider {
  const input = html("input", { type: "range", ...range });
  const output = html("output", {});
  input.addEventListener("input", () => set(Number(input.value)));
  return {
    input,
    output,
    show: (value, text) => {
      input.value = String(value);
      output.textContent = text;
      input.setAttribute("aria-valuetext", text);
    },
  };
}
