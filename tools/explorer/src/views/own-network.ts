// A network of the reader: the two files of a run.

import { html } from "../draw/element.ts";
import type { Session } from "../page/session.ts";

/** Weights that are larger than this do not fit into a page. */
const MOST_BYTES = 200e6;

/** The control. `added` is called with the name of a network that works. */
export function ownNetwork(session: Session, added: (name: string) => void): HTMLElement {
  const input = html("input", {
    type: "file",
    multiple: true,
    accept: ".toml,.safetensors",
    "aria-label": "config.toml and best.safetensors of a run",
  });
  input.addEventListener("change", async () => {
    const sentence = await add(session, [...(input.files ?? [])], added);
    session.answers.set({ notice: sentence });
    input.value = "";
  });
  return html(
    "details",
    { class: "sheet" },
    html("summary", {}, "your own network…"),
    html(
      "p",
      { class: "controls hint" },
      "Choose config.toml and best.safetensors of a run; they stay in this page.",
      input,
    ),
  );
}

/** Opens the files. Returns a sentence if they are no network, else nothing. */
async function add({ engine }: Session, files: File[], added: (name: string) => void): Promise<string> {
  const config = files.find(({ name }) => name.endsWith(".toml"));
  const weights = files.find(({ name }) => name.endsWith(".safetensors"));
  if (!config || !weights) {
    return "A network is two files, config.toml and best.safetensors; choose both at once.";
  }
  if (weights.size > MOST_BYTES) {
    return `${weights.name} has ${weights.size} bytes; the page takes at most ${MOST_BYTES}.`;
  }
  const name = `own ${engine.catalogue.networks.length + 1}`;
  const result = await engine.addNetwork(name, await config.text(), await weights.arrayBuffer());
  if (!result.ok) {
    return result.error;
  }
  added(result.value.name);
  return "";
}
