import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, change, redo, undo } from "../src/state/history.ts";

test("undo returns what was before, redo what was undone", () => {
  const changed = change(change(begin(1), 2), 3);
  assert.equal(undo(changed).now, 2);
  assert.equal(undo(undo(changed)).now, 1);
  assert.equal(redo(undo(changed)).now, 3);
});

test("the moves of one drag are undone together", () => {
  const dragged = [2, 3, 4].reduce((history, value) => change(history, value, "drag 1"), begin(1));
  assert.equal(undo(dragged).now, 1);
  const second = change(dragged, 5, "drag 2");
  assert.equal(undo(second).now, 4);
});

test("a change after undo forgets what was undone", () => {
  const history = change(undo(change(begin(1), 2)), 3);
  assert.equal(redo(history).now, 3);
  assert.equal(undo(history).now, 1);
});

test("there is nothing before the beginning and after the end", () => {
  const history = begin(1);
  assert.equal(undo(history), history);
  assert.equal(redo(history), history);
});
