/** Epsilon*, an estimate: the largest log ratio over all thresholds, as dpviz/audit/epsilon_star. */

import { max, min } from "../theory/exponentials";
import { impliedEpsilons } from "../theory/region";
import { ratesAt, type Ranking, type Rates } from "./ranking";

/** Thresholds with a rate that is not larger are left out, as in the paper's empirical form. */
export const CLIP = 1e-3;

export interface EpsilonStar {
  /** NaN where the clip leaves no threshold. */
  value: number;
  /** The maxima of the four ratios m1 to m4, with their rates; none where the clip leaves no threshold. */
  maxima: (Rates & { ratio: number; at: number })[];
}

/** The four log ratios at a threshold. */
export const ratiosAt = (r: Ranking, i: number, delta: number): number[] => {
  const { fpr, fnr } = ratesAt(r, i);
  return impliedEpsilons(fpr, fnr, delta, r.truePositives[i]! / r.members);
};

export function epsilonStarOf(r: Ranking, delta: number): EpsilonStar {
  const best = [0, 1, 2, 3].map(() => ({ ratio: -Infinity, at: -1 }));
  let isEmpty = true;
  for (let i = 0; i < r.truePositives.length; i++) {
    const { fpr, fnr } = ratesAt(r, i);
    if (min(fpr, fnr, 1 - fpr, 1 - fnr) <= CLIP) continue;
    isEmpty = false;
    ratiosAt(r, i, delta).forEach((ratio, k) => {
      if (ratio > best[k]!.ratio) best[k] = { ratio, at: i };
    });
  }
  if (isEmpty) return { value: NaN, maxima: [] };
  const maxima = best.map((each) => ({ ...each, ...ratesAt(r, max(each.at, 0)) }));
  return { value: max(0, ...maxima.map(({ ratio }) => ratio)), maxima };
}
