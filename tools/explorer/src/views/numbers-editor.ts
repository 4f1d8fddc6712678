// Editing arrays as bars, columns as a table, strings as cells.

import { html } from "../draw/element.ts";
import type { Problem } from "../engine/types.ts";
import type { ArrayProblem, ColumnsProblem, TextProblem } from "../problem/problem.ts";

/** `gesture` groups changes that are undone together. */
export type Change = (problem: Problem, gesture: string | null) => void;

export function numbersEditor(problem: Problem, change: Change): HTMLElement {
  switch (problem.kind) {
    case "array":
      return bars(problem, change);
    case "columns":
      return table(problem, change);
    case "text":
      return cells(problem, change);
    case "graph":
      throw new Error("graphs have an editor of their own");
  }
}

function bars(problem: ArrayProblem, change: Change): HTMLElement {
  const { values, target } = problem;
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  const set = (index: number, value: number, gesture: string | null) =>
    change({ ...problem, values: values.map((old, other) => (other === index ? value : old)) }, gesture);
  const columns = values.map((value, index) => {
    const slider = html("input", {
      type: "range",
      min: low,
      max: high,
      step: 0.01,
      class: "bar",
      "data-key": `bar ${index}`,
      "aria-label": `value ${index}`,
    });
    slider.value = String(value);
    slider.addEventListener("input", () => set(index, Number(slider.value), `bar ${index}`));
    const typed = number(value, `typed value ${index}`, (it) => set(index, it, null));
    return html("div", { class: "bar-column" }, slider, typed);
  });
  const searched =
    target === undefined
      ? null
      : html(
          "label",
          { class: "field" },
          "search for ",
          number(target, "target", (it) => change({ ...problem, target: it }, null)),
        );
  return html("div", {}, html("div", { class: "bars" }, ...columns), searched);
}

function table(problem: ColumnsProblem, change: Change): HTMLElement {
  const rows = Object.entries(problem.columns).map(([name, column]) => {
    const inputs = column.map((value, index) =>
      number(value, `${name} ${index}`, (it) => {
        const changed = column.map((old, other) => (other === index ? it : old));
        change({ ...problem, columns: { ...problem.columns, [name]: changed } }, null);
      }),
    );
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, name),
      ...inputs.map((input) => html("td", {}, input)),
    );
  });
  return html("div", { class: "scroll" }, html("table", {}, html("tbody", {}, ...rows)));
}

/** Letters as cells; a letter that is not in the alphabet is refused by the engine, in words. */
function cells(problem: TextProblem, change: Change): HTMLElement {
  const lines = problem.lines.map((line, row) => {
    const inputs = [...line].map((letter, column) => {
      const input = html("input", {
        class: "cell",
        maxlength: 1,
        "data-key": `cell ${row} ${column}`,
        "aria-label": `letter ${column} of string ${row + 1}`,
      });
      input.value = letter;
      input.addEventListener("focus", () => input.select());
      input.addEventListener("change", () => {
        const changed = [...line].map((old, other) => (other === column ? input.value || old : old)).join("");
        change(
          { ...problem, lines: problem.lines.map((old, other) => (other === row ? changed : old)) },
          null,
        );
      });
      return input;
    });
    return html("div", { class: "cells" }, ...inputs);
  });
  return html("div", { class: "scroll" }, ...lines);
}

/** An input of a number; what is no number is put back. */
function number(value: number, label: string, set: (value: number) => void): HTMLInputElement {
  const input = html("input", { type: "number", step: "any", "aria-label": label, "data-key": label });
  input.value = String(Math.round(value * 1000) / 1000);
  input.addEventListener("change", () => {
    const typed = Number(input.value);
    if (input.value !== "" && Number.isFinite(typed)) {
      set(typed);
    } else {
      input.value = String(value);
    }
  });
  return input;
}
