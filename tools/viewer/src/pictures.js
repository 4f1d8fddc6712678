// Pictures: unpacked when the page or a closed part of it is opened, and each can be saved.

import { element, save } from "./dom.js";

/** Dots per inch of saved PNGs; browsers count 96. */
const DENSITY = 300 / 96;

const narrow = matchMedia("(max-width: 40rem)");

/** Shows the pictures below an element, except those in closed parts of it. */
export function showPictures(part) {
  const images = [...part.querySelectorAll("img[data-source]")];
  const visible = images.filter((image) => !image.closest("details:not([open])"));
  return Promise.all(visible.map(show));
}

/** Unpacks the SVG of a picture, which waits in a script element as Base64 of gzip. */
async function show(image) {
  const { source } = image.dataset;
  delete image.dataset.source;
  const inColumn = narrow.matches && document.getElementById(`${source}-narrow`);
  const { textContent } = inColumn || document.getElementById(`${source}-wide`);
  const packed = new Blob([Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0))]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  const svg = await new Response(stream).text();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
}

/** Lets the buttons below pictures save them, and shows these buttons. */
export function enableSaving() {
  for (const button of document.querySelectorAll("button[data-save]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const figure = button.closest("figure");
      const svg = await lightSvg(figure.querySelector("img"));
      const isSvg = button.dataset.save === "svg";
      save(isSvg ? svg : await png(svg), `${figure.dataset.name}.${button.dataset.save}`);
    });
  }
}

/** Fills the pictures of the summary, which are pictures of the sections again: their bytes are there once. */
export function copyPictures() {
  for (const image of document.querySelectorAll("img[data-copy]")) {
    image.src = document.querySelector(`#${CSS.escape(image.dataset.copy)} img`).src;
    image.closest("[hidden]").hidden = false;
  }
}

/** The SVG of a picture, for print: in light colours whatever the screen has. */
async function lightSvg(image) {
  const svg = await (await fetch(image.src)).text();
  const light = svg.replace(/\(\s*prefers-color-scheme:\s*dark\s*\)/g, "not all");
  return new Blob([light], { type: "image/svg+xml" });
}

async function png(svg) {
  const address = URL.createObjectURL(svg);
  const image = element("img", { src: address });
  await image.decode();
  const [width, height] = [image.naturalWidth, image.naturalHeight].map((size) => Math.round(DENSITY * size));
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  // Pictures have no background of their own.
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  URL.revokeObjectURL(address);
  return new Promise((resolve) => canvas.toBlob(resolve));
}
