// The keyboard, and the help that lists it.

import { button, html } from "../draw/element.ts";
import { redo, undo } from "../state/history.ts";
import { move, togglePlaying } from "./scrubber.ts";
import type { Session } from "./session.ts";

interface Key {
  keys: string[];
  help: string;
  act: (session: Session) => void;
}

const KEYS: Key[] = [
  { keys: ["ArrowRight", "."], help: "one step on", act: (session) => move(session, 1) },
  { keys: ["ArrowLeft", ","], help: "one step back", act: (session) => move(session, -1) },
  { keys: ["Home"], help: "the first step", act: (session) => move(session, -1e6) },
  { keys: ["End"], help: "the last step", act: (session) => move(session, 1e6) },
  { keys: [" "], help: "play and pause", act: togglePlaying },
  {
    keys: ["z"],
    help: "undo (also Ctrl+Z)",
    act: ({ settings }) => settings.set({ draft: undo(settings.get().draft) }),
  },
  {
    keys: ["y"],
    help: "redo (also Ctrl+Y)",
    act: ({ settings }) => settings.set({ draft: redo(settings.get().draft) }),
  },
  {
    keys: ["m"],
    help: "graph or matrix",
    act: ({ settings }) => settings.set({ view: settings.get().view === "links" ? "matrix" : "links" }),
  },
  {
    keys: ["d"],
    help: "two or three dimensions",
    act: ({ settings }) => settings.set({ dimensions: settings.get().dimensions === 2 ? 3 : 2 }),
  },
  { keys: ["x"], help: "take all pushes back", act: ({ settings }) => settings.set({ pushes: [] }) },
  { keys: ["?"], help: "this help", act: () => openHelp() },
];

/** Keys of the parts that have the focus. */
const LOCAL: [string, string][] = [
  ["arrows on a node", "move it"],
  ["Enter on two nodes", "join or part them"],
  ["s on a node", "make it the source"],
  ["Delete on a node or an edge", "remove it"],
  ["arrows on an edge", "change its weight"],
  ["arrows, + − 0 in the latent space", "turn, zoom, reset"],
];

export function listenToKeys(session: Session): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    const isTyping = target.matches("input, textarea, select, [contenteditable]");
    const isPressing = event.key === " " && target.matches("button, summary, [role=button]");
    if (event.altKey || isTyping || isPressing || document.querySelector("dialog[open]")) {
      return;
    }
    const isControl = event.ctrlKey || event.metaKey;
    const wanted = isControl && event.shiftKey && event.key === "Z" ? "y" : event.key;
    const key = KEYS.find(({ keys }) => keys.includes(wanted));
    if (key && (!isControl || wanted === "z" || wanted === "y")) {
      event.preventDefault();
      key.act(session);
    }
  });
}

let help: HTMLDialogElement | undefined;

export function openHelp(): void {
  help ??= dialog();
  if (!help.open) {
    help.showModal();
  }
}

function dialog(): HTMLDialogElement {
  const names: Record<string, string> = { " ": "Space", ArrowRight: "→", ArrowLeft: "←" };
  const rows = [
    ...KEYS.map(({ keys, help }) => [keys.map((key) => names[key] ?? key).join(" or "), help] as const),
    ...LOCAL,
  ];
  const made = html(
    "dialog",
    { "aria-labelledby": "help-title" },
    html("h2", { id: "help-title" }, "Keys"),
    html(
      "table",
      {},
      html(
        "tbody",
        {},
        ...rows.map(([keys, help]) =>
          html("tr", {}, html("th", { scope: "row" }, keys), html("td", {}, help)),
        ),
      ),
    ),
    button("close", () => made.close()),
  );
  document.body.append(made);
  return made;
}
