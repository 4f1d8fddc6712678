// The script of a report.

import { followReading } from "./contents.js";
import { copyPictures, enableSaving, showPictures } from "./pictures.js";
import { livingViews, toggleViews, viewIn } from "./views.js";

function toggled(details) {
  if (details.open) {
    showPictures(details);
  }
  toggleViews(details);
}

// `toggle` does not bubble, hence the capture.
document.addEventListener("toggle", ({ target }) => toggled(target), true);

// A link to something inside a closed part opens that part.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target && target.closest("details"); part; part = part.parentElement.closest("details")) {
    part.open = true;
  }
}

document.querySelectorAll("details[open]").forEach(toggleViews);
showPictures(document).then(copyPictures);
enableSaving();
followReading();
addEventListener("hashchange", openTarget);
openTarget();
// For the browser test.
window.narscope = { livingViews, viewIn };
