// The colours of the pictures, which the report hands over for both colour schemes.

const night = matchMedia("(prefers-color-scheme: dark)");
let schemes;

export function colours() {
  schemes ??= JSON.parse(document.getElementById("colours").textContent);
  return schemes[night.matches ? "dark" : "light"];
}

/** Calls back when the reader changes the colour scheme; returns how to stop that. */
export function onSchemeChange(callback) {
  night.addEventListener("change", callback);
  return () => night.removeEventListener("change", callback);
}

/** The colour of a class, or of a step between the first and the last. */
export function groupColour({ classes, steps }, group, isClass, count) {
  if (isClass) {
    return classes[group % classes.length];
  }
  const place = count > 1 ? (group / (count - 1)) * (steps.length - 1) : 0;
  const left = Math.floor(place);
  return mixed(steps[left], steps[Math.min(left + 1, steps.length - 1)], place - left);
}

function mixed(from, to, share) {
  const channel = (colour, index) => Number.parseInt(colour.slice(1 + 2 * index, 3 + 2 * index), 16);
  const channels = [0, 1, 2].map((index) =>
    Math.round(channel(from, index) + share * (channel(to, index) - channel(from, index))),
  );
  return `rgb(${channels.join(", ")})`;
}
