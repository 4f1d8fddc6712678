// What went wrong, as a sentence that stays until the reader closes it or the next answer is right.

import { button, html } from "../draw/element.ts";
import { onFrame } from "../state/store.ts";
import type { Session } from "./session.ts";

export function notice({ answers }: Session): HTMLElement {
  const text = html("span", {});
  const box = html(
    "div",
    { class: "notice", role: "alert" },
    text,
    button("close", () => answers.set({ notice: "", failed: "" })),
  );
  onFrame(answers, ["notice", "failed"], ({ notice, failed }) => {
    const sentences = new Set([notice, failed].filter((sentence) => sentence !== ""));
    box.hidden = sentences.size === 0;
    text.textContent = [...sentences].join(" ");
  });
  return box;
}

/** The page when there is no engine. */
export function failure(sentence: string): HTMLElement {
  return html(
    "div",
    { class: "notice", role: "alert" },
    html("span", {}, sentence),
    button("try again", () => window.location.reload()),
  );
}
