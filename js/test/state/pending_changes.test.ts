import assert from "node:assert/strict";
import { test } from "node:test";

import { pendingChanges } from "../../src/state/pending_changes";

test("a question holds all that the kernel has not answered, by who asked", () => {
  const pending = pendingChanges(3);
  assert.deepEqual(pending.add("0", { epsilon: 1 }), { serial: 4, changes: { "0": { epsilon: 1 } } });
  pending.add("1", { fpr: 0.1, fnr: null });
  assert.deepEqual(pending.add("0", { epsilon: Infinity }), {
    serial: 6,
    changes: { "0": { epsilon: "inf" }, "1": { fpr: 0.1, fnr: null } },
  });
  assert.deepEqual(pending.changes(), { epsilon: Infinity, fpr: 0.1, fnr: null });
});

test("a late answer undoes nothing that was done since", () => {
  const pending = pendingChanges(0);
  pending.add("0", { epsilon: 1, delta: 0.1 });
  pending.add("0", { epsilon: 2 });
  pending.answered(1);
  assert.deepEqual(pending.changes(), { epsilon: 2 });
  pending.answered(0);
  assert.deepEqual(pending.changes(), { epsilon: 2 });
  pending.answered(2);
  assert.deepEqual(pending.changes(), {});
});

test("what was refused is gone with its answer, and is not asked again", () => {
  const pending = pendingChanges(0);
  pending.add("0", { delta: 7 });
  pending.answered(1);
  assert.deepEqual(pending.changes(), {});
  assert.deepEqual(pending.add("0", { prior: 0.5 }), { serial: 2, changes: { "0": { prior: 0.5 } } });
});

test("of two controls of one number the last one asks", () => {
  const pending = pendingChanges(0);
  pending.add("0", { epsilon: 1 });
  assert.deepEqual(pending.add("7", { epsilon: 2 }).changes, { "7": { epsilon: 2 } });
});

test("what another page asked is counted, so that the next question is news to the kernel", () => {
  const pending = pendingChanges(3);
  pending.answered(7);
  assert.equal(pending.add("0", { epsilon: 1 }).serial, 8);
  pending.answered(6);
  assert.equal(pending.add("0", { epsilon: 2 }).serial, 9);
});
