// Saves pictures. Colours are variables of the page; a saved picture has their values.

import { html } from "../draw/element.ts";

/** Pixels per unit of a picture. */
const SCALE = 3;

export function saveSvg(picture: SVGSVGElement, name: string): void {
  saveBlob(new Blob([standalone(picture)], { type: "image/svg+xml" }), `${name}.svg`);
}

export async function savePng(picture: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = picture.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(picture))}`;
  await image.decode();
  const canvas = html("canvas", { width: width * SCALE, height: height * SCALE });
  const context = canvas.getContext("2d");
  if (!context) {
    return;
  }
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) {
    saveBlob(blob, `${name}.png`);
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The picture as a document of its own, on the page's background. */
function standalone(picture: SVGSVGElement): string {
  const styles = getComputedStyle(document.documentElement);
  const { width, height } = picture.viewBox.baseVal;
  const copy = picture.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("font-family", "system-ui, sans-serif");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", "var(--card)");
  copy.prepend(ground);
  const text = new XMLSerializer().serializeToString(copy);
  return text.replace(/var\((--[a-z-]+)\)/g, (_, name: string) => styles.getPropertyValue(name).trim());
}
