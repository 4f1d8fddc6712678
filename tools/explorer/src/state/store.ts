// One value, and those who want to know when it changes.

export type Listener<S> = (now: S, before: S) => void;

export class Store<S extends object> {
  private listeners: Listener<S>[] = [];

  constructor(private state: S) {}

  get(): S {
    return this.state;
  }

  /** Replaces some fields. Listeners are not called if all values stay the same. */
  set(changes: Partial<S>): void {
    const before = this.state;
    const keys = Object.keys(changes) as (keyof S)[];
    if (keys.every((key) => Object.is(before[key], changes[key]))) {
      return;
    }
    this.state = { ...before, ...changes };
    for (const listener of this.listeners) {
      listener(this.state, before);
    }
  }

  on(listener: Listener<S>): void {
    this.listeners.push(listener);
  }
}

/** Calls back when one of the fields changes, at most once per frame, and once at the start. */
export function onFrame<S extends object>(
  store: Store<S>,
  fields: (keyof S)[],
  draw: (state: S) => void,
): void {
  let isWaiting = false;
  const soon = () => {
    if (!isWaiting) {
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        draw(store.get());
      });
    }
  };
  store.on((now, before) => {
    if (fields.some((field) => now[field] !== before[field])) {
      soon();
    }
  });
  soon();
}
