// The one scrubber that drives all views.

import { button, html } from "../draw/element.ts";
import { positions } from "../state/answers.ts";
import { onFrame } from "../state/store.ts";
import type { Session } from "./session.ts";

const MILLISECONDS_PER_STEP = 700;

export function scrubber(session: Session): HTMLElement {
  const { settings, answers } = session;
  const slider = html("input", { type: "range", min: 0, step: 1, "aria-label": "step", id: "step" });
  const output = html("output", { for: "step" });
  const play = button("▶", () => togglePlaying(session), { "aria-label": "play", id: "play" });
  slider.addEventListener("input", () => settings.set({ position: Number(slider.value), isPlaying: false }));
  const draw = () => {
    const { isPlaying } = settings.get();
    const { trace } = answers.get();
    const last = positions(answers.get()) - 1;
    const position = Math.min(last, settings.get().position);
    slider.max = String(last);
    slider.value = String(position);
    const isOver = trace !== null && position > trace.records - 1;
    const words = `step ${position} of ${last}${isOver ? ", the algorithm has ended" : ""}`;
    output.textContent = words;
    slider.setAttribute("aria-valuetext", words);
    play.textContent = isPlaying ? "❙❙" : "▶";
    play.setAttribute("aria-label", isPlaying ? "pause" : "play");
  };
  onFrame(settings, ["position", "isPlaying"], draw);
  onFrame(answers, ["trace", "runs"], draw);
  setInterval(() => {
    const { isPlaying, position } = settings.get();
    if (isPlaying) {
      const last = positions(answers.get()) - 1;
      settings.set(position >= last ? { isPlaying: false } : { position: position + 1 });
    }
  }, MILLISECONDS_PER_STEP);
  return html(
    "div",
    { class: "scrubber", role: "group", "aria-label": "step of all views" },
    button("◀", () => move(session, -1), { "aria-label": "step back" }),
    play,
    button("▶|", () => move(session, 1), { "aria-label": "step on", class: "next" }),
    slider,
    output,
  );
}

export function move({ settings, answers }: Session, steps: number): void {
  const last = positions(answers.get()) - 1;
  const position = Math.min(last, Math.max(0, settings.get().position + steps));
  settings.set({ position, isPlaying: false });
}

/** From the end, playing starts again. */
export function togglePlaying({ settings, answers }: Session): void {
  const { isPlaying, position } = settings.get();
  const isAtEnd = position >= positions(answers.get()) - 1;
  settings.set({ isPlaying: !isPlaying, position: !isPlaying && isAtEnd ? 0 : position });
}
