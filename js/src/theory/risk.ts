/** Bounds of a claim over FPRs evenly spaced in log or log-odds, and under a prior for "member". */

import type { Polyline, Tradeoff } from "./claim";
import { exp, log, log10, max, min, round } from "./exponentials";

const LOWEST_IN_TAIL = 1e-5;
const TAIL_VERTICES = 240;
/** Vertices a decade of odds. */
const RISK_STEPS = 30;
const ODDS_STEPS = 10;

/** The ends of an axis, in decades of odds. */
export interface Decades {
  low: number;
  high: number;
}

export interface RiskBounds {
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

/** To the coordinate of a log-odds axis, and back. */
export const decades = (rate: number): number => log10(rate) - log10(1 - rate);
export const rate = (decade: number): number => 1 / (1 + 10 ** -decade);

/** As `Analysis.risk` in dpviz/analysis, over decades of odds. */
export function riskOf(f: Tradeoff, prior: number, ends: Decades): RiskBounds {
  const x = Float64Array.from([...grid(ends, RISK_STEPS), ...kinksOf(f, ends)]).sort();
  const over = (bound: (fpr: number) => number): Polyline => ({ x, y: x.map((at) => bound(rate(at))) });
  return { ppv: over((fpr) => ppvOf(f, fpr, prior)), advantage: over((fpr) => f.advantage(fpr)) };
}

/** The smallest FNR over the FPR, in decades of odds. */
export function oddsOf(f: Tradeoff, across: Decades, upwards: Decades): Polyline {
  const height = (at: number): number => log10(f.fnr(rate(at))) - log10(f.tpr(rate(at)));
  const places = [...grid(across, ODDS_STEPS), ...kinksOf(f, across)].map((x) => [x, height(x)] as const);
  // Where the curve is steep, its mirror image has the vertices: it is its own inverse.
  const steep = grid(upwards, ODDS_STEPS).map((y) => [height(y), y] as const);
  const seen = [...places, ...steep.filter(([x]) => x >= across.low && x <= across.high)];
  seen.sort(([a, b], [c, d]) => a - c || d - b);
  return {
    x: Float64Array.from(seen, ([x]) => x),
    y: Float64Array.from(seen, ([, y]) => min(max(y, upwards.low), upwards.high)),
  };
}

const grid = ({ low, high }: Decades, steps: number): number[] =>
  Array.from({ length: round(steps * (high - low)) + 1 }, (_, i) => low + i / steps);

const kinksOf = (f: Tradeoff, { low, high }: Decades): number[] =>
  f.kinks.map(decades).filter((at) => at > low && at < high);

/** TPR over FPR for log-log axes that begin at 1e-5; no TPR is below its FPR. */
export function tailOf(f: Tradeoff): Polyline {
  const x = spread(LOWEST_IN_TAIL, TAIL_VERTICES, f.kinks);
  return { x, y: x.map((fpr) => f.tpr(fpr)) };
}

/** Non-members per member. */
function gamma(prior: number): number {
  return (1 - prior) / prior;
}

/** From `lowest` to 1, evenly in log, and the kinks above `lowest`. */
export function spread(lowest: number, n: number, kinks: number[]): Float64Array {
  const grid = Array.from({ length: n }, (_, i) => exp(log(lowest) * (1 - i / (n - 1))));
  grid[0] = lowest;
  return Float64Array.from(new Set([...grid, ...kinks.filter((x) => x > lowest)])).sort();
}
