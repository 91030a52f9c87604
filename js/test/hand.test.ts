import assert from "node:assert/strict";
import { test } from "node:test";

import { hand } from "../src/hand";

test("a question holds all that the kernel has not answered, by who asked", () => {
  const asked = hand(3);
  assert.deepEqual(asked.ask("0", { epsilon: 1 }), { serial: 4, changes: { "0": { epsilon: 1 } } });
  asked.ask("1", { fpr: 0.1, fnr: null });
  assert.deepEqual(asked.ask("0", { epsilon: Infinity }), {
    serial: 6,
    changes: { "0": { epsilon: "inf" }, "1": { fpr: 0.1, fnr: null } },
  });
  assert.deepEqual(asked.changes(), { epsilon: Infinity, fpr: 0.1, fnr: null });
});

test("a late answer undoes nothing that was done since", () => {
  const asked = hand(0);
  asked.ask("0", { epsilon: 1, delta: 0.1 });
  asked.ask("0", { epsilon: 2 });
  asked.answered(1);
  assert.deepEqual(asked.changes(), { epsilon: 2 });
  asked.answered(0);
  assert.deepEqual(asked.changes(), { epsilon: 2 });
  asked.answered(2);
  assert.deepEqual(asked.changes(), {});
});

test("what was refused is gone with its answer, and is not asked again", () => {
  const asked = hand(0);
  asked.ask("0", { delta: 7 });
  asked.answered(1);
  assert.deepEqual(asked.changes(), {});
  assert.deepEqual(asked.ask("0", { prior: 0.5 }), { serial: 2, changes: { "0": { prior: 0.5 } } });
});

test("of two controls of one number the last one asks", () => {
  const asked = hand(0);
  asked.ask("0", { epsilon: 1 });
  assert.deepEqual(asked.ask("7", { epsilon: 2 }).changes, { "7": { epsilon: 2 } });
});

test("what another page asked is counted, so that the next question is news to the kernel", () => {
  const asked = hand(3);
  asked.answered(7);
  assert.equal(asked.ask("0", { epsilon: 1 }).serial, 8);
  asked.answered(6);
  assert.equal(asked.ask("0", { epsilon: 2 }).serial, 9);
});
