// The problem: edited by hand, sampled, chosen from the presets, pasted or dropped.

import { button, html, redraw } from "../draw/element.ts";
import { toPlace } from "../draw/frame.ts";
import type { Algorithm } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import {
  addNode,
  removeEdge,
  removeNode,
  rescale,
  setSource,
  setWeight,
  toggleEdge,
} from "../problem/graph.ts";
import { placesOf } from "../problem/layout.ts";
import { type Draft, type GraphDraft, isGraph, nodeName } from "../problem/problem.ts";
import { change, redo, undo } from "../state/history.ts";
import { onFrame } from "../state/store.ts";
import { type Chosen, type GraphEditor, graphPicture, listenToPointers } from "./graph-editor.ts";
import { numbersEditor } from "./numbers-editor.ts";
import { panel } from "./panel.ts";
import { sourcesOfProblems } from "./problem-sources.ts";

const HINTS = {
  graph:
    "Drag nodes. Click two nodes to join or part them, an edge to choose it; drag a weight sideways. Double-click adds a node.",
  array: "Drag a bar, or type its value.",
  columns: "Type values.",
  text: "Type letters.",
};

/** One move of an arrow key, as a share of the drawing. */
const KEY_MOVE = 0.02;
const KEY_WEIGHT = 0.05;

export function problemView(session: Session): HTMLElement {
  const { settings } = session;
  let chosen: Chosen = null;
  const made = panel("problem", "Problem", "", () => made.body.querySelector("svg"));
  const hint = made.element.querySelector(".hint")!;
  const toolbar = html("div", { class: "controls", "aria-live": "polite" });
  const place = html("div", { class: "picture-place" });
  const undoing = button("↶ undo", () => settings.set({ draft: undo(settings.get().draft) }));
  const redoing = button("↷ redo", () => settings.set({ draft: redo(settings.get().draft) }));
  made.controls.append(undoing, redoing, ...sourcesOfProblems(session, made.element));
  made.body.append(place, toolbar);

  const set = (draft: Draft, gesture: string | null = null) =>
    settings.set({ draft: change(settings.get().draft, draft, gesture) });
  const choose = (next: Chosen) => {
    chosen = next;
    draw();
  };
  const editor = (): GraphEditor | null => {
    const draft = settings.get().draft.now;
    const known = algorithm(session);
    return isGraph(draft)
      ? {
          draft,
          chosen,
          weighted: known.weighted,
          hasSource: known.hasSource,
          change: set,
          clickNode: (node) => clickNode(draft, node),
          clickEdge: (edge) => choose({ edge }),
          clickNothing: () => choose(null),
          addNode: (at) => addIfRoom(draft, at),
        }
      : null;
  };
  const clickNode = (draft: GraphDraft, node: number) => {
    settings.set({ node });
    if (chosen !== null && "node" in chosen && chosen.node !== node) {
      set(toggleEdge(draft, chosen.node, node));
      choose(null);
    } else {
      choose(chosen === null || "edge" in chosen ? { node } : null);
    }
  };
  const addIfRoom = (draft: GraphDraft, at: { x: number; y: number }) => {
    const { nodes } = session.engine.catalogue.limits;
    if (draft.problem.nodes < nodes) {
      set(addNode(draft, toPlace(at)));
    } else {
      session.answers.set({ notice: `The page takes at most ${nodes} nodes.` });
    }
  };
  const draw = () => {
    const { draft } = settings.get();
    const { problem } = draft.now;
    hint.textContent = HINTS[problem.kind];
    undoing.disabled = draft.past.length === 0;
    redoing.disabled = draft.future.length === 0;
    const now = editor();
    chosen = stillThere(chosen, draft.now);
    redraw(
      place,
      now
        ? graphPicture({ ...now, chosen })
        : numbersEditor(problem, (changed, gesture) => set({ problem: changed, places: [] }, gesture)),
    );
    redraw(toolbar, ...(now ? graphTools({ ...now, chosen }, choose) : []));
  };
  listenToPointers(place, editor);
  place.addEventListener("keydown", (event) => {
    const now = editor();
    if (now && graphKey({ ...now, chosen }, event, choose)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  onFrame(settings, ["draft", "algorithm"], draw);
  return made.element;
}

export function algorithm({ engine, settings }: Session): Algorithm {
  const { algorithms } = engine.catalogue;
  return algorithms.find(({ name }) => name === settings.get().algorithm) ?? algorithms[0]!;
}

/** A choice that undo or another problem removed is dropped. */
function stillThere(chosen: Chosen, draft: Draft): Chosen {
  if (chosen === null || !isGraph(draft)) {
    return null;
  }
  const isThere =
    "node" in chosen ? chosen.node < draft.problem.nodes : chosen.edge < draft.problem.edges.length;
  return isThere ? chosen : null;
}

/** What can be done with the chosen node or edge. */
function graphTools(editor: GraphEditor, choose: (chosen: Chosen) => void): HTMLElement[] {
  const { draft, chosen, change: set } = editor;
  const { problem } = draft;
  if (chosen === null) {
    const directed = html("input", { type: "checkbox", "data-key": "directed" });
    directed.checked = problem.directed;
    directed.addEventListener("change", () => set(withDirection(draft, directed.checked), null));
    return [
      button("add a node", () => editor.addNode({ x: 220, y: 160 }), { "data-key": "add" }),
      button("× 0.8", () => set(rescale(draft, 0.8), null), {
        "data-key": "scale",
        title: "Multiply all weights",
      }),
      button("lay out", () => set({ ...draft, places: placesOf(problem) }, null), { "data-key": "layout" }),
      html("label", { class: "field" }, directed, " directed"),
    ];
  }
  if ("node" in chosen) {
    const { node } = chosen;
    return [
      html("b", {}, `node ${nodeName(problem, node)}`),
      ...(editor.hasSource && problem.source !== node
        ? [button("make it the source", () => set(setSource(draft, node), null), { "data-key": "source" })]
        : []),
      button(
        "remove",
        () => {
          choose(null);
          set(removeNode(draft, node), null);
        },
        { "data-key": "remove" },
      ),
      html("span", { class: "hint" }, "Click another node to join or part them."),
    ];
  }
  const { edge } = chosen;
  const [from, to, weight] = problem.edges[edge]!;
  const input = html("input", {
    type: "number",
    step: 0.01,
    min: 0.01,
    "data-key": "weight",
    "aria-label": "weight",
  });
  input.value = String(weight);
  input.addEventListener("change", () => {
    if (Number(input.value) > 0) {
      set(setWeight(draft, edge, Number(input.value)), null);
    } else {
      input.value = String(weight);
    }
  });
  return [
    html("b", {}, `edge ${nodeName(problem, from)}–${nodeName(problem, to)}`),
    ...(editor.weighted ? [html("label", { class: "field" }, "weight ", input)] : []),
    button(
      "remove",
      () => {
        choose(null);
        set(removeEdge(draft, edge), null);
      },
      { "data-key": "remove" },
    ),
  ];
}

/** An undirected graph keeps one edge per pair. */
function withDirection(draft: GraphDraft, directed: boolean): GraphDraft {
  const { problem } = draft;
  const edges = new Map(
    problem.edges.map(([from, to, weight]) => {
      const [a, b] = directed || from < to ? [from, to] : [to, from];
      return [`${a} ${b}`, [a, b, weight] as [number, number, number]];
    }),
  );
  return { ...draft, problem: { ...problem, directed, edges: [...edges.values()] } };
}

/** Keys on a focused node or edge. Returns whether the key meant something. */
function graphKey(editor: GraphEditor, event: KeyboardEvent, choose: (chosen: Chosen) => void): boolean {
  const target = (event.target as Element).closest("[data-node], [data-edge]");
  const index = (name: string) => Number(target?.getAttribute(name) ?? Number.NaN);
  const [node, edge] = [index("data-node"), index("data-edge")];
  const { draft, change: set } = editor;
  const arrows: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const arrow = arrows[event.key];
  if (event.key === "Escape") {
    choose(null);
    return true;
  }
  if (!Number.isNaN(node)) {
    const place = draft.places[node];
    if (arrow && place) {
      const moved = { x: place.x + KEY_MOVE * arrow[0], y: place.y + KEY_MOVE * arrow[1] };
      set(
        { ...draft, places: draft.places.map((old, other) => (other === node ? moved : old)) },
        `keys ${node}`,
      );
    } else if (event.key === "Enter" || event.key === " ") {
      editor.clickNode(node);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      set(removeNode(draft, node), null);
    } else if (event.key === "s" && editor.hasSource) {
      set(setSource(draft, node), null);
    } else {
      return false;
    }
    return true;
  }
  const heavy = draft.problem.edges[edge]?.[2];
  if (heavy === undefined) {
    return false;
  }
  if (arrow) {
    set(setWeight(draft, edge, heavy + KEY_WEIGHT * (arrow[0] - arrow[1])), `keys of edge ${edge}`);
  } else if (event.key === "Enter" || event.key === " ") {
    choose({ edge });
  } else if (event.key === "Delete" || event.key === "Backspace") {
    set(removeEdge(draft, edge), null);
  } else {
    return false;
  }
  return true;
}
