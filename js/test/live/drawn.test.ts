import assert from "node:assert/strict";
import { test } from "node:test";

import type { Claim, Polyline } from "../../src/theory/claim";
import * as forms from "../../src/theory/closed_forms";
import { each, near } from "../vectors";

const MISSED = 1e-4;

const VARIOUS: Claim[] = [
  ...[0, 1e-9, 0.01, 1, 4, 12, 100, 800, Infinity].flatMap((size): Claim[] => [
    { kind: "approximate", epsilon: size, delta: 0 },
    { kind: "approximate", epsilon: size, delta: 1e-5 },
    { kind: "gaussian", mu: size },
    { kind: "laplace", epsilon: size },
  ]),
  { kind: "approximate", epsilon: 1, delta: 1 },
  { kind: "approximate", epsilon: 0, delta: 0.25 },
];

const name = (claim: Claim): string => JSON.stringify(claim);

function points({ x, y }: Polyline): [number, number][] {
  assert.ok(x instanceof Float64Array && y instanceof Float64Array && x.length === y.length);
  return Array.from(x, (value, i) => [value, y[i]!]);
}

/** Distance of a point to the nearest edge of the line. */
function distance([px, py]: [number, number], line: [number, number][]): number {
  let best = Infinity;
  for (let i = 1; i < line.length; i++) {
    const [[ax, ay], [bx, by]] = [line[i - 1]!, line[i]!];
    const [dx, dy] = [bx - ax, by - ay];
    const along = ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy);
    const t = Math.min(1, Math.max(0, along));
    best = Math.min(best, Math.hypot(px - ax - t * dx, py - ay - t * dy));
  }
  return best;
}

test("the curve of (epsilon, delta) is its exact corners, others miss no point of theirs", () => {
  each("curve", ({ args, value }, what) => {
    const [claim] = args as [Claim];
    const drawn = points(forms.curve(claim));
    assert.ok(drawn.length <= 256, what);
    if (claim.kind === "approximate") {
      assert.equal(drawn.length, value.length, what);
      drawn.flat().forEach((rate, i) => near(rate, value.flat()[i], what));
    }
    for (const point of value) assert.ok(distance(point, drawn) < MISSED, `${what}: ${point}`);
  });
});

test("between any two vertices the curve is never missed by 1e-4", () => {
  for (const claim of VARIOUS) {
    const drawn = points(forms.curve(claim));
    for (let logOdds = -30; logOdds <= 30; logOdds += 0.01) {
      const fpr = 1 / (1 + Math.exp(-logOdds));
      const missed = distance([fpr, forms.fnr(claim, fpr)], drawn);
      assert.ok(missed < MISSED, `${name(claim)} misses ${missed} at ${fpr}`);
    }
  }
});

test("curves have their ends, descend, and every vertex is on the curve", () => {
  for (const claim of VARIOUS) {
    const drawn = points(forms.curve(claim));
    const ends = [drawn[0]!, drawn[drawn.length - 1]!];
    assert.deepEqual(ends, [[0, forms.fnr(claim, 0)], [1, 0]], name(claim));
    drawn.forEach(([x, y], i) => {
      const before = drawn[i - 1] ?? [0, 1];
      assert.ok(x >= before[0] && y <= before[1], `${name(claim)} at ${i}`);
      const isTooSmall = x === 0 && i > 0; // an FPR below the smallest float
      const missed = Math.abs(forms.fnr(claim, x) - y);
      assert.ok(isTooSmall || missed < 1e-12, `${name(claim)} at ${i}: ${x}, ${y}`);
    });
  }
});

test("the Laplace curve has both kinks", () => {
  const xs = Array.from(forms.curve({ kind: "laplace", epsilon: 2 }).x);
  assert.ok(xs.includes(0.5) && xs.includes(Math.exp(-2) / 2));
});

test("the region of (epsilon, delta) has the golden corners", () => {
  each("region", ({ args, value }, what) => {
    const drawn = points(forms.region(args[0]));
    const [first, last] = [drawn[0]!, drawn[drawn.length - 1]!];
    if (drawn.length > 2 && String(first) === String(last)) drawn.pop(); // closed already
    assert.equal(drawn.length, value.length, what);
    drawn.flat().forEach((rate, i) => near(rate, value.flat()[i], what));
  });
});

test("a region is a curve and its mirror image", () => {
  for (const claim of VARIOUS) {
    const [lower, outline] = [points(forms.curve(claim)), points(forms.region(claim))];
    assert.deepEqual(outline.slice(0, lower.length), lower);
    for (const [x, y] of lower) {
      const isMirrored = ([a, b]: [number, number]): boolean =>
        Math.abs(a - (1 - x)) < 1e-15 && Math.abs(b - (1 - y)) < 1e-15;
      assert.ok(outline.some(isMirrored), name(claim));
    }
  }
});

test("the region of a total variation alone", () => {
  const corners = [[0, 0.75], [0.75, 0], [1, 0], [1, 0.25], [0.25, 1], [0, 1]];
  assert.deepEqual(points(forms.totalVariationRegion(0.25)), corners);
});

function kinksOf(claim: Claim): number[] {
  if (claim.kind === "gaussian" || ("epsilon" in claim && claim.epsilon === Infinity)) return [];
  if (claim.kind === "laplace") return [Math.exp(-claim.epsilon) / 2, 0.5];
  return Array.from(forms.curve(claim).x);
}

/** x ascending and within the ends, every y the function of its x, kinks of the claim there. */
function checkSpread(line: Polyline, lowest: number, y: (x: number) => number, claim: Claim): void {
  const drawn = points(line);
  assert.ok(drawn.length <= 512, name(claim));
  assert.deepEqual([line.x[0], line.x[line.x.length - 1]], [lowest, 1], name(claim));
  drawn.forEach(([x, value], i) => {
    assert.ok(i === 0 || (x > line.x[i - 1]! && x < 1.1 * line.x[i - 1]!), `${name(claim)} ${x}`);
    near(value, y(x), `${name(claim)} at ${x}`);
  });
  for (const kink of kinksOf(claim)) {
    assert.ok(kink <= lowest || kink === 1 || line.x.includes(kink), `${name(claim)}: ${kink}`);
  }
}

test("tails begin at 1e-5 on both axes", () => {
  for (const claim of VARIOUS) {
    checkSpread(forms.tail(claim), 1e-5, (x) => forms.tpr(claim, x), claim);
    assert.ok(forms.tail(claim).y.every((tpr) => tpr >= 1e-5), name(claim));
  }
});

const ENDS = { low: -4, high: 4 };
const rate = (decade: number): number => 1 / (1 + 10 ** -decade);
const decades = (claim: Claim, fpr: number): number =>
  Math.log10(forms.fnr(claim, fpr)) - Math.log10(forms.tpr(claim, fpr));

test("risk bounds run over the decades of the axis, with the kinks of the claim", () => {
  for (const claim of VARIOUS) {
    for (const prior of [0.5, 1e-3]) {
      const { ppv, advantage } = forms.riskBounds(claim, prior, ENDS);
      const xs = Array.from(ppv.x);
      assert.deepEqual([xs[0], xs[xs.length - 1]], [-4, 4]);
      assert.ok(xs.every((x, i) => !i || xs[i - 1]! <= x));
      for (const [x, y] of points(ppv)) near(y, forms.ppv(claim, rate(x), prior), name(claim));
      for (const [x, y] of points(advantage)) near(y, forms.advantage(claim, rate(x)), name(claim));
      for (const kink of kinksOf(claim)) {
        const at = Math.log10(kink) - Math.log10(1 - kink);
        assert.ok(!(Math.abs(at) < 4) || xs.includes(at), `${name(claim)}: ${kink}`);
      }
    }
  }
});

test("on log-odds axes the curve is that of the claim, in small steps, and rates beyond are at the edge", () => {
  for (const claim of VARIOUS) {
    const line = points(forms.odds(claim, ENDS, ENDS));
    assert.deepEqual([line[0]![0], line[line.length - 1]![0]], [-4, 4], name(claim));
    line.forEach(([x, y], i) => {
      const want = Math.min(4, Math.max(-4, decades(claim, rate(x))));
      // A steep vertex is exact in the FPR that has this FNR.
      const isSteep = Math.abs(decades(claim, rate(y)) - x) <= 1e-9;
      assert.ok(isSteep || Math.abs(y - want) <= 1e-9, `${name(claim)}: ${x}, ${y}, ${want}`);
      const [before, height] = line[i - 1] ?? [x, y];
      assert.ok(x >= before && x - before <= 0.1 + 1e-9 && y <= height + 1e-9, name(claim));
    });
  }
});
