/** The ranking of members and non-members by their scores, and what an attack counts along it. */

import { abs, floor, log, log10, max, min } from "../theory/exponentials";

export type Kind = "loss" | "score";

/** Losses, or scores, of both classes; of losses low, of scores high means member. */
export interface Sample {
  members: ArrayLike<number>;
  nonmembers: ArrayLike<number>;
  kind: Kind;
}

/** As `AttackCurve` in dpviz/audit/roc/curve.py: counts at each distinct threshold, first 0, last all. */
export interface Ranking {
  members: number;
  nonmembers: number;
  kind: Kind;
  falsePositives: Float64Array;
  truePositives: Float64Array;
}

export function rankingOf({ members, nonmembers, kind }: Sample): Ranking {
  const sign = kind === "loss" ? 1 : -1;
  const [own, other] = [members, nonmembers].map((each) => Float64Array.from(each, (x) => sign * x).sort());
  const [falsePositives, truePositives] = [[0], [0]] as [number[], number[]];
  for (let i = 0, j = 0; i < own!.length || j < other!.length; ) {
    const threshold = min(own![i] ?? Infinity, other![j] ?? Infinity);
    while (i < own!.length && own![i]! <= threshold) i++;
    while (j < other!.length && other![j]! <= threshold) j++;
    truePositives.push(i);
    falsePositives.push(j);
  }
  const counts = { falsePositives: Float64Array.from(falsePositives), truePositives: Float64Array.from(truePositives) };
  return { members: own!.length, nonmembers: other!.length, kind, ...counts };
}

export interface Rates {
  fpr: number;
  fnr: number;
}

export function ratesAt(r: Ranking, i: number): Rates {
  return { fpr: r.falsePositives[i]! / r.nonmembers, fnr: (r.members - r.truePositives[i]!) / r.members };
}

/** The last threshold whose FPR is at most this. */
export function thresholdAt({ falsePositives, nonmembers }: Ranking, fpr: number): number {
  let [low, high] = [0, falsePositives.length];
  while (high - low > 1) {
    const middle = floor((low + high) / 2);
    if (falsePositives[middle]! / nonmembers <= fpr) low = middle;
    else high = middle;
  }
  return low;
}

/** The members among the first 1, 2, ... records; among records of equal score they come last. */
export function membersAmongFirst(r: Ranking): Float64Array {
  const among = new Float64Array(r.members + r.nonmembers);
  let rank = 0;
  for (let i = 1; i < r.truePositives.length; i++) {
    const [before, after] = [r.truePositives[i - 1]!, r.truePositives[i]!];
    for (let tied = r.falsePositives[i]! - r.falsePositives[i - 1]!; tied > 0; tied--) among[rank++] = before;
    for (let member = before + 1; member <= after; member++) among[rank++] = member;
  }
  return among;
}

/** Thresholds for a picture: at most about `most`, dense where either error is rare, and `also`. */
export function thresholdsToDraw(r: Ranking, most: number, also: number[] = []): number[] {
  const last = r.truePositives.length - 1;
  if (last < most) return Array.from({ length: last + 1 }, (_, i) => i);
  const kept = new Set([0, last, ...also]);
  // Evenly in the rates, and in the logs of the counts of either error.
  const cell = (count: number, size: number): number =>
    floor((most / 8) * (count / size)) + floor((most / 8) * (log10(1 + count) / log10(1 + size)));
  let seen = "";
  for (let i = 0; i <= last; i++) {
    const [flagged, missed] = [r.falsePositives[i]!, r.members - r.truePositives[i]!];
    const here = `${cell(flagged, r.nonmembers)} ${cell(missed, r.members)}`;
    if (here !== seen) kept.add(i);
    seen = here;
  }
  return [...kept].sort((a, b) => a - b);
}

/** Decades of odds of a rate, inside an axis that ends at `end` of them. */
export const oddsInside = (rate: number, end: number): number =>
  max(-end, min(end, abs(rate - 0.5) === 0.5 ? (rate ? end : -end) : log(rate / (1 - rate)) / Math.LN10));
