import assert from "node:assert/strict";
import { test } from "node:test";

import { LAYERS, type Axis } from "../../src/state/layers";
import { shown, type Changes } from "../../src/state/state";
import { LIVE } from "../live_vectors";

const UNIT: Axis = { scale: "linear", isRate: false, low: 0, high: 1 };
const ODDS: Axis = { scale: "log-odds", isRate: true, low: -6, high: 6 };
const { state } = LIVE.told.find(({ state }) => !state.measured && state.fnr === null)!;
const at = (changes: Changes) => shown({ ...state, fpr: 0.01 }, changes)!;

test("a hand on the FPR asks for what stands there, tidily", () => {
  const move = LAYERS.SelectedFpr!.move!;
  assert.deepEqual(move(0.123456, 0, UNIT), { fpr: 0.123 });
  assert.deepEqual(move(0, 0, ODDS), { fpr: 0.5 });
  assert.deepEqual(move(-2, 0, ODDS), { fpr: 0.0099 });
  assert.deepEqual(LAYERS.RegionPoint!.move!(0.123456, 0.98765, UNIT), { fpr: 0.1235, fnr: 0.98765 });
});

test("an FPR beyond the axis stands at its end", () => {
  const place = (fpr: number, axis: Axis) => LAYERS.SelectedFpr!.draw(at({ fpr }), axis, UNIT, {}).handle!.place;
  assert.deepEqual(place(0, ODDS), [-6, 0]);
  assert.deepEqual(place(1, ODDS), [6, 0]);
  assert.deepEqual(place(0.5, ODDS), [0, 0]);
});

test("arrow keys move the FPR by a twentieth of a decade, the point by a hundredth, inside", () => {
  const step = LAYERS.SelectedFpr!.step!;
  assert.deepEqual(step(at({ fpr: 0.01 }), 1, 0), { fpr: 0.0112 });
  assert.deepEqual(step(at({ fpr: 1 }), 1, 0), { fpr: 1 });
  assert.equal(step(at({}), 0, 1), undefined);
  const point = LAYERS.RegionPoint!.step!;
  assert.deepEqual(point(at({ fpr: 0.1, fnr: 0.5 }), 1, -1), { fpr: 0.11, fnr: 0.49 });
  assert.deepEqual(point(at({ fpr: 0, fnr: 1 }), -1, 1), { fpr: 0, fnr: 1 });
});

test("the point waits where only the kernel knows it", () => {
  const measured = { ...state, measured: { fpr: 0.1, fnr: 0.2, ratio: 1 } };
  const draw = (changes: Changes) => LAYERS.RegionPoint!.draw(shown(measured, changes)!, UNIT, UNIT, LIVE.words).handle!;
  assert.deepEqual(draw({ prior: 0.1 }).place, [0.1, 0.2]);
  assert.deepEqual(draw({ fpr: 0.3 }), { text: LIVE.words.waiting });
});

test("a kernel in the browser says undefined for None", () => {
  const given = { ...state, fpr: 0.01, fnr: undefined } as never;
  assert.deepEqual(shown(given, {})!.point, at({}).point);
});

test("at a small prior the axis of the PPV ends a little above what is read", () => {
  const [claim, parameters] = [state.claim!, { epsilon: 1, delta: 0 }];
  const given = { ...claim, kind: "approximate" as const, converted: false, parameters };
  const end = (prior: number, ratio: number) => {
    const now = { ...state, claim: given, fpr: 0.01, prior, measured: { fpr: 0, fnr: 1, ratio } };
    return LAYERS.RiskBounds!.axes!(shown(now, {})!).y;
  };
  // At most e of 1 + 99 / e: 2.67 %; an attack that is right 30 times as often: 23 %.
  const label = "PPV and advantage";
  assert.deepEqual(end(0.01, 1), { low: 0, high: 0.05, label: `${label} (up to 5 %)` });
  assert.deepEqual(end(0.01, 30), { low: 0, high: 0.5, label: `${label} (up to 50 %)` });
  assert.deepEqual(end(0.5, 1), { low: 0, high: 1.08, label });
});

test("the claim's tick is moved along the ruler, whose end stays unless the claim is beyond it", () => {
  const now = { ...state, ruler: { delta: 1e-5, largest: 4 }, delta: 1e-5 };
  const parameters = { epsilon: 1, delta: 1e-5 };
  const given = { ...state.claim!, kind: "approximate" as const, converted: false, parameters };
  const tick = (epsilon: number, delta = 1e-5) => {
    const s = shown({ ...now, claim: given }, { epsilon, "claim.epsilon": epsilon, "claim.delta": delta })!;
    const x = LAYERS.ClaimedTick!.axes!(s).x;
    const drawn = LAYERS.ClaimedTick!.draw(s, { ...UNIT, high: x?.high ?? 4.32 }, UNIT, {});
    return [x?.high, drawn.line?.line?.x[0], drawn.label?.text];
  };
  assert.deepEqual(tick(1), [4.32, 1, "claimed 1"]);
  assert.deepEqual(tick(2.5), [4.32, 2.5, "claimed 2.5"]);
  assert.deepEqual(tick(10), [10.8, 10, "claimed 10"]);
  assert.deepEqual(tick(100), [4.32, 4.32, "claimed 100 →"]);
  assert.deepEqual(tick(Infinity), [4.32, undefined, undefined]); // every attack is allowed
  // What was measured is at another delta: the axis stays, the epsilon that is claimed is known.
  assert.deepEqual(tick(2.5, 1e-3), [undefined, 2.5, "claimed 2.5"]);
  const mu = { ...given, kind: "gaussian" as const, parameters: { mu: 1 } };
  const s = shown({ ...now, claim: mu, delta: 1e-3 }, {})!;
  assert.deepEqual(LAYERS.ClaimedTick!.draw(s, { ...UNIT, high: 4.32 }, UNIT, {}), {});
});

test("a point on the curve implies no more than its TPR, to the last digit, does", () => {
  const [claim, numbers] = [LIVE.told[0]!.state.claim!, { epsilon: 1, delta: 1e-3, fpr: 0, fnr: null }];
  const parameters = { epsilon: 1, delta: 1e-3 };
  const given = { ...claim, kind: "approximate" as const, converted: false, parameters };
  // At FPR 0 the TPR is delta, and delta alone admits that; 1 - (1 - 1e-3) is above 1e-3.
  const { point } = shown({ ...state, ...numbers, measured: null, claim: given }, {})!;
  assert.equal(point!.implied[0], -Infinity);
  assert.equal(point!.epsilon, 0);
});

test("the ratio of both densities has the kernel's axes, names and heights", () => {
  const near = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= 1e-8 * (1 + Math.abs(b));
  assert.ok(LIVE.ratios.length >= 24);
  for (const { state, x, high, band, at } of LIVE.ratios) {
    const [s, about] = [shown({ ...LIVE.told[0]!.state, ...state }, {})!, JSON.stringify(state)];
    const { DensityRatio } = LAYERS;
    const axes = DensityRatio!.axes!(s);
    assert.deepEqual([axes.x!.label, axes.x!.names ?? []], x.slice(2), about);
    assert.ok(near(axes.x!.low, x[0]) && near(axes.x!.high, x[1]) && near(axes.y!.high, high), about);
    const axis = (side: "x" | "y"): Axis => ({ ...UNIT, low: axes[side]!.low, high: axes[side]!.high });
    const drawn = DensityRatio!.draw(s, axis("x"), axis("y"), LIVE.words);
    assert.ok(near(Math.max(0, ...(drawn.band!.line?.y ?? [])), band), about);
    const line = drawn.ratio!.line!;
    for (const [place, height] of at) {
      const end = line.x.findIndex((corner) => corner >= place);
      const [left, right] = [line.x[end - 1]!, line.x[end]!];
      const [low, up] = [line.y[end - 1]!, line.y[end]!];
      assert.ok(near(low + ((up - low) * (place - left)) / (right - left), height), `${about} at ${place}`);
    }
  }
});
