/**
 * The privacy region of an (epsilon, delta)-DP claim, by the four inequalities K1..K4 of
 * dpviz/theory/region.py, and what they imply for one observed pair of rates.
 */

import { polyline, type Polyline } from "./claim";
import { exp, expm1, log, max, timesExp } from "./exponentials";

/** 4 units in the last place of 1. */
export const SLACK = 2 ** -50;

type Four = [number, number, number, number];

/** Per inequality: the rate whose excess over delta, and the rate that e^epsilon multiplies. */
function sides(fpr: number, fnr: number, tpr = 1 - fnr): [number, number][] {
  const tnr = 1 - fpr;
  return [[tpr, fpr], [tnr, fnr], [fnr, tnr], [fpr, tpr]];
}

/**
 * The epsilon each inequality implies for the pair: -Infinity where it implies nothing, Infinity
 * where only its denominator vanishes. `tpr` is given where it has more digits than 1 - fnr.
 */
export function impliedEpsilons(fpr: number, fnr: number, delta: number, tpr?: number): Four {
  const implied = ([top, bottom]: [number, number]): number =>
    top > delta ? log(top - delta) - log(bottom) : -Infinity;
  return sides(fpr, fnr, tpr).map(implied) as Four;
}

/** Smallest epsilon >= 0 whose region (at delta) contains the pair; Infinity if none does. */
export function epsilonAtPoint(fpr: number, fnr: number, delta: number): number {
  return max(0, ...impliedEpsilons(fpr, fnr, delta));
}

/** Smallest delta in [0, 1] whose region (at epsilon) contains the pair. */
export function deltaAtPoint(fpr: number, fnr: number, epsilon: number): number {
  if (epsilon === Infinity) return 0;
  const grown = expm1(epsilon);
  const lacks = sides(fpr, fnr).map(([top, bottom]) =>
    bottom === 0 ? top : top - bottom - grown * bottom,
  );
  return max(0, ...lacks);
}

/** Whether the claim allows the pair, with slack for rounding of rates near 1. */
export function regionAdmits(epsilon: number, delta: number, fpr: number, fnr: number): boolean {
  // K3 and K4 multiply the rounding error of a rate near 1; a rate of exactly 1 has none.
  const holds = ([top, bottom]: [number, number], i: number): boolean =>
    top - delta - timesExp(epsilon, bottom) <= SLACK * (1 + (i > 1 && bottom ? exp(epsilon) : 0));
  return epsilon === Infinity || sides(fpr, fnr).every(holds);
}

/** A curve and its mirror image through (1/2, 1/2): all pairs of rates, counter-clockwise. */
export function outline({ x, y }: Polyline, delta = 0): Polyline {
  const mirrored = (rate: number): number => (rate === 1 - delta ? delta : 1 - rate);
  const lower = Array.from(x, (fpr, i) => [fpr, y[i]!] as const);
  return polyline([...lower, ...lower.map(([a, b]) => [mirrored(a), mirrored(b)] as const)]);
}
