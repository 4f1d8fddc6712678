// Elements of the page and of pictures. Data becomes text or attributes, never markup.

export type Attributes = Record<string, string | number | boolean | undefined>;
export type Child = Node | string | null | undefined | false;

const SVG = "http://www.w3.org/2000/svg";

/** Makes an HTML element; `true` sets an attribute without a value, `false` and `undefined` leave it away. */
export function html<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill<E extends Element>(made: E, attributes: Attributes, children: Child[]): E {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) {
      made.setAttribute(key, "");
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A button with a text and what it does. */
export function button(text: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = html("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

/**
 * Replaces what a place contains. The keyboard's focus stays where it was: on the new element with the same
 * `data-key`.
 */
export function redraw(place: Element, ...children: Child[]): void {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const key = focused?.getAttribute("data-key");
  place.replaceChildren(
    ...children.filter((child) => child !== null && child !== undefined && child !== false),
  );
  if (key) {
    place.querySelector<HTMLElement | SVGElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }
}
