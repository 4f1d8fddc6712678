// Mouse, touch and keys in the latent space: turning, zooming, pointing at stored states, pushing the live one.

import type { Corpus } from "../engine/types.ts";
import type { Session } from "../page/session.ts";
import type { Push } from "../state/settings.ts";
import type { LatentState } from "./latent.ts";
import { livePath } from "./latent-picture.ts";

/** How far from a point a pointer may be, in pixels. */
const REACH = 10;
const REACH_LIVE = 16;
const CLICK = 4;
const KEY_TURN = 0.12;

export interface SpaceActions {
  place: HTMLElement;
  canvas: HTMLCanvasElement;
  draw: () => void;
  open: (point: number) => void;
}

export function listenToSpace(
  session: Session,
  state: LatentState,
  { place, canvas, draw, open }: SpaceActions,
): void {
  const local = (event: MouseEvent) => {
    const box = place.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons === 0) {
      const { x, y } = local(event);
      const found = pick(state, x, y);
      if (found !== state.hovered) {
        state.hovered = found;
        draw();
      }
    }
  });
  canvas.addEventListener("pointerleave", () => {
    state.hovered = -1;
    draw();
  });
  canvas.addEventListener("pointerdown", (down) => {
    const start = local(down);
    const push = beginPush(session, state, start.x, start.y);
    let [last, isDrag] = [start, false];
    canvas.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent) => {
      const now = local(event);
      isDrag ||= Math.hypot(now.x - start.x, now.y - start.y) > CLICK;
      if (push) {
        push(now.x - start.x, now.y - start.y);
      } else if (isDrag && !state.camera.isFlat) {
        state.camera.turn((last.x - now.x) / 120, (now.y - last.y) / 120);
        draw();
      }
      last = now;
    };
    const stop = () => {
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      canvas.removeEventListener("pointercancel", stop);
    };
    const up = (event: PointerEvent) => {
      stop();
      const { x, y } = local(event);
      const point = isDrag || push ? -1 : pick(state, x, y);
      if (point >= 0) {
        open(point);
      }
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", stop);
  });
  canvas.addEventListener("keydown", (event) => {
    if (spaceKey(state, event.key)) {
      event.preventDefault();
      event.stopPropagation();
      draw();
    }
  });
}

function spaceKey({ camera }: LatentState, key: string): boolean {
  const keys: Record<string, () => void> = {
    ArrowLeft: () => camera.turn(-KEY_TURN, 0),
    ArrowRight: () => camera.turn(KEY_TURN, 0),
    ArrowUp: () => camera.turn(0, KEY_TURN),
    ArrowDown: () => camera.turn(0, -KEY_TURN),
    "+": () => camera.zoomBy(1.2),
    "-": () => camera.zoomBy(1 / 1.2),
    "0": () => camera.reset(),
  };
  const act = key.startsWith("Arrow") && camera.isFlat ? undefined : keys[key];
  act?.();
  return act !== undefined;
}

/** The stored state under a pointer; of several the one in front. */
function pick({ corpus, space, camera }: LatentState, x: number, y: number): number {
  let [found, least] = [-1, REACH ** 2];
  const project = camera.projector();
  if (corpus && space) {
    for (let point = 0; point < corpus.record.length; point += 1) {
      const at = 3 * point;
      const seen = project(space.points[at]!, space.points[at + 1]!, space.points[at + 2]!);
      const distance = (seen.x - x) ** 2 + (seen.y - y) ** 2;
      if (distance < least) {
        [found, least] = [point, distance];
      }
    }
  }
  return found;
}

/** The stored state nearest to coordinates, among those of the same record if there are any. */
export function nearestPoint(corpus: Corpus, coordinates: readonly number[], record: number): number {
  const nearest = (fits: (point: number) => boolean) => {
    let [found, least] = [-1, Number.POSITIVE_INFINITY];
    for (let point = 0; point < corpus.record.length; point += 1) {
      const at = point * corpus.components;
      const distance = coordinates.reduce(
        (sum, value, axis) => sum + (value - corpus.points[at + axis]!) ** 2,
        0,
      );
      if (fits(point) && distance < least) {
        [found, least] = [point, distance];
      }
    }
    return found;
  };
  const same = nearest((point) => corpus.record[point] === record);
  return same >= 0 ? same : nearest(() => true);
}

/** Starts to push the live state if the pointer is on it; what comes back moves it by pixels. */
function beginPush(
  session: Session,
  state: LatentState,
  x: number,
  y: number,
): ((dx: number, dy: number) => void) | null {
  const { settings } = session;
  const { position, pushes } = settings.get();
  const live = livePath(session, state).find(({ record }) => record === position);
  const { corpus, space, camera } = state;
  if (!live || !corpus || !space || Math.hypot(live.x - x, live.y - y) > REACH_LIVE) {
    return null;
  }
  const nodes = corpus.request.points === "nodes" ? Math.max(0, settings.get().node) : ("all" as const);
  const isSame = (push: Push) => push.kind === "move" && push.steps === position && push.nodes === nodes;
  const before = pushes.find(isSame);
  const start = before?.kind === "move" ? before.amounts : [];
  const others = pushes.filter((push) => !isSame(push));
  return (dx, dy) => {
    const moved = camera.unproject(dx, dy);
    const amounts = Array.from(
      { length: Math.min(3, corpus.components) },
      (_, axis) => (start[axis] ?? 0) + moved[axis as 0 | 1 | 2] / space.unit,
    );
    settings.set({ pushes: [...others, { kind: "move", amounts, steps: position, nodes }] });
  };
}
