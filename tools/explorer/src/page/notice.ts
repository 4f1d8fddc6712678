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
    button("close", () => answers.set({ notice: "" })),
  );
  onFrame(answers, ["notice"], ({ notice }) => {
    box.hidden = notice === "";
    text.textContent = notice;
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
