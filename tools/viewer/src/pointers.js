// Mouse and fingers on a canvas: one drags, two pinch, a wheel zooms.

export class Pointers {
  constructor(canvas, { drag, zoom, hover, leave }) {
    this.down = new Map();
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const spread = () => {
      const [a, b] = [...this.down.values()];
      return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.down.set(event.pointerId, place(event));
      this.hasMoved = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      const before = this.down.get(event.pointerId);
      if (!before) {
        hover(x, y);
        return;
      }
      this.hasMoved = true;
      const spreadBefore = this.down.size === 2 ? spread() : undefined;
      this.down.set(event.pointerId, [x, y]);
      if (spreadBefore) {
        zoom(spread() / spreadBefore);
      } else {
        drag(x - before[0], y - before[1]);
      }
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => {
        this.down.delete(event.pointerId);
        // A finger cannot hover: it taps.
        if (end === "pointerup" && !this.hasMoved) {
          hover(...place(event));
        }
      });
    }
    canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
    // The wheel scrolls the page, unless the reader chose the view or pinches a touch pad.
    const zoomWithWheel = (event) => {
      if (event.ctrlKey || document.activeElement === canvas) {
        event.preventDefault();
        zoom(Math.exp(-event.deltaY / 500));
      }
    };
    canvas.addEventListener("wheel", zoomWithWheel, { passive: false });
  }
}
