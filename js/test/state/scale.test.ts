import assert from "node:assert/strict";
import { test } from "node:test";

import { stepOf, typed } from "../../src/state/scale";
import { number } from "../../src/state/state";
import { axisTicks } from "../../src/state/ticks";
import { LIVE } from "../live_vectors";

for (const { control, steps, typed: texts } of LIVE.controls) {
  test(`${control.field}: the value of each step stands there`, () => {
    assert.ok(control.values.length > 50);
    control.values.forEach((value, step) => assert.equal(stepOf(value, control), step, `step ${step}`));
  });

  test(`${control.field}: each value stands where Python puts it`, () => {
    assert.ok(steps.length > 20);
    for (const [value, step] of steps) assert.equal(stepOf(number(value), control), step, `${value}`);
  });

  test(`${control.field}: what is typed is read, or refused, in Python's words`, () => {
    for (const [text, want] of texts) {
      const value = typeof want === "string" ? want : want.value === "#-0" ? -0 : want.value;
      assert.ok(Object.is(typed(text, control), value === "inf" ? Infinity : value), `${text}: got ${typed(text, control)}, want ${value}`);
    }
  });
}

test("a logarithmic axis has Python's ticks", () => {
  assert.ok(LIVE.ticks.length > 50);
  for (const { scale, low, high, rate, ticks } of LIVE.ticks) assert.deepEqual(axisTicks(scale, low, high, rate), ticks, `${low} to ${high}`);
});
