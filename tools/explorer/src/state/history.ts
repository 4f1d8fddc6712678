// Undo and redo, as a pure value: what was, what is, what was undone.

const MOST_STEPS = 200;

export interface History<T> {
  past: readonly T[];
  now: T;
  future: readonly T[];
  /** Changes with the same name in a row, such as the moves of one drag, are undone together. */
  gesture: string | null;
}

export function begin<T>(now: T): History<T> {
  return { past: [], now, future: [], gesture: null };
}

/** A change. Without a gesture it is undone alone. */
export function change<T>(history: History<T>, now: T, gesture: string | null = null): History<T> {
  if (gesture !== null && gesture === history.gesture) {
    return { ...history, now, future: [] };
  }
  const past = [...history.past, history.now].slice(-MOST_STEPS);
  return { past, now, future: [], gesture };
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) {
    return history;
  }
  return {
    past: history.past.slice(0, -1),
    now: before,
    future: [history.now, ...history.future],
    gesture: null,
  };
}

export function redo<T>(history: History<T>): History<T> {
  const [after, ...future] = history.future;
  if (after === undefined) {
    return history;
  }
  return { past: [...history.past, history.now], now: after, future, gesture: null };
}
