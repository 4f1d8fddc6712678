// When views live: built when the reader opens and sees them, freed when closed.

import { View } from "./view.js";

const alive = new Map();

// A little before a view scrolls into sight, and until well after it left.
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        build(target);
      } else {
        alive.get(target)?.park();
      }
    }
  },
  { rootMargin: "200px" },
);

function build(place) {
  const { source, label } = place.dataset;
  if (!alive.has(place)) {
    // Data is parsed here and not before: a report has megabytes of it.
    const data = JSON.parse(document.getElementById(source).textContent);
    alive.set(place, new View(place, data, label));
  }
  alive.get(place).unpark();
}

/** The places of views below an element that was opened or closed. */
export function toggleViews(details) {
  for (const place of details.querySelectorAll(".space")) {
    if (details.open) {
      sight.observe(place);
    } else {
      sight.unobserve(place);
      alive.get(place)?.dispose();
      alive.delete(place);
    }
  }
}

/** The view in a place, for tests. */
export function viewIn(place) {
  return alive.get(place);
}

/** How many views there are, for tests. */
export function livingViews() {
  return alive.size;
}
