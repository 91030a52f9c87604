/** Bounds of a claim over FPRs evenly spaced in log, and under a prior for "member". */

import type { Polyline, Tradeoff } from "./claim";
import { exp, floor, log, log10, max, min } from "./exponentials";

const LOWEST_IN_TAIL = 1e-5;
const TAIL_VERTICES = 240;
const RISK_VERTICES = 400;

export interface RiskBounds {
  lowestFpr: number;
  ppv: Polyline;
  advantage: Polyline;
}

/** Largest positive predictive value; at FPR 0 without a cliff, the limit. */
export function ppvOf(f: Tradeoff, fpr: number, prior: number): number {
  const tpr = f.tpr(fpr);
  const ratio = tpr === 0 ? exp(-f.limit) : fpr / tpr;
  return 1 / (1 + gamma(prior) * ratio);
}

/** Largest negative predictive value; at FPR 1, the limit. */
export function npvOf(f: Tradeoff, fpr: number, prior: number): number {
  const fnr = f.fnr(fpr);
  const ratio = fnr === 0 && fpr === 1 ? exp(-f.limit) : fnr / (1 - fpr);
  return 1 / (1 + ratio / gamma(prior));
}

/** Where the FPRs begin: two decades below the delta cliff. */
export function lowestFprOf(f: Tradeoff, prior: number): number {
  const cliff = f.tpr(0) * min(1, prior / (1 - prior));
  return cliff > 0 ? powerBelow(min(max(cliff / 100, 1e-15), 1e-6)) : 1e-6;
}

/** As `Analysis.risk` in dpviz/analysis. */
export function riskOf(f: Tradeoff, prior: number): RiskBounds {
  const lowestFpr = lowestFprOf(f, prior);
  const x = spread(lowestFpr, RISK_VERTICES, f.kinks);
  return {
    lowestFpr,
    ppv: { x, y: x.map((fpr) => ppvOf(f, fpr, prior)) },
    advantage: { x, y: x.map((fpr) => f.advantage(fpr)) },
  };
}

/** TPR over FPR for log-log axes that begin at 1e-5; no TPR is below its FPR. */
export function tailOf(f: Tradeoff): Polyline {
  const x = spread(LOWEST_IN_TAIL, TAIL_VERTICES, f.kinks);
  return { x, y: x.map((fpr) => f.tpr(fpr)) };
}

/** Non-members per member. */
function gamma(prior: number): number {
  return (1 - prior) / prior;
}

/** The largest power of 10 that is not above the value. */
function powerBelow(value: number): number {
  return Number(`1e${floor(log10(value))}`);
}

/** From `lowest` to 1, evenly in log, and the kinks above `lowest`. */
export function spread(lowest: number, n: number, kinks: number[]): Float64Array {
  const grid = Array.from({ length: n }, (_, i) => exp(log(lowest) * (1 - i / (n - 1))));
  grid[0] = lowest;
  return Float64Array.from(new Set([...grid, ...kinks.filter((x) => x > lowest)])).sort();
}
