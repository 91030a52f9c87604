import assert from "node:assert/strict";
import { test } from "node:test";

import { pixelOf, stretched, valueOf, type PixelAxis } from "../../src/page/axis";

const LINEAR: PixelAxis = { scale: "linear", isRate: false, low: -2, high: 4, start: 284, end: 12 };
const LOG: PixelAxis = { scale: "log", isRate: false, low: 1e-6, high: 1, start: 62, end: 462 };
const LONGER: PixelAxis = { ...LOG, low: 1e-8 };

test("values stand at their share of the axis, in decades on a logarithmic one", () => {
  assert.deepEqual([-2, 1, 4].map((value) => pixelOf(value, LINEAR)), [284, 148, 12]);
  for (const [value, pixel] of [[1e-6, 62], [1e-3, 262], [1, 462]] as const) {
    assert.ok(Math.abs(pixelOf(value, LOG) - pixel) < 1e-9);
  }
});

test("pixels and values are each other's inverse", () => {
  for (const axis of [LINEAR, LOG, LONGER]) {
    for (let pixel = 62; pixel <= 284; pixel += 3) {
      assert.ok(Math.abs(pixelOf(valueOf(pixel, axis), axis) - pixel) < 1e-9);
    }
  }
});

test("a path goes from axes to others, with every command", () => {
  // Two decades more: 6 of 8 decades are left for what was the whole width.
  const [x, y] = [[LOG, LINEAR], [LONGER, LINEAR]] as const;
  assert.equal(stretched("M62 40L262 50H462V12", x, y), "M162 40L312 50H462V12");
  assert.equal(stretched("M162 40H-1e+02", y, y), "M162 40H-100");
  // Half as high: what was at 1 of -2 to 4, in the middle, is at the upper end of -2 to 1.
  const half = { ...LINEAR, high: 1 };
  assert.equal(stretched("M62 284L262 148V216", x, [LOG, half]), "M62 284L262 12V148");
});
