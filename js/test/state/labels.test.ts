import assert from "node:assert/strict";
import { test } from "node:test";

import { place, type Box, type Point } from "../../src/state/labels";
import { LIVE } from "../live_vectors";

const near = (got: readonly number[], want: readonly number[]): boolean =>
  got.length === want.length && got.every((value, i) => Math.abs(value - want[i]!) < 1e-5);

test("labels stand where Python puts them", () => {
  assert.ok(LIVE.labels.length >= 50);
  assert.ok(LIVE.labels.some(({ places }) => places.some((each) => each?.leader)));
  assert.ok(LIVE.labels.some(({ places }) => places.includes(null)));
  for (const [i, { labels, others, frame, places }] of LIVE.labels.entries()) {
    place(labels, others, ...frame).forEach((got, k) => {
      const want = places[k];
      const where = `case ${i}, label ${k}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`;
      assert.equal(!got, !want, where);
      if (!got || !want) return;
      assert.deepEqual(got.lines, want.lines, where);
      assert.ok(near(got.box, want.box), where);
      assert.equal(!got.leader, !want.leader, where);
      if (got.leader) assert.ok(near(got.leader, want.leader!), where);
    });
  }
});

test("to the left of its line a text ends where its box does", () => {
  for (const [x, atEnd] of [[250, true], [50, false]] as const) {
    const path: Point[] = [[x, 0], [x, 200]];
    const [found] = place([{ text: "a line", path, kind: "line" }], [], 270, 200, 12);
    assert.equal(found!.atEnd, atEnd);
  }
});

test("a label stays where it was while the mark moves, unless it is in the way", () => {
  const slope: Point[] = [[0, 300], [300, 0]];
  const jumps = (isSticky: boolean): number => {
    let last: Box | undefined;
    let count = 0;
    for (let x = 60; x <= 240; x += 2) {
      const path: Point[] = [[x, 0], [x, 300]];
      const label = { text: "a moving line", path, kind: "line" as const };
      const [found] = place([isSticky ? { ...label, last } : label], [slope], 300, 300, 12);
      if (last && Math.hypot(found!.box[0] - last[0], found!.box[1] - last[1]) > 20) count++;
      last = found!.box;
    }
    return count;
  };
  assert.ok(jumps(false) >= 3);
  assert.ok(jumps(true) <= 1);
});
