// A panel: a heading, controls, a picture that can be saved.

import { button, type Child, html } from "../draw/element.ts";
import { savePng, saveSvg } from "../page/save.ts";

export interface Panel {
  element: HTMLElement;
  /** Where controls stand. */
  controls: HTMLElement;
  body: HTMLElement;
}

/** Makes a panel. With `picture`, buttons save what it returns under the panel's name. */
export function panel(id: string, title: string, hint: string, picture?: () => SVGSVGElement | null): Panel {
  const controls = html("div", { class: "controls" });
  const body = html("div", { class: "body" });
  const heading = html("h2", { id: `${id}-title` }, title);
  const saving = picture ? saveButtons(id, picture) : null;
  const element = html(
    "section",
    { id, class: "panel", "aria-labelledby": `${id}-title` },
    html("header", {}, heading, saving),
    html("p", { class: "hint" }, hint),
    controls,
    body,
  );
  return { element, controls, body };
}

/** Buttons that save a picture as SVG and as PNG. */
export function saveButtons(name: string, picture: () => SVGSVGElement | null): HTMLElement {
  const save = (as: (picture: SVGSVGElement, name: string) => void) => () => {
    const drawn = picture();
    if (drawn) {
      as(drawn, `narscope-${name}`);
    }
  };
  return html(
    "span",
    { class: "save" },
    button("SVG", save(saveSvg), { "aria-label": `Save ${name} as SVG` }),
    button("PNG", save(savePng), { "aria-label": `Save ${name} as PNG` }),
  );
}

/** A label with its control. */
export function field(label: string, control: HTMLElement, ...more: Child[]): HTMLLabelElement {
  return html("label", { class: "field" }, html("span", {}, label), control, ...more);
}

/** A list to choose from. */
export function choice(
  options: readonly (readonly [value: string, label: string])[],
  act: (value: string) => void,
): HTMLSelectElement {
  const made = html("select", {});
  setOptions(made, options);
  made.addEventListener("change", () => act(made.value));
  return made;
}

/** Replaces the options of a list, unless they are the same already. */
export function setOptions(
  list: HTMLSelectElement,
  options: readonly (readonly [value: string, label: string])[],
): void {
  const isSame =
    list.options.length === options.length &&
    options.every(
      ([value, label], index) => list.options[index]?.value === value && list.options[index]?.text === label,
    );
  if (!isSame) {
    list.replaceChildren(...options.map(([value, label]) => html("option", { value }, label)));
  }
}

/** A few choices next to each other, of which one is pressed. */
export function toggle<T extends string>(
  label: string,
  options: readonly (readonly [T, string])[],
  act: (value: T) => void,
): { element: HTMLElement; show: (value: T) => void } {
  const buttons = options.map(([value, text]) => ({ value, made: button(text, () => act(value)) }));
  return {
    element: html(
      "span",
      { class: "toggle", role: "group", "aria-label": label },
      ...buttons.map(({ made }) => made),
    ),
    show: (now) => {
      for (const { value, made } of buttons) {
        made.setAttribute("aria-pressed", String(value === now));
      }
    },
  };
}
