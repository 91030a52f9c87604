/** A privacy claim, its trade-off function, and the vertices of its curves. */

import type { Statements } from "./stated";

/** The kind of (epsilon, delta)-DP. */
export const APPROXIMATE = "approximate";

/** The kind of one or more (epsilon, delta) statements. */
export const STATED = "stated";

/** Numbers of a claim as it is compared: epsilon and mu in [0, Infinity], delta in [0, 1]. */
export type Claim =
  | { kind: typeof APPROXIMATE; epsilon: number; delta: number }
  | { kind: "gaussian"; mu: number }
  | { kind: "laplace"; epsilon: number }
  | { kind: typeof STATED; statements: Statements };

/** Vertices of a line, in order. */
export interface Polyline {
  x: Float64Array;
  y: Float64Array;
}

/**
 * A trade-off function f, symmetric (its own inverse): f(FPR) is the smallest FNR of any test.
 * The names and conventions are those of `TradeoffFunction` in dpviz/theory/tradeoff.py.
 */
export interface Tradeoff {
  fnr(fpr: number): number;
  /** 1 - fnr, without cancellation. */
  tpr(fpr: number): number;
  /** tpr - fpr, without cancellation. */
  advantage(fpr: number): number;
  /** The largest privacy loss: the smallest epsilon that holds without a delta. */
  limit: number;
  /** FPRs in (0, 1) where the pieces of the curve meet. */
  kinks: number[];
  /** The curve, x = FPR, y = FNR. */
  vertices(): Polyline;
}

/** A line through points, without repeated ones. */
export function polyline(points: (readonly [number, number])[]): Polyline {
  const kept = points.filter(([x, y], i) => {
    const before = points[i - 1];
    return !before || x !== before[0] || y !== before[1];
  });
  return {
    x: Float64Array.from(kept, (point) => point[0]),
    y: Float64Array.from(kept, (point) => point[1]),
  };
}

/** The claim of epsilon = Infinity, mu = Infinity or delta = 1, which allows everything. */
export const NO_GUARANTEE: Tradeoff = {
  fnr: () => 0,
  tpr: () => 1,
  advantage: (fpr) => 1 - fpr,
  limit: Infinity,
  kinks: [],
  vertices: () => polyline([[0, 0], [1, 0]]),
};
