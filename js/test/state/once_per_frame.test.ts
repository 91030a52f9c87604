import assert from "node:assert/strict";
import { test } from "node:test";

import { batched, framed } from "../../src/state/once_per_frame";

test("the first time at once, and then once a frame for all that came meanwhile", () => {
  const frames: (() => void)[] = [];
  const cancelled: number[] = [];
  Object.assign(globalThis, {
    requestAnimationFrame: (next: () => void) => frames.push(next),
    cancelAnimationFrame: (frame: number) => cancelled.push(frame),
  });
  let drawn = 0;
  const ask = framed(() => (drawn += 1));
  ask();
  assert.equal(drawn, 1);
  for (let i = 0; i < 5; i++) ask();
  assert.deepEqual([drawn, frames.length], [1, 1]);
  frames[0]!();
  assert.deepEqual([drawn, frames.length], [2, 2]);
  frames[1]!();
  assert.deepEqual([drawn, frames.length], [2, 2]);
  ask();
  assert.deepEqual([drawn, frames.length], [3, 3]);
  ask.cancel();
  assert.deepEqual(cancelled, [3]);
});

test("many requests of one task are one, after it", async () => {
  let drawn = 0;
  const ask = batched(() => (drawn += 1));
  ask();
  ask();
  assert.equal(drawn, 0);
  await Promise.resolve();
  assert.equal(drawn, 1);
  ask();
  await Promise.resolve();
  assert.equal(drawn, 2);
});
